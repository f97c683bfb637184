"""Digests of rows, compared with the Python framing code in docs/guide/frames.md."""

import datetime
import decimal
import hashlib
import pathlib
import random
import re

import hashlanes
import pytest

pa = pytest.importorskip("pyarrow")

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "frames.md"
if not PAGE.exists():
    pytest.skip("the documentation is not here", allow_module_level=True)

framing = {}
exec(re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1], framing)


def expected(table, columns, name):
    rows = zip(*(table.column(c).to_pylist() for c in columns))
    return [hashlib.new(name, framing["frame_row"](row)).hexdigest() for row in rows]


def check(table, columns=None, name="sha256"):
    digests = hashlanes.digest_rows(table, columns, name, hex=True)
    right = expected(table, columns or table.column_names, name)
    assert digests.to_pylist() == right
    raw = hashlanes.digest_rows(table, columns, name)
    assert raw.to_pyarrow().to_pylist() == [bytes.fromhex(digest) for digest in right]


def test_the_framing_in_the_documentation():
    digest = hashlib.sha256(framing["frame_row"](["abc", 5, None])).digest()
    table = pa.table({"a": ["abc"], "b": pa.array([5], pa.int8()), "c": pa.nulls(1)})
    assert hashlanes.digest_rows(table, None, "sha256").to_pylist() == [digest]


ZONE = datetime.timezone(datetime.timedelta(hours=2))
MOMENTS = [datetime.datetime(2026, 11, 22, 3, 4, 5, 678901), None, datetime.datetime(1601, 1, 1)]
ZONED = [moment and moment.replace(tzinfo=ZONE) for moment in MOMENTS]
TEXTS = ["a", None, "", "häsh" * 9]
DATES = [datetime.date(2026, 11, 22), None, datetime.date(1900, 1, 1)]
STRUCTS = [{"a": 1, "b": ["x"]}, None, {"a": None, "b": None}]
DECIMALS = [decimal.Decimal("1.50"), None, decimal.Decimal("-123456789.01")]

COLUMNS = [
    *((t, [1, None, -128]) for t in [pa.int8(), pa.int16(), pa.int32(), pa.int64()]),
    *((t, [1, None, 255]) for t in [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]),
    (pa.uint64(), [2**63 - 1, 2**63, 2**64 - 1]),
    *((t, [0.5, None, -0.0, float("nan"), float("inf")]) for t in [pa.float32(), pa.float64()]),
    (pa.bool_(), [True, None, False]),
    (pa.null(), [None, None]),
    *((t, TEXTS) for t in [pa.string(), pa.large_string(), pa.string_view()]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", None, "a", "b"]),
    *((t, [b"a", None, b"\0" * 40]) for t in [pa.binary(), pa.large_binary(), pa.binary_view()]),
    (pa.binary(2), [b"ab", None, b"\0\0"]),
    (pa.decimal128(30, 2), DECIMALS),
    (pa.decimal256(60, 2), DECIMALS),
    (pa.decimal32(9, 1), [decimal.Decimal("1.5"), None]),
    (pa.decimal64(18, 1), [decimal.Decimal("1.5"), None]),
    *((t, DATES) for t in [pa.date32(), pa.date64()]),
    (pa.timestamp("us"), MOMENTS),
    (pa.timestamp("us", "UTC"), ZONED),
    (pa.timestamp("us", "Europe/Berlin"), ZONED),
    (pa.timestamp("ms"), [datetime.datetime(1960, 1, 1, 0, 0, 0, 1000)]),
    (pa.timestamp("s"), [datetime.datetime(1960, 1, 1)]),
    (pa.time32("s"), [datetime.time(1, 2, 3), None]),
    (pa.time32("ms"), [datetime.time(1, 2, 3, 4000), None]),
    (pa.time64("us"), [datetime.time(1, 2, 3, 4), None]),
    (pa.duration("us"), [datetime.timedelta(seconds=1.5), None, datetime.timedelta(seconds=-1.5)]),
    *((t, [[1, None], None, []]) for t in [pa.list_(pa.int32()), pa.large_list(pa.int8())]),
    (pa.list_(pa.string(), 2), [["a", "b"], None, [None, "c"]]),
    (pa.list_view(pa.int16()), [[1, None], None, []]),
    (pa.struct({"a": pa.int8(), "b": pa.list_(pa.string())}), STRUCTS),
]


def identifier(parameter):
    return str(parameter) if isinstance(parameter, pa.DataType) else ""


@pytest.mark.parametrize(("kind", "values"), COLUMNS, ids=identifier)
def test_every_type(kind, values):
    column = pa.array(values, kind)
    check(pa.table({"x": column}))
    check(pa.table({"x": column[1:], "y": column[:-1]}))


def test_maps():
    maps = pa.array([[("k", 1), ("l", None)], None, []], pa.map_(pa.string(), pa.int32()))
    entries = [[{"key": "k", "value": 1}, {"key": "l", "value": None}], None, []]
    rows = [hashlib.md5(framing["frame"](e)).digest() for e in entries]
    assert hashlanes.digest_rows(pa.table({"m": maps}), None, "md5").to_pylist() == rows


def test_nanoseconds_and_large_decimals():
    table = pa.table({"t": pa.array([-1, 10**9 + 1], pa.timestamp("ns"))})
    frames = ["0b" + "ff" * 8 + "ffc99a3b", "0b" + "01" + "00" * 7 + "01000000"]
    right = [hashlib.md5(bytes.fromhex(frame)).hexdigest() for frame in frames]
    assert hashlanes.digest_rows(table, None, "md5", hex=True).to_pylist() == right
    large = 10**50
    table = pa.table({"d": pa.array([decimal.Decimal(large)], pa.decimal256(60, 0))})
    right = hashlib.md5(b"\x09\0" + large.to_bytes(32, "little", signed=True)).digest()
    assert hashlanes.digest_rows(table, None, "md5").to_pylist() == [right]


def test_columns_are_hashed_in_the_order_named():
    table = pa.table({"a": [1, 2], "b": ["x", None], "c": [0.5, 1.5]})
    for columns in [["a"], ["b", "a"], ["c", "b", "a"], ["a", "a"], None]:
        check(table, columns)


def test_chunks_of_different_lengths():
    numbers = pa.chunked_array([[1, 2], [3], []], pa.int64())
    texts = pa.chunked_array([["a"], ["b", None]])
    table = pa.table({"n": numbers, "t": texts})
    check(table)
    digests = hashlanes.digest_rows(table, ["n"], "md5")
    assert isinstance(digests, hashlanes.ChunkedArray)
    assert pa.chunked_array(digests).to_pylist() == digests.to_pylist()


def test_record_batches_and_threads():
    dice = random.Random(2)
    rows = 20_000
    batch = pa.record_batch({
        "n": [dice.choice([None, dice.getrandbits(40)]) for _ in range(rows)],
        "t": [dice.choice([None, "x" * dice.randrange(300)]) for _ in range(rows)],
    })
    right = expected(batch, ["n", "t"], "md5")
    for threads in [1, 2, 7]:
        digests = hashlanes.digest_rows(batch, None, "md5", hex=True, threads=threads)
        assert isinstance(digests, hashlanes.Array)
        assert digests.to_pylist() == right


def test_a_null_struct_has_no_digest():
    structs = pa.array([{"a": 1}, None, {"a": None}])
    digests = hashlanes.digest_rows(structs, None, "md5").to_pylist()
    right = hashlanes.digest_rows(pa.table({"a": [1, None]}), None, "md5").to_pylist()
    assert digests == [right[0], None, right[1]]


def test_empty_tables():
    table = pa.table({"a": pa.array([], pa.int64())})
    assert hashlanes.digest_rows(table, None, "md5").to_pyarrow().type == pa.binary(16)
    assert len(hashlanes.digest_rows(table, None, "md5")) == 0


def test_wrong_arguments():
    table = pa.table({"a": [1], "b": [2]})
    with pytest.raises(KeyError, match="no column .*'?c.*it has a, b"):
        hashlanes.digest_rows(table, ["c"], "md5")
    with pytest.raises(TypeError, match=r"not one str: \['ab'\]"):
        hashlanes.digest_rows(table, "ab", "md5")
    with pytest.raises(TypeError, match="which are str, not int"):
        hashlanes.digest_rows(table, ["a", 1], "md5")
    with pytest.raises(ValueError, match="at least one column"):
        hashlanes.digest_rows(table, [], "md5")
    with pytest.raises(ValueError, match="at least one column"):
        hashlanes.digest_rows(table.select([]), None, "md5")
    with pytest.raises(TypeError, match="not a column of type Int64"):
        hashlanes.digest_rows(pa.array([1]), None, "md5")
    with pytest.raises(TypeError, match="not list"):
        hashlanes.digest_rows([[1]], None, "md5")
    with pytest.raises(KeyError, match="several columns"):
        twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
        hashlanes.digest_rows(twice, ["a"], "md5")
    with pytest.raises(TypeError, match="no framing for a column of type"):
        union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
        hashlanes.digest_rows(pa.table({"u": union}), None, "md5")
    with pytest.raises(ValueError, match="column 0, row 0: a Date64 value is not"):
        dates = pa.array([1], pa.int64()).view(pa.date64())
        hashlanes.digest_rows(pa.table({"d": dates}), None, "md5")
