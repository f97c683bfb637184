"""Polars expressions, Series and frames, compared with hashlib."""

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
def test_functions_missing_from_some_hashlibs(name):
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


def test_nulls_and_empty_columns():
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


def queries():
    """Queries that use the digests, over 2,000 groups."""
    count = 20_000
    frame = pl.LazyFrame({"g": [i % 2000 for i in range(count)], "x": map(str, range(count))})
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
def test_planning_needs_no_digests_and_groups_share_calls(engine, monkeypatch):
    calls = []

    def counted(series, name, **options):
        calls.append(len(series))
        return hashlanes.digest_array(series, name, **options)

    monkeypatch.setattr(hashlanes.polars, "_digest_array", counted)
    for number, query in enumerate(queries()):
        schema = query.collect_schema()
        assert calls == [], "a schema needs no digests"
        collected = query.collect(engine=engine)
        assert collected.schema == schema, number
        # A few per core of the streaming engine, but never one per group.
        assert 1 <= len(calls) < 1000, (number, len(calls))
        calls.clear()


def test_filters_run_before_digests():
    frame = pl.LazyFrame({"g": [1, 2, 3], "x": ["a", "b", "c"]})
    filtered = frame.with_columns(h=pl.col("x").hashlanes.md5()).filter(pl.col("g") == 2)
    plan = filtered.explain()
    assert plan.index("WITH_COLUMNS") < plan.index("FILTER"), plan
    assert filtered.collect()["h"].to_list() == expected(["b"], "md5", False)
    # Unused expressions are not evaluated.
    unused = frame.with_columns(h=pl.col("x").hashlanes.md5()).select("g")
    assert "WITH_COLUMNS" not in unused.explain()


def test_a_repeated_expression_is_hashed_once():
    frame = pl.LazyFrame({"x": ["a", "b"]})
    digest = pl.col("x").hashlanes.md5(hex=True)
    plan = frame.select(a=digest, b=digest.str.head(4)).explain()
    assert plan.count("python_udf") == 1, plan


def test_unknown_functions_are_rejected_at_once():
    for wrong in [
        lambda: pl.col("x").hashlanes.digest("md6"),
        lambda: pl.col("x").hashlanes.digest_rows("md6"),
        lambda: pl.Series(["a"]).hashlanes.digest("md6"),
    ]:
        with pytest.raises(ValueError, match="unknown algorithm 'md6'"):
            wrong()


def test_rows():
    frame = pl.DataFrame({"x": ["a", None], "n": [1, 2], "l": [[1.5], None]})
    right = hashlanes.digest_rows(frame, None, "sha256", hex=True).to_pylist()
    rows = pl.struct("x", "n", "l").hashlanes.digest_rows("sha256", hex=True)
    for engine in ["in-memory", "streaming"]:
        assert frame.lazy().select(h=rows).collect(engine=engine)["h"].to_list() == right
    frames = [bytes([6, 1, *[0] * 7]) + b"a" + bytes([3, 1, *[0] * 7]) + bytes([16, 1, *[0] * 7])]
    frames[0] += b"\x05" + bytes.fromhex("000000000000f83f")
    assert right[0] == hashlib.sha256(frames[0]).hexdigest()


def test_unsupported_types_are_named_in_errors():
    frame = pl.DataFrame({"n": [1]})
    for wrong in [pl.col("n").hashlanes.md5(), pl.struct("n").hashlanes.md5()]:
        with pytest.raises(Exception, match="Int64"):
            frame.select(wrong)
    with pytest.raises(Exception, match="not a column of type Int64"):
        frame.select(pl.col("n").hashlanes.digest_rows("md5"))


def test_series_and_frames_without_the_namespace():
    series = pl.Series("x", VALUES)
    digests = hashlanes.digest_array(series, "sha256")
    assert digests.to_polars("d").to_list() == expected(VALUES, "sha256", False)
    assert digests.to_polars("d").name == "d"
    chunked = pl.concat([series, series], rechunk=False)
    digests = hashlanes.digest_array(chunked, "sha256", hex=True)
    assert len(digests.chunks) == 2
    assert pl.Series(digests).to_list() == expected(VALUES * 2, "sha256", True)
