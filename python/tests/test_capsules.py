"""Malformed, consumed and lying capsules all give clear errors."""

import ctypes
import os
import pathlib
import subprocess
import sys

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


class CSchema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private", ctypes.c_void_p),
    ]


class CStream(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p)
                for name in ["get_schema", "get_next", "get_last_error", "release", "private"]]


# Slices of longer arrays, so that small lies stay within their memory.
LONGER = [
    pa.array(["abc" * (i % 9) for i in range(2000)]),
    pa.array([b"abc" * (i % 9) for i in range(2000)], pa.large_binary()),
    pa.array(["more than 12 bytes of text" * (i % 3) for i in range(2000)], pa.string_view()),
    pa.array([bytes(16)] * 2000, pa.binary(16)),
    pa.array(["a", None] * 1000).dictionary_encode(),
    pa.array(range(2000)),
    pa.array([True, None] * 1000),
    pa.array([["a", "b"], [], None, ["c"]] * 500),
    pa.array([[1, 2]] * 2000, pa.list_(pa.int16(), 2)),
    pa.array([{"a": "x", "b": 1}, None] * 1000),
    pa.array([[("k", 1)], []] * 1000, pa.map_(pa.string(), pa.int64())),
    pa.nulls(2000),
]
NUMBERS = [-(1 << 63), -2, -1, 0, 1, 2, 3, 4, 6, 1 << 31, 1 << 48, (1 << 48) + 1, (1 << 63) - 1]
# What would read far outside of memory if it were taken for the truth.
LIES = {"length": NUMBERS[9:11], "offset": NUMBERS[9:11], "n_buffers": NUMBERS[4:11],
        "n_children": NUMBERS[4:11]}
FORMATS = [None, b"", b"n", b"u", b"z", b"vu", b"vz", b"w:0", b"w:-1", b"w:16",
           b"w:99999999999", b"w:", b"d:1,2", b"+s", b"+l", b"+L", b"+vl", b"+w:2",
           b"+w:-1", b"+m", b"+r", b"+ud:0", b"+us:0,1", b"+ud:", b"+", b"l", b"b", b"tsu:", b"tdD",
           b"\xff\xfe", b"q" * 1000]


def mutations():
    """Each malformed structure: an array's number, what is changed, and how."""
    for number, array in enumerate(LONGER):
        for field in ["length", "null_count", "offset", "n_buffers", "n_children"]:
            for value in NUMBERS:
                if value not in LIES.get(field, []):
                    yield number, "array", field, value
        for field in ["buffers", "children", "dictionary", "release"]:
            yield number, "array", field, None
        for buffer in range(len(array.buffers())):
            for shift in [None, 1, 4]:
                yield number, "buffer", buffer, shift
        for value in [-1, -(1 << 31)]:
            yield number, "offsets", 0, value
        for field in ["children", "dictionary", "release", "name"]:
            yield number, "schema", field, None
        yield number, "schema", "name", b"\xff"
        for value in NUMBERS[:4] + NUMBERS[-2:]:
            yield number, "schema", "n_children", value
        for value in FORMATS:
            yield number, "schema", "format", value
        for child in range(2):
            yield number, "child", child, None
            for value in NUMBERS[:9] + NUMBERS[-2:]:
                yield number, "child", child, value


def forgetting(structure):
    """A release that frees nothing: pyarrow's own follows what was changed here."""
    def release(address):
        structure.from_address(address).release = None

    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(release)


FORGET_ARRAY, FORGET_SCHEMA = forgetting(CArray), forgetting(CSchema)


def mutated(number, what, field, value):
    """The capsules of a malformed array, and what keeps its memory."""
    schema, array = LONGER[number][500:505].__arrow_c_array__()
    kept = []
    parts = CArray.from_address(get_pointer(array, b"arrow_array"))
    shape = CSchema.from_address(get_pointer(schema, b"arrow_schema"))
    parts.release = ctypes.cast(FORGET_ARRAY, ctypes.c_void_p)
    shape.release = ctypes.cast(FORGET_SCHEMA, ctypes.c_void_p)
    if what == "array":
        setattr(parts, field, value)
    elif what == "schema":
        setattr(shape, field, value)
        kept.append(value)
    elif what == "child" and field < parts.n_children:
        children = (ctypes.c_void_p * parts.n_children).from_address(parts.children)
        if value is None:
            children[field] = None
        else:
            CArray.from_address(children[field]).length = value
    elif what in ("buffer", "offsets") and field + (what == "offsets") < parts.n_buffers:
        buffers = (ctypes.c_void_p * parts.n_buffers).from_address(parts.buffers)
        if what == "buffer":
            buffers[field] = value and buffers[field] and buffers[field] + value
        elif buffers[1]:
            # The last offset, in a copy of them that is as long as any.
            copy = ctypes.create_string_buffer(ctypes.string_at(buffers[1], 2024), 4096 * 8)
            (ctypes.c_int32 * 8192).from_buffer(copy)[505] = value
            kept.append(copy)
            buffers[1] = ctypes.addressof(copy)
    return schema, array, kept


def try_mutation(mutation):
    """Reports what came of a malformed array, in this process."""
    for call in [lambda a: hashlanes.digest_array(a, "md5", hex=True),
                 lambda a: hashlanes.digest_rows(a, None, "md5")]:
        schema, array, kept = mutated(*mutation)
        try:
            call(Array((schema, array))).to_pylist()
        except (TypeError, ValueError, MemoryError):
            pass
        del kept


def test_malformed_arrays_are_errors_and_never_crashes(tmp_path):
    """In other processes, each of which goes on from the one that a crash would end."""
    every, at = list(mutations()), 0
    assert len(every) > 1500
    crashed, panicked = [], []
    while at < len(every):
        done = tmp_path / "done"
        done.write_text(str(at))
        program = (f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                   f"import test_capsules; test_capsules.try_from({at}, {str(done)!r})")
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=300,
                                cwd=tmp_path)
        at = int(done.read_text())
        if result.returncode == 0:
            panicked += [line for line in result.stderr.splitlines() if b"panicked" in line]
            break
        crashed.append((every[at], result.stderr.decode()[-500:]))
        at += 1
    assert crashed == []
    assert panicked == []


def try_from(first, done):
    """Tries malformed arrays from a number on, which is kept in a file. Ends this process."""
    with open(done, "r+b", buffering=0) as file:
        for number, mutation in enumerate(mutations()):
            if number >= first:
                os.pwrite(file.fileno(), b"%d" % number, 0)
                try_mutation(mutation)
        os.pwrite(file.fileno(), b"%d" % (number + 1), 0)
    os._exit(0)


@pytest.mark.parametrize("field", ["get_schema", "get_next", "release"])
def test_streams_without_a_callback(field):
    capsule = pa.chunked_array([["a"]]).__arrow_c_stream__()
    setattr(CStream.from_address(get_pointer(capsule, b"arrow_array_stream")), field, None)
    with pytest.raises(ValueError, match="malformed|released or consumed"):
        digest(Stream(capsule))


def test_errors_say_what_is_malformed():
    for mutation, reason in [
        ((0, "array", "length", -1), "its length is -1"),
        ((0, "array", "null_count", 6), "6 of its 5 values are null"),
        ((0, "array", "n_buffers", 2), "Utf8 has 3 buffers, not 2"),
        ((0, "array", "buffers", None), "the pointer to its buffers is null"),
        ((0, "buffer", 1, None), "buffer 1 is null"),
        ((0, "buffer", 1, 1), "buffer 1 is not aligned"),
        ((0, "offsets", 0, -1), "its last offset is -1"),
        ((4, "array", "dictionary", None), "it has no dictionary"),
        ((9, "array", "children", None), "the pointer to its children is null"),
        ((9, "child", 1, None), "child 1 is null"),
        ((0, "schema", "format", None), "its format is null"),
        ((0, "schema", "name", b"\xff"), "is not UTF-8"),
    ]:
        schema, array, _kept = mutated(*mutation)
        with pytest.raises(ValueError, match="Arrow array is malformed: .*" + reason):
            hashlanes.digest_rows(Array((schema, array)), None, "md5")


def test_types_within_types_without_end():
    shape = CSchema(format=b"+l", n_children=1)
    shape.release = ctypes.cast(FORGET_SCHEMA, ctypes.c_void_p)
    itself = ctypes.pointer(shape)
    shape.children = ctypes.cast(ctypes.pointer(itself), ctypes.c_void_p)
    schema = new_capsule(ctypes.addressof(shape), b"arrow_schema", None)
    _, array = pa.array([["a"]]).__arrow_c_array__()
    with pytest.raises(ValueError, match="more than 64 levels"):
        digest(Array((schema, array)))
