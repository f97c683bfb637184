"""Series of polars, compared with hashlib."""

import hashlib

import hashlanes
import pytest

pl = pytest.importorskip("polars")

VALUES = ["abc", None, "", "häsh", "x" * 100]


def expected(values, name, hex):
    digests = (None if v is None else hashlib.new(name, v.encode()) for v in values)
    return [d and (d.hexdigest() if hex else d.digest()) for d in digests]


def test_series():
    series = pl.Series("x", VALUES)
    digests = hashlanes.digest_array(series, "sha256")
    assert digests.to_polars("d").to_list() == expected(VALUES, "sha256", False)
    assert digests.to_polars("d").name == "d"
    assert digests.to_polars().name == pl.Series(digests).name == digests.name == "x"
    frame = pl.DataFrame({"x": ["a"], "y": ["b"]})
    assert pl.Series(hashlanes.digest_array(frame.select("y"), "md5")).name == "y"
    frame = frame.with_columns(hashlanes.digest_array(frame["y"], "md5", hex=True).to_polars("h"))
    assert frame["h"].to_list() == expected(["b"], "md5", True)
    chunked = pl.concat([series, series], rechunk=False)
    digests = hashlanes.digest_array(chunked, "sha256", hex=True)
    assert len(digests.chunks) == 2
    assert pl.Series(digests).to_list() == expected(VALUES * 2, "sha256", True)


def test_addresses_of_objects_are_not_hashed():
    objects = pl.Series("o", [object(), None], dtype=pl.Object)
    frame = pl.DataFrame([pl.Series("s", ["a", "b"]), objects])
    expected = "type Object has no bytes .* expected a type such as String or Binary"
    for call in (
        lambda: hashlanes.digest_array(objects, "md5"),
        lambda: hashlanes.digest_array(frame.select("o"), "md5"),
        lambda: hashlanes.digest_rows(frame),
        lambda: hashlanes.digest_rows(frame, ["s", "o"]),
    ):
        with pytest.raises(TypeError, match=expected):
            call()
    assert hashlanes.digest_rows(frame, ["s"]) is not None
    # Of other packages, bytes of this type are what they seem to be.
    pa = pytest.importorskip("pyarrow")
    assert hashlanes.digest_array(pa.array([b"12345678"], pa.binary(8)), "md5").null_count == 0
