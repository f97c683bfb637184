"""Expressions and Series, compared with hashlib and with polars-hash."""

import contextlib
import hashlib
import io
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import hashlanes_polars  # noqa: F401
import polars as pl
import polars_hash as plh
import pytest

VALUES = ["abc", None, "", "häsh", "x" * 100]
NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]


def expected(values, name, hex):
    digests = (None if v is None else hashlib.new(name, v.encode()) for v in values)
    return [d and (d.hexdigest() if hex else d.digest()) for d in digests]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("hex", [False, True])
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_expressions(name, hex, engine):
    frame = pl.LazyFrame({"x": VALUES})
    column = pl.col("x").hashlanes
    frame = frame.select(getattr(column, name)(hex=hex), y=column.digest(name, hex=hex))
    assert frame.collect_schema()["x"] == (pl.String if hex else pl.Binary)
    collected = frame.collect(engine=engine)
    assert collected["x"].to_list() == expected(VALUES, name, hex)
    assert collected["x"].equals(collected["y"])
    assert collected.schema == frame.collect_schema()


THEIRS = {
    "md5": plh.col("x").nchash.md5(),
    "sha1": plh.col("x").nchash.sha1(),
    "sha224": plh.col("x").chash.sha2_224(),
    "sha256": plh.col("x").chash.sha2_256(),
    "sha384": plh.col("x").chash.sha2_384(),
    "sha512": plh.col("x").chash.sha2_512(),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_digests_are_those_of_polars_hash(name):
    values = [None if i % 7 == 0 else "x" * (i % 300) + str(i) for i in range(5000)]
    frame = pl.DataFrame({"x": values})
    ours = getattr(pl.col("x").hashlanes, name)(hex=True)
    assert frame.select(ours).equals(frame.select(THEIRS[name]))


@pytest.mark.parametrize("name", ["sha512_256", "sm3"])
def test_functions_missing_from_some_hashlibs(name):
    if name not in hashlib.algorithms_available:
        pytest.skip(f"hashlib has no {name}")
    right = hashlib.new(name, b"abc").digest()
    assert getattr(pl.Series(["abc"]).hashlanes, name)().to_list() == [right]


def test_every_algorithm_has_its_functions():
    with pytest.raises(ValueError) as error:
        pl.col("x").hashlanes.digest("md6")
    names = str(error.value).split("expected one of ")[1].split(", ")
    assert len(names) >= 20
    frame = pl.DataFrame({"x": ["a", None, "b" * 300]})
    for name in names:
        digests, digits = (pl.col("x").hashlanes.digest(name, hex=hex) for hex in [False, True])
        frame.select(pl.struct("x").hashlanes.digest_rows(name))
        rows = frame.select(a=digests.bin.encode("hex"), b=digits).rows()
        assert rows[1] == (None, None) and rows[0] != rows[2]
        assert all(a == b for a, b in rows), name
        if name.replace("-", "_") in hashlib.algorithms_available and "shake" not in name:
            assert rows[0][1] == hashlib.new(name.replace("-", "_"), b"a").hexdigest(), name


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["a", "b"]), pl.Binary])
def test_types(dtype):
    values = [b"a", b"b", None, b"a"] if dtype == pl.Binary else ["a", "b", None, "a"]
    series = pl.Series("x", values, dtype=dtype)
    right = expected(["a", "b", None, "a"], "md5", True)
    assert series.hashlanes.md5(hex=True).to_list() == right
    assert series.hashlanes.md5(hex=True).name == "x"
    assert series.to_frame().select(pl.col("x").hashlanes.md5(hex=True))["x"].to_list() == right


def test_nulls_and_empty_columns():
    assert pl.Series([None, None]).hashlanes.md5().to_list() == [None, None]
    empty = pl.Series([], dtype=pl.String).hashlanes.sha1()
    assert (len(empty), empty.dtype) == (0, pl.Binary)


def test_chunks_and_slices():
    series = pl.concat([pl.Series(VALUES), pl.Series(VALUES * 2)], rechunk=False)[3:11]
    right = expected((VALUES * 3)[3:11], "sha256", False)
    assert series.hashlanes.sha256().to_list() == right


def test_many_rows_in_the_streaming_engine():
    values = [str(i) for i in range(300_000)]
    frame = pl.LazyFrame({"x": values}).with_columns(h=pl.col("x").hashlanes.md5(hex=True))
    collected = frame.filter(pl.col("h").str.starts_with("0")).collect(engine="streaming")
    digests = expected(values, "md5", True)
    right = [(v, h) for v, h in zip(values, digests) if h.startswith("0")]
    assert sorted(collected.rows()) == sorted(right)


def test_many_threads():
    values = [str(i) for i in range(20_000)]
    right = expected(values, "sha1", True)
    series = pl.Series(values)
    with ThreadPoolExecutor(16) as threads:
        results = threads.map(lambda _: series.hashlanes.sha1(hex=True).to_list(), range(16))
        assert all(result == right for result in results)


def test_groups():
    frame = pl.DataFrame({"g": [1, 1, 2], "x": ["a", "b", "c"]})
    grouped = frame.group_by("g").agg(pl.col("x").hashlanes.md5(hex=True)).sort("g")
    right = expected("abc", "md5", True)
    assert grouped["x"].to_list() == [right[:2], right[2:]]
    over = frame.select(pl.col("x").hashlanes.md5(hex=True).over("g"))
    assert over["x"].to_list() == right


def queries():
    """Queries that use the digests."""
    frame = pl.LazyFrame({"g": [i % 20 for i in range(2000)], "x": map(str, range(2000))})
    digest = pl.col("x").hashlanes.sha256()
    lists = frame.group_by("g", maintain_order=True).agg("x")
    return [
        frame.group_by("g").agg(digest),
        frame.group_by("g").agg(pl.col("x").first().hashlanes.sha256()),
        frame.group_by(digest).agg(pl.len()),
        frame.select(digest.over("g")),
        frame.with_columns(h=digest).filter(pl.col("h") > b"\x80").sort("h"),
        frame.join(frame, left_on=digest, right_on=digest),
        frame.select(pl.when(pl.col("g") > 3).then(digest)),
        frame.select(pl.lit("abc").hashlanes.sha256()),
        lists.select(pl.col("x").list.eval(pl.element().hashlanes.sha256())),
    ]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_results_have_the_planned_types(engine):
    for number, query in enumerate(queries()):
        assert query.collect(engine=engine).schema == query.collect_schema(), number


def test_plans_show_the_names_of_functions():
    frame = pl.LazyFrame({"x": VALUES})
    column = pl.col("x").hashlanes
    plan = frame.select(a=column.sha256(), b=column.digest("SHA-512/256")).explain()
    assert re.search(r":sha256\b", plan) and re.search(r":sha512_256\b", plan), plan
    # The name of an expression that is a Python function.
    assert "python_udf" not in plan, plan


def test_a_repeated_expression_is_hashed_once():
    frame = pl.LazyFrame({"x": ["a", "b"]})
    # Two expressions that are equal, and not the same object.
    first, second = (pl.col("x").hashlanes.md5(hex=True) for _ in range(2))
    plan = frame.select(a=first.str.head(4), b=second.str.head(8)).explain()
    assert plan.count(":md5") == 1, plan


def test_filters_run_before_digests():
    frame = pl.LazyFrame({"g": [1, 2, 3], "x": ["a", "b", "c"]})
    filtered = frame.with_columns(h=pl.col("x").hashlanes.md5()).filter(pl.col("g") == 2)
    plan = filtered.explain()
    assert plan.index("WITH_COLUMNS") < plan.index("FILTER"), plan
    assert filtered.collect()["h"].to_list() == expected(["b"], "md5", False)
    # Unused expressions are not evaluated.
    unused = frame.with_columns(h=pl.col("x").hashlanes.md5()).select("g")
    assert "WITH_COLUMNS" not in unused.explain()


def test_plans_are_serialised_without_python_code():
    frame = pl.LazyFrame({"x": VALUES}).select(pl.col("x").hashlanes.sha1(hex=True))
    plan = frame.serialize()
    assert b"cloudpickle" not in plan and b"hashlanes_polars.HashlanesExpr" not in plan
    restored = pl.LazyFrame.deserialize(io.BytesIO(plan))
    assert restored.collect()["x"].to_list() == expected(VALUES, "sha1", True)


def test_unknown_functions_are_rejected_at_once():
    for wrong in [
        lambda: pl.col("x").hashlanes.digest("md6"),
        lambda: pl.col("x").hashlanes.digest_rows("md6"),
        lambda: pl.Series(["a"]).hashlanes.digest("md6"),
    ]:
        with pytest.raises(ValueError, match="unknown algorithm 'md6'"):
            wrong()


def test_wrong_types_are_rejected_when_the_schema_is_asked_for():
    frame = pl.LazyFrame({"n": [1], "x": ["a"]})
    wrong = {
        "a column of type Int64 has no bytes": pl.col("n").hashlanes.md5(),
        "a column of type Struct.* has no bytes": pl.struct("n").hashlanes.md5(),
        "a struct of columns, not Int64": pl.col("n").hashlanes.digest_rows("md5"),
        "a struct of columns, not Utf8View": pl.col("x").hashlanes.digest_rows("md5"),
    }
    for message, expression in wrong.items():
        with pytest.raises(pl.exceptions.PolarsError, match=message):
            frame.select(expression).collect_schema()


def test_objects_have_no_bytes():
    """Polars passes their addresses."""
    frame = pl.LazyFrame({"x": pl.Series([object()], dtype=pl.Object)})
    for digest in ["md5", "sha256"]:
        with pytest.raises(pl.exceptions.PolarsError, match="objects have no bytes"):
            frame.select(pl.col("x").hashlanes.digest(digest)).collect_schema()


@pytest.mark.parametrize("dtype", [pl.Int128, pl.List(pl.UInt128)])
def test_types_of_polars_alone_are_named(dtype):
    frame = pl.DataFrame({"x": pl.Series([None], dtype=dtype)})
    with pytest.raises(pl.exceptions.PolarsError, match="only Polars knows: cast it .*128"):
        frame.select(pl.struct("x").hashlanes.digest_rows("md5"))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_rows_with_columns_of_nulls(engine):
    frame = pl.DataFrame({"n": [None] * 3, "x": ["a", None, "b"], "l": [[None], [], None]})
    frame = frame.with_columns(
        s=pl.struct("n"), a=pl.Series([[None, None]] * 3, dtype=pl.Array(pl.Null, 2))
    )
    typed = frame.with_columns(
        pl.col("n").cast(pl.String),
        pl.col("l").cast(pl.List(pl.Int8)),
        s=pl.struct(n=pl.lit(None, dtype=pl.Float64)),
        a=pl.Series([[None, None]] * 3, dtype=pl.Array(pl.Date, 2)),
    )
    assert frame.schema["l"] == pl.List(pl.Null)
    assert frame.schema["a"] == pl.Array(pl.Null, 2)
    rows = pl.struct(pl.all()).hashlanes.digest_rows("sha1")

    def digests(frame):
        return frame.lazy().select(h=rows).collect(engine=engine)["h"].to_list()

    assert digests(frame) == digests(typed)
    for start in range(4):
        assert digests(frame[start:]) == digests(typed)[start:]


def test_rows():
    frame = pl.DataFrame({"x": ["a", None], "n": [1, 2], "l": [[1.5], None]})
    rows = pl.struct("x", "n", "l").hashlanes.digest_rows("sha256")
    first = bytes([6, 1, *[0] * 7]) + b"a" + bytes([3, 1, *[0] * 7]) + bytes([16, 1, *[0] * 7])
    first += b"\x05" + bytes.fromhex("000000000000f83f")
    second = b"\x00" + bytes([3, 2, *[0] * 7]) + b"\x00"
    right = [hashlib.sha256(frame).digest() for frame in (first, second)]
    for engine in ["in-memory", "streaming"]:
        assert frame.lazy().select(h=rows).collect(engine=engine)["h"].to_list() == right


def test_rows_of_all_types():
    """The digests are those of the same values in other types with the same frames."""
    values = {
        "text": ["a", None],
        "bytes": [b"a", None],
        "truth": [True, None],
        "number": [1.5, None],
        "decimal": [Decimal("1.50"), None],
        "date": [date(2026, 1, 2), None],
        "datetime": [datetime(2026, 1, 2, 3, 4, 5, 6), None],
        "time": [time(3, 4, 5, 6), None],
        "duration": [timedelta(1, 2, 3), None],
        "list": [["a", None], None],
        "struct": [{"a": 1, "b": "x"}, None],
    }
    frame = pl.DataFrame(values).with_columns(
        category=pl.col("text").cast(pl.Categorical),
        array=pl.Series([[1, 2], None], dtype=pl.Array(pl.Int8, 2)),
    )
    other = frame.with_columns(
        pl.col("text").cast(pl.Categorical),
        pl.col("category").cast(pl.String),
        pl.col("number").cast(pl.Float32),
        pl.col("datetime").cast(pl.Datetime("ns")),
        pl.col("array").cast(pl.List(pl.Int64)),
    )
    rows = pl.struct(pl.all()).hashlanes.digest_rows("md5")
    digests = frame.select(rows).to_series().to_list()
    assert other.select(rows).to_series().to_list() == digests
    assert digests[1] == hashlib.md5(bytes(len(frame.columns))).digest()


def test_the_readme():
    readme = pathlib.Path(__file__).resolve().parents[1] / "README.md"
    [program] = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
    exec(program, {})


ROOT = pathlib.Path(__file__).resolve().parents[4]


def test_the_guide():
    page = (ROOT / "docs" / "guide" / "engines.md").read_text(encoding="utf-8")
    section = page.split("## Polars\n")[1].split("\n## ")[0]
    cells = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", section, re.DOTALL)
    assert len(cells) == 2
    names = {}
    for program, output in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, names)
        assert printed.getvalue() == output


def test_the_example():
    example = pathlib.Path(__file__).resolve().parents[1] / "examples" / "expressions.py"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example.read_text(encoding="utf-8"), {})
    assert expected(["c@example.org"], "sha256", True)[0][:16] in printed.getvalue()
    assert "shape: (2, 4)" in printed.getvalue()
