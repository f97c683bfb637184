"""Malformed, consumed and lying capsules all give clear errors."""

import ctypes

import hashlanes
import pytest

pa = pytest.importorskip("pyarrow")


class Array:
    """Its __arrow_c_array__ returns the given object."""

    def __init__(self, capsules):
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


class Stream:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = ctypes.c_void_p
get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def digest(column):
    return hashlanes.digest_array(column, "md5", hex=True).to_pylist()


A = ["0cc175b9c0f1b6a831c399e269772661"]


def test_valid_capsules():
    assert digest(Array(pa.array(["a"]).__arrow_c_array__())) == A
    assert digest(Stream(pa.chunked_array([["a"]]).__arrow_c_stream__())) == A


@pytest.mark.parametrize("wrong", [None, 1, "ab", [], (), (1,), (1, 2), (None, None), object()])
def test_objects_that_are_not_capsules(wrong):
    with pytest.raises(TypeError, match="capsule"):
        digest(Array(wrong))
    with pytest.raises(TypeError, match="capsule"):
        digest(Stream(wrong))


def test_capsules_with_wrong_names():
    schema, array = pa.array(["a"]).__arrow_c_array__()
    for capsules in [(array, schema), (schema, schema), (array, array)]:
        with pytest.raises(TypeError, match="requires a capsule named 'arrow_"):
            digest(Array(capsules))
    with pytest.raises(TypeError, match="requires a capsule named 'arrow_array_stream'"):
        digest(Stream(array))
    name = b"something else"
    other = new_capsule(ctypes.addressof(ctypes.create_string_buffer(200)), name, None)
    with pytest.raises(TypeError, match="requires a capsule named 'arrow_schema'"):
        digest(Array((other, other)))
    # The failed calls did not consume the capsules.
    assert digest(Array((schema, array))) == A


def test_consumed_capsules():
    capsules = pa.array(["a"]).__arrow_c_array__()
    assert digest(Array(capsules)) == A
    with pytest.raises(ValueError, match="array has already been released or consumed"):
        digest(Array(capsules))
    capsule = pa.chunked_array([["a"]]).__arrow_c_stream__()
    assert digest(Stream(capsule)) == A
    with pytest.raises(ValueError, match="stream has already been released or consumed"):
        digest(Stream(capsule))


def test_exported_capsules_are_consumed_once():
    digests = hashlanes.digest_array(pa.array(["a"]), "md5", hex=True)
    capsules = digests.__arrow_c_array__()
    assert pa.array(Array(capsules)).to_pylist() == A
    with pytest.raises(ValueError, match="already been released or consumed"):
        digest(Array(capsules))
    # Never consumed: the memory is freed with the capsules.
    for _ in range(100):
        digests.__arrow_c_array__()
        digests.__arrow_c_schema__()
    stream = hashlanes.digest_array(pa.chunked_array([["a"], ["a"]]), "md5", hex=True)
    for _ in range(100):
        stream.__arrow_c_stream__()
    assert pa.chunked_array(Stream(stream.__arrow_c_stream__())).to_pylist() == A * 2


def test_digests_of_digests():
    twice = digest(hashlanes.digest_array(pa.array(["a"]), "md5", hex=True))
    assert twice == digest(pa.array(A))


def test_an_export_that_raises():
    class Fails:
        def __arrow_c_array__(self, requested_schema=None):
            raise OSError("no such column")

    with pytest.raises(OSError, match="no such column"):
        digest(Fails())


def test_a_failing_stream():
    def batches():
        yield pa.record_batch({"a": ["x"]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.string()}), batches())
    with pytest.raises(RuntimeError, match="the disk is gone"):
        digest(reader)


class CArray(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in ["length", "null_count", "offset", "n_buffers", "n_children"]
    ] + [
        (name, ctypes.c_void_p)
        for name in ["buffers", "children", "dictionary", "release", "private"]
    ]


@pytest.mark.parametrize(
    ("field", "number"),
    [("length", -1), ("length", 1 << 62), ("offset", -1), ("offset", 1 << 62), ("n_buffers", -1),
     ("n_buffers", 0), ("n_buffers", 1), ("n_children", -1)],
)
def test_impossible_lengths_and_counts(field, number, capfd):
    schema, array = pa.array(["a"]).__arrow_c_array__()
    parts = CArray.from_address(get_pointer(array, b"arrow_array"))
    setattr(parts, field, number)
    with pytest.raises(ValueError, match="malformed|C Data"):
        digest(Array((schema, array)))


def test_an_array_that_does_not_match_its_schema(capfd):
    """An array of numbers has two buffers, and an array of strings three."""
    schema, _ = pa.array(["a"]).__arrow_c_array__()
    _, array = pa.array([1]).__arrow_c_array__()
    with pytest.raises(ValueError, match="malformed"):
        digest(Array((schema, array)))
    schema, _ = pa.array([{"a": "b"}]).__arrow_c_array__()
    _, array = pa.array(["a"]).__arrow_c_array__()
    with pytest.raises(ValueError, match="malformed"):
        digest(Array((schema, array)))


def test_an_unknown_type():
    schema, array = pa.array(["a"]).__arrow_c_array__()
    address = get_pointer(schema, b"arrow_schema")
    name = ctypes.create_string_buffer(b"no such type")
    ctypes.c_void_p.from_address(address).value = ctypes.addressof(name)
    with pytest.raises(ValueError, match="no such type"):
        digest(Array((schema, array)))
