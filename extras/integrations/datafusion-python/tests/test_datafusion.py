"""The functions in DataFusion's Python package, compared with its own and with hashlib."""

import contextlib
import hashlib
import io
import pathlib
import re
import subprocess
import sys

import hashlanes_datafusion
import pyarrow as pa
import pytest
from datafusion import SessionConfig, SessionContext, col, functions, lit, udf

VALUES = [None if i % 7 == 0 else "x" * (i % 300) + str(i) for i in range(20_000)]
TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()]


def engine(registered, column=VALUES, dtype=None):
    context = SessionContext(SessionConfig().with_target_partitions(4))
    if registered:
        hashlanes_datafusion.register_all(context)
    batches = pa.table({"x": pa.array(column, dtype)}).to_batches(max_chunksize=3000)
    context.register_record_batches("t", [batches[:3], batches[3:]])
    return context


def rows(context, statement):
    """The rows of a statement, in any order."""
    table = context.sql(statement).to_arrow_table()
    return table.schema.types, sorted(map(str, table.to_pylist()))


CALLS = ["md5(x)", "sha224(x)", "sha256(x)", "sha384(x)", "sha512(x)", "digest(x, 'blake3')"]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_digests_are_those_of_datafusion(dtype):
    values = [v and v.encode() for v in VALUES] if "binary" in str(dtype) else VALUES
    ours, theirs = (engine(registered, values, dtype) for registered in [True, False])
    for call in CALLS:
        statement = f"SELECT {call} AS digest FROM t"
        assert rows(ours, statement) == rows(theirs, statement)


@pytest.mark.parametrize("name", ["sha1", "sha2"])
def test_digests_of_spark(name):
    call, function = {"sha1": ("sha1(x)", "sha1"), "sha2": ("sha2(x, 256)", "sha256")}[name]
    table = engine(True).sql(f"SELECT x, {call} AS digest FROM t").to_arrow_table()
    assert len(table) == len(VALUES)
    for row in table.to_pylist():
        value = row["x"]
        right = None if value is None else hashlib.new(function, value.encode()).hexdigest()
        assert row["digest"] == right


def test_expressions():
    sha256 = udf(hashlanes_datafusion.sha256)
    frame = engine(False).table("t")
    frame = frame.select(sha256(col("x")).alias("a"), functions.sha256(col("x")).alias("b"))
    table = frame.to_arrow_table()
    assert table["a"] == table["b"]
    assert table["a"].type == pa.binary()


def test_bytes_and_rows():
    statement = (
        "SELECT md5(x, false) AS a, digest(x, 'md5') AS b, digest_rows(x, 5, 'md5') AS c,"
        " digest_rows('x1', 5, 'md5') AS d FROM t WHERE x = 'x1'"
    )
    [row] = engine(True).sql(statement).to_arrow_table().to_pylist()
    assert row["a"] == row["b"] == hashlib.md5(b"x1").digest()
    assert row["c"] == row["d"]


def test_queries_without_rows_and_constants():
    context = engine(True)
    assert context.sql("SELECT md5(x) FROM t WHERE x = 'none'").to_arrow_table().num_rows == 0
    plan = context.sql("SELECT sha2('abc', 256) FROM t").optimized_logical_plan()
    assert hashlib.sha256(b"abc").hexdigest() in str(plan)


def test_wrong_arguments_are_errors():
    context = engine(True)
    for call, message in [
        ("md5(1, 2, 3)", "md5"),
        ("digest(x, 'md6')", "md6"),
        ("digest_rows(x, 'md6')", "unknown algorithm 'md6'"),
        ("md5(x, x = 'a')", "hex has to be true or false"),
    ]:
        with pytest.raises(Exception, match=message):
            context.sql(f"SELECT {call} FROM t").collect()


def test_names():
    assert repr(hashlanes_datafusion.md5) == "hashlanes_datafusion.md5"
    assert udf(hashlanes_datafusion.sha2).name == "sha2"
    expression = udf(hashlanes_datafusion.md5)(lit("abc"))
    assert "md5" in str(expression)


def test_another_datafusion_is_refused():
    """Under the name of a version that has other structs."""
    program = (
        "import importlib.metadata as m; version = m.version\n"
        "m.version = lambda name: '99.0.0' if name == 'datafusion' else version(name)\n"
        "import hashlanes_datafusion"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "but this is 99.0.0" in result.stderr


PACKAGE = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("page", ["README.md", "../../../docs/guide/engines.md"])
def test_the_programs_of_a_page(page):
    text = (PACKAGE / page).read_text(encoding="utf-8")
    section = text.split("\n## DataFusion\n")[-1]
    cells = re.findall(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", section, re.DOTALL)
    assert len(cells) == 1
    for program, output in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, {})
        assert printed.getvalue() == output
