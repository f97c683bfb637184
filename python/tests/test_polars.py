"""Expressions of polars, and its Series and frames as columns, beside hashlib."""

import hashlib

import hashlanes
import pytest

pl = pytest.importorskip("polars")
import hashlanes.polars  # noqa: E402, F401

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


@pytest.mark.parametrize("name", ["sha512_256", "sm3"])
def test_functions_that_hashlib_may_lack(name):
    digests = pl.Series(["abc"]).hashlanes
    right = hashlanes.new(name, b"abc").digest()
    assert getattr(digests, name)().to_list() == [right]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["a", "b"]), pl.Binary])
def test_types(dtype):
    values = [b"a", b"b", None, b"a"] if dtype == pl.Binary else ["a", "b", None, "a"]
    series = pl.Series("x", values, dtype=dtype)
    right = expected(["a", "b", None, "a"], "md5", True)
    assert series.hashlanes.md5(hex=True).to_list() == right
    assert series.hashlanes.md5(hex=True).name == "x"
    assert series.to_frame().select(pl.col("x").hashlanes.md5(hex=True))["x"].to_list() == right


def test_nulls_and_nothing():
    assert pl.Series([None, None]).hashlanes.md5().to_list() == [None, None]
    empty = pl.Series([], dtype=pl.String).hashlanes.sha1()
    assert (len(empty), empty.dtype) == (0, pl.Binary)


def test_many_rows_in_the_streaming_engine():
    values = [str(i) for i in range(300_000)]
    frame = pl.LazyFrame({"x": values}).with_columns(h=pl.col("x").hashlanes.md5(hex=True))
    collected = frame.filter(pl.col("h").str.starts_with("0")).collect(engine="streaming")
    digests = expected(values, "md5", True)
    right = [(v, h) for v, h in zip(values, digests) if h.startswith("0")]
    assert sorted(collected.rows()) == sorted(right)


def test_groups():
    frame = pl.DataFrame({"g": [1, 1, 2], "x": ["a", "b", "c"]})
    grouped = frame.group_by("g").agg(pl.col("x").hashlanes.md5(hex=True)).sort("g")
    right = expected("abc", "md5", True)
    assert grouped["x"].to_list() == [right[:2], right[2:]]
    over = frame.select(pl.col("x").hashlanes.md5(hex=True).over("g"))
    assert over["x"].to_list() == right


def test_rows():
    frame = pl.DataFrame({"x": ["a", None], "n": [1, 2], "l": [[1.5], None]})
    right = hashlanes.digest_rows(frame, None, "sha256", hex=True).to_pylist()
    rows = pl.struct("x", "n", "l").hashlanes.digest_rows("sha256", hex=True)
    for engine in ["in-memory", "streaming"]:
        assert frame.lazy().select(h=rows).collect(engine=engine)["h"].to_list() == right
    frames = [bytes([6, 1, *[0] * 7]) + b"a" + bytes([3, 1, *[0] * 7]) + bytes([16, 1, *[0] * 7])]
    frames[0] += b"\x05" + bytes.fromhex("000000000000f83f")
    assert right[0] == hashlib.sha256(frames[0]).hexdigest()


def test_wrong_types_are_named():
    frame = pl.DataFrame({"n": [1]})
    for wrong in [pl.col("n").hashlanes.md5(), pl.struct("n").hashlanes.md5()]:
        with pytest.raises(Exception, match="Int64"):
            frame.select(wrong)
    with pytest.raises(Exception, match="not a column of type Int64"):
        frame.select(pl.col("n").hashlanes.digest_rows("md5"))
    with pytest.raises(Exception, match="unknown algorithm 'md6'"):
        frame.select(pl.col("n").cast(pl.String).hashlanes.digest("md6"))


def test_series_and_frames_without_the_namespace():
    series = pl.Series("x", VALUES)
    digests = hashlanes.digest_array(series, "sha256")
    assert digests.to_polars("d").to_list() == expected(VALUES, "sha256", False)
    assert digests.to_polars("d").name == "d"
    chunked = pl.concat([series, series], rechunk=False)
    digests = hashlanes.digest_array(chunked, "sha256", hex=True)
    assert len(digests.chunks) == 2
    assert pl.Series(digests).to_list() == expected(VALUES * 2, "sha256", True)
