"""Columns of pandas, compared with hashlib."""

import hashlib

import hashlanes
import pytest

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
if not hasattr(pd.Series, "__arrow_c_stream__"):
    pytest.skip("this pandas has no PyCapsule interface", allow_module_level=True)


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


FRAME = pd.DataFrame({"x": ["abc", "d", None, "e"], "n": [1, 2, 3, 4]})
# With indexes that are not those of a new frame.
FRAMES = {
    "as it is": FRAME,
    "filtered": FRAME[FRAME.n != 2],
    "sorted": FRAME.sort_values("n", ascending=False),
    "by text": FRAME.set_index(pd.Index(list("wxyz"))),
    "twice the same": FRAME.set_index(pd.Index([7, 7, 8, 8])),
    "by two": FRAME.set_index(pd.MultiIndex.from_product([[1, 2], ["a", "b"]])),
    "by time": FRAME.set_index(pd.date_range("2026-11-27", periods=4)),
    "empty": FRAME[FRAME.n > 9],
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def right(frame):
    return [text if pd.isna(text) else md5(text) for text in frame.x]


def same(found, expected):
    return all(a == b or pd.isna(a) and pd.isna(b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "object", "category"])
@each_frame
def test_the_digests_of_a_series_have_its_index_and_name(frame, dtype):
    series = frame.x.astype(dtype)
    digests = hashlanes.digest_array(series, "md5", hex=True)
    assert isinstance(digests, pd.Series)
    assert digests.index.equals(series.index) and digests.name == "x"
    assert same(digests, right(frame))
    raw = hashlanes.digest_array(series, "md5")
    assert same(raw, [text if pd.isna(text) else bytes.fromhex(text) for text in right(frame)])


@each_frame
def test_digests_become_a_column(frame):
    frame = frame.copy()
    frame["digest"] = hashlanes.digest_array(frame.x, "md5", hex=True)
    assert same(frame.digest, right(frame))
    frame["raw"] = hashlanes.digest_array(frame["x"], "md5")
    assert same(frame.raw.map(lambda raw: raw.hex(), na_action="ignore"), right(frame))


@each_frame
def test_the_digests_of_rows_have_the_index_which_is_not_hashed(frame):
    digests = hashlanes.digest_rows(frame, algorithm="md5")
    assert digests.index.equals(frame.index) and digests.name is None
    table = pa.table({"x": pa.array(frame.x, pa.string()), "n": frame.n.tolist()})
    assert list(digests) == hashlanes.digest_rows(table, None, "md5").to_pylist()
    chosen = hashlanes.digest_rows(frame, ["n"], "md5", hex=True)
    frame = frame.assign(digest=chosen)
    assert frame.digest.tolist() == hashlanes.digest_rows(table, ["n"], "md5", hex=True).to_pylist()
    if len(frame) == 4:
        first = b"\x06\x03" + bytes(7) + b"abc\x03\x01" + bytes(7)
        assert digests[frame.n.tolist().index(1):].iloc[0] == hashlib.md5(first).digest()


def test_columns_with_the_names_of_an_index():
    frame = FRAME.rename_axis("x").reset_index(drop=True).rename_axis("n")
    plain = hashlanes.digest_rows(FRAME, algorithm="sha1")
    assert hashlanes.digest_rows(frame, algorithm="sha1").tolist() == plain.tolist()


@pytest.mark.parametrize("column", [pa.array(["abc", None]), pa.chunked_array([["abc"], [None]])])
def test_digests_of_arrow_become_a_column(column):
    digests = hashlanes.digest_array(column, "md5", hex=True)
    frame = pd.DataFrame({"n": [1, 2]}, index=[5, 3])
    frame["digest"] = digests
    assert frame.digest.iloc[0] == md5("abc") and pd.isna(frame.digest.iloc[1])
    frame["raw"] = hashlanes.digest_array(column, "md5")
    assert frame.raw.iloc[0] == bytes.fromhex(md5("abc")) and pd.isna(frame.raw.iloc[1])
    assert pd.Series(digests).tolist()[0] == md5("abc")
    if hasattr(pd.Series, "from_arrow"):
        assert pd.Series.from_arrow(digests).tolist()[0] == md5("abc")


def test_errors_name_the_column():
    with pytest.raises(TypeError, match="type Int64"):
        hashlanes.digest_array(FRAME.n, "md5")
    with pytest.raises(KeyError, match='no column "y"'):
        hashlanes.digest_rows(FRAME, ["y"], "md5")
