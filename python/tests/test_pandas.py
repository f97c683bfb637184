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


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "object", "category"])
def test_series(dtype):
    series = pd.Series(["abc", None, ""], dtype=dtype)
    digests = hashlanes.digest_array(series, "md5", hex=True)
    assert digests.to_pylist() == [md5("abc"), None, md5("")]


def test_frames():
    frame = pd.DataFrame({"x": ["abc", "d"], "n": [1, 2]})
    frame["digest"] = hashlanes.digest_array(frame["x"], "md5", hex=True).to_pylist()
    assert frame["digest"].tolist() == [md5("abc"), md5("d")]
    rows = hashlanes.digest_rows(frame, ["x", "n"], "md5").to_pylist()
    right = b"\x06\x03" + bytes(7) + b"abc\x03\x01" + bytes(7)
    assert rows[0] == hashlib.md5(right).digest()


@pytest.mark.skipif(not hasattr(pd.Series, "from_arrow"), reason="since pandas 3")
def test_digests_become_series():
    series = pd.Series(["abc", "d"])
    digests = pd.Series.from_arrow(hashlanes.digest_array(series, "md5", hex=True))
    assert digests.tolist() == [md5("abc"), md5("d")]
