"""Columns of pyarrow, NumPy and others, compared with hashlib."""

import collections.abc
import hashlib
import random
import subprocess
import sys
import threading
import time

import hashlanes
import pytest

pa = pytest.importorskip("pyarrow")

NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
TEXTS = ["abc", None, "", "häsh", "x" * 11, "x" * 12, "x" * 13, "x" * 64, None, "y" * 5000]

STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
BINARIES = [pa.binary(), pa.large_binary(), pa.binary_view()]


def expected(values, name, hex=False):
    def digest(value):
        value = value.encode() if isinstance(value, str) else value
        hashed = hashlib.new(name, value)
        return hashed.hexdigest() if hex else hashed.digest()

    return [None if value is None else digest(value) for value in values]


def check(column, name="sha256"):
    """Compares bytes and hexadecimal with hashlib, through pyarrow and as objects."""
    values = column.to_pylist()
    size = hashlib.new(name).digest_size
    for hex, kind in [(False, pa.binary(size)), (True, pa.string())]:
        digests = hashlanes.digest_array(column, name, hex=hex)
        right = expected(values, name, hex)
        assert len(digests) == len(right)
        assert digests.null_count == right.count(None)
        assert digests.to_pylist() == right
        assert list(digests) == right
        back = digests.to_pyarrow()
        back.validate(full=True)
        assert back.to_pylist() == right
        if pa.types.is_dictionary(column.type):
            kind = pa.dictionary(column.type.index_type, kind)
        assert back.type == kind
        if isinstance(column, pa.ChunkedArray):
            assert [len(c) for c in back.chunks] == [len(c) for c in column.chunks]
            assert [len(c) for c in digests.chunks] == [len(c) for c in column.chunks]


@pytest.mark.parametrize("name", NAMES)
def test_every_function(name):
    check(pa.array(TEXTS), name)


@pytest.mark.parametrize("kind", STRINGS + BINARIES, ids=str)
def test_every_type_and_its_slices(kind):
    values = TEXTS if kind in STRINGS else [t and t.encode() for t in TEXTS]
    column = pa.array(values, kind)
    check(column)
    for start in range(len(values)):
        for stop in range(start, len(values) + 1):
            check(column[start:stop], "md5")


def test_fixed_size_binary():
    column = pa.array([b"abc", None, b"\0\0\0", b"xyz"], pa.binary(3))
    check(column)
    check(column[1:3])


@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int64()], ids=str)
@pytest.mark.parametrize("kind", STRINGS + BINARIES, ids=str)
def test_dictionaries(index, kind):
    values = ["a", "b", None, "never"] if kind in STRINGS else [b"a", b"b", None, b"never"]
    keys = pa.array([1, 0, None, 1, 2], index)
    column = pa.DictionaryArray.from_arrays(keys, pa.array(values, kind))
    digests = hashlanes.digest_array(column, "md5").to_pyarrow()
    assert digests.to_pylist() == expected(column.to_pylist(), "md5")
    assert digests.indices == keys
    # Values that no key refers to are not hashed.
    assert digests.dictionary.to_pylist() == expected(values[:2], "md5") + [None, None]
    digests = hashlanes.digest_array(column[1:3], "md5").to_pyarrow()
    assert digests.to_pylist() == expected(column[1:3].to_pylist(), "md5")


def test_chunks():
    column = pa.chunked_array([["a", None], [], ["b"], ["c" * 100, ""]])
    check(column)
    check(column[1:4])
    check(pa.chunked_array([], pa.string()))
    check(pa.chunked_array([pa.array(["a", "b"]).dictionary_encode()]))


@pytest.mark.parametrize("column", [pa.array([], pa.string()), pa.array([None] * 9, pa.binary())])
def test_empty_columns_and_only_nulls(column):
    check(column)


def test_untyped_nulls():
    digests = hashlanes.digest_array(pa.nulls(3), "md5")
    assert digests.to_pylist() == [None] * 3
    assert digests.to_pyarrow().type == pa.binary(16)


def test_random_columns():
    dice = random.Random(1)
    for rows in [1, 7, 100, 10_000]:
        lengths = [dice.choice([0, 3, 20, 55, 56, 64, 200]) for _ in range(rows)]
        values = [None if dice.random() < 0.1 else dice.randbytes(n) for n in lengths]
        check(pa.array(values, pa.binary()), dice.choice(NAMES))
        check(pa.array(values, pa.binary_view()), dice.choice(NAMES))


def test_digests_are_the_same_with_threads():
    values = [None if i % 7 == 0 else str(i) * (i % 20) for i in range(50_000)]
    column = pa.array(values)
    right = expected(values, "md5", hex=True)
    for threads in [1, 2, 3, 64, None]:
        digests = hashlanes.digest_array(column, "md5", hex=True, threads=threads)
        assert digests.to_pylist() == right


def test_tables_of_one_column():
    table = pa.table({"x": pa.chunked_array([["a"], ["b", None]])})
    right = expected(["a", "b", None], "md5")
    assert hashlanes.digest_array(table, "md5").to_pylist() == right
    assert hashlanes.digest_array(table.to_batches()[0], "md5").to_pylist() == right[:1]
    assert hashlanes.digest_array(table.to_reader(), "md5").to_pylist() == right


def test_indexing():
    for column in [pa.array(["a", None, "b"]), pa.chunked_array([["a", None], ["b"]])]:
        digests = hashlanes.digest_array(column, "md5", hex=True)
        right = expected(["a", None, "b"], "md5", hex=True)
        assert [digests[i] for i in range(-3, 3)] == right + right
        for index in [3, -4, sys.maxsize, -sys.maxsize - 1]:
            with pytest.raises(IndexError):
                digests[index]


def test_repr_and_type():
    column = pa.chunked_array([["a", None], ["b"]])
    digests = hashlanes.digest_array(column, "sha1")
    text = "<hashlanes.ChunkedArray of 3 digests in 2 chunks, fixed_size_binary[20]>"
    assert repr(digests) == text
    assert repr(digests.chunks[0]) == "<hashlanes.Array of 2 digests, fixed_size_binary[20]>"
    keyed = hashlanes.digest_array(pa.array(["a"]).dictionary_encode(), "md5", hex=True)
    assert keyed.type == "dictionary<values=string, indices=int32>"


def test_digests_outlive_the_hashed_column():
    digests = hashlanes.digest_array(pa.array(["a"] * 1000), "md5").to_pyarrow()
    table = pa.table({"digest": digests})
    assert table["digest"].unique().to_pylist() == expected(["a"], "md5")


def test_other_threads_run_during_a_call():
    column = pa.array(["x" * 1000] * 100_000)
    begun, ended, ticks = threading.Event(), threading.Event(), []

    def tick():
        begun.set()
        while not ended.is_set():
            ticks.append(len(ticks))
            time.sleep(0.0001)  # lets other threads take the interpreter

    thread = threading.Thread(target=tick)
    thread.start()
    begun.wait()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # a thread keeps the interpreter until it releases it
    try:
        before = len(ticks)
        hashlanes.digest_array(column, "sha512")
        meanwhile = len(ticks) - before
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        thread.join()
    assert meanwhile > 0


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([1]), "type Int64"),
        (pa.array([True]), "type Boolean"),
        (pa.array([["a"]]), "type List"),
        (pa.chunked_array([[1.5]]), "type Float64"),
        (pa.table({"a": [1], "b": [2]}), r"table of 2 \(a, b\)"),
        (pa.table({"a": [1]}), "type Int64"),
        (pa.array([1]).dictionary_encode(), "type Int64"),
        (["abc"], "not list; digest_many takes a list"),
        (b"abc", "not bytes"),
        (None, "not NoneType"),
        (pa.Array, "not type"),
    ],
)
def test_unsupported_types_are_named_in_errors(column, words):
    with pytest.raises(TypeError, match=words):
        hashlanes.digest_array(column, "md5")


def test_wrong_arguments():
    column = pa.array(["a"])
    with pytest.raises(ValueError, match="unknown algorithm 'md6'"):
        hashlanes.digest_array(column, "md6")
    with pytest.raises(ValueError, match="threads must be at least 1"):
        hashlanes.digest_array(column, "md5", threads=0)
    with pytest.raises(ValueError, match="threads must be at least 1, not -1"):
        hashlanes.digest_array(column, "md5", threads=-1)
    with pytest.raises(TypeError):
        hashlanes.digest_array(column)


class TestNumPy:
    np = pytest.importorskip("numpy")

    def test_strings_of_bytes(self):
        np = self.np
        values = [b"abc", b"", b"a\0", b"\0b", b"x" * 60]
        array = np.array(values)
        assert hashlanes.digest_array(array, "md5").to_pylist() == expected(array.tolist(), "md5")
        digests = hashlanes.digest_array(array[1:3], "md5", hex=True)
        assert digests.to_pylist() == expected(array[1:3].tolist(), "md5", hex=True)

    def test_void_keeps_zeros(self):
        array = self.np.array([b"a\0", b"\0\0"], dtype="V2")
        digests = hashlanes.digest_array(array, "md5").to_pylist()
        assert digests == expected([b"a\0", b"\0\0"], "md5")

    @pytest.mark.parametrize(
        "shape", [(0, 4), (1, 0), (1, 1), (1000, 17), (70_000, 33), (2, 3 << 20)]
    )
    def test_rows_of_bytes(self, shape):
        array = self.np.random.default_rng(1).integers(0, 256, shape, dtype="uint8")
        right = expected([row.tobytes() for row in array], "sha1")
        digests = hashlanes.digest_array(array, "sha1")
        assert digests.to_pylist() == right
        if shape[0]:
            assert (digests.to_numpy() == [list(digest) for digest in right]).all()

    def test_digests_as_an_array(self):
        array = hashlanes.digest_array(pa.array(["a", "b"]), "md5").to_numpy()
        assert (array.shape, array.dtype) == ((2, 16), "uint8")
        assert [bytes(row) for row in array] == expected(["a", "b"], "md5")
        with pytest.raises(ValueError, match="does not support nulls"):
            hashlanes.digest_array(pa.array(["a", None]), "md5").to_numpy()
        with pytest.raises(TypeError, match="not string"):
            hashlanes.digest_array(pa.array(["a"]), "md5", hex=True).to_numpy()

    def test_chunked_digests_as_an_array(self):
        for chunks in [[], [["a", "b"], [], ["c"]], [["a"] * 5000, ["b"]]]:
            column = pa.chunked_array(chunks, pa.string())
            array = hashlanes.digest_array(column, "md5").to_numpy()
            assert (array.shape, array.dtype) == ((len(column), 16), "uint8")
            assert [bytes(row) for row in array] == expected(column.to_pylist(), "md5")
        with pytest.raises(ValueError, match="does not support nulls"):
            hashlanes.digest_array(pa.chunked_array([["a"], [None]]), "md5").to_numpy()
        with pytest.raises(TypeError, match="not string"):
            hashlanes.digest_array(pa.chunked_array([["a"]]), "md5", hex=True).to_numpy()

    def test_unsupported_arrays_are_named_in_errors(self):
        np = self.np
        for array, words in [
            (np.arange(3), "int64 with 1"),
            (np.array(["text"]), "<U4 with 1"),
            (np.zeros((2, 2, 2), "uint8"), "uint8 with 3"),
            (np.zeros(3, "uint8"), "uint8 with 1"),
            (np.array(["a", 1], dtype=object), "object with 1"),
        ]:
            with pytest.raises(TypeError, match=words):
                hashlanes.digest_array(array, "md5")
        with pytest.raises(TypeError, match="masked NumPy arrays"):
            hashlanes.digest_array(np.ma.array([b"a", b"b"], mask=[True, False]), "md5")
        with pytest.raises(ValueError, match="numpy.ascontiguousarray"):
            hashlanes.digest_array(np.zeros((4, 4), "uint8")[:, ::2], "md5")

    def test_an_array_written_by_another_thread(self):
        array = self.np.zeros((20_000, 64), "uint8")
        ended = threading.Event()

        def write():
            while not ended.is_set():
                array[:] += 1

        thread = threading.Thread(target=write)
        thread.start()
        try:
            for _ in range(20):
                assert len(hashlanes.digest_array(array, "md5")) == len(array)
        finally:
            ended.set()
            thread.join()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for its memory")
def test_works_when_no_threads_can_be_started(tmp_path):
    pytest.importorskip("pyarrow")
    program = """
import resource, pyarrow, hashlanes
column = pyarrow.array([str(i) for i in range(40_000)])
right = hashlanes.digest_array(column, "md5").to_pylist()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
_, most = resource.getrlimit(resource.RLIMIT_AS)
# Room for the digests, and not for the stack of a thread.
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), most))
digests = hashlanes.digest_array(column, "md5", threads=8)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
assert digests.to_pylist() == right
"""
    # Elsewhere, so that the package is not imported from this folder.
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=tmp_path)


@pytest.mark.parametrize("column", [
    pa.array(["a", None, "b"]),
    pa.chunked_array([["a", None], [], ["b"]]),
    pa.array([], pa.string()),
])
def test_digests_are_sequences_and_arrays_of_objects(column):
    np = pytest.importorskip("numpy")
    for hex in [False, True]:
        digests = hashlanes.digest_array(column, "md5", hex=hex)
        right = expected(column.to_pylist(), "md5", hex)
        assert isinstance(digests, collections.abc.Iterable) and list(digests) == right
        iterator = iter(digests)
        assert [next(iterator, None) for _ in range(4)] == [*right, None, None, None, None][:4]
        for array in [np.asarray(digests), np.array(digests), np.array(digests, dtype=object)]:
            assert array.shape == (len(right),) and array.dtype == object
            assert array.tolist() == right
        assert np.asarray(digests, dtype="S32" if not hex else "U32").shape == (len(right),)
        with pytest.raises(ValueError, match="copy=False"):
            digests.__array__(copy=False)


def test_digests_have_the_name_of_the_column():
    table = pa.table({"x": pa.chunked_array([["a"], ["b"]])})
    digests = hashlanes.digest_array(table, "md5")
    assert digests.name == digests.chunks[0].name == "x"
    assert hashlanes.digest_array(table.to_batches()[0], "md5").name == "x"
    assert hashlanes.digest_array(pa.array(["a"]), "md5").name == ""
    assert pa.field(digests).name == pa.field(digests.chunks[0]).name == "x"
    # Through the interface and back.
    assert hashlanes.digest_array(digests, "md5").name == "x"


def test_all_columns_by_sha256_are_the_default():
    table = pa.table({"x": ["a"], "n": [1]})
    right = hashlanes.digest_rows(table, ["x", "n"], "sha256").to_pylist()
    assert hashlanes.digest_rows(table).to_pylist() == right
    assert hashlanes.digest_rows(table, algorithm="SHA-256", columns=None).to_pylist() == right
    assert hashlanes.digest_array(table["x"], algorithm="md5").to_pylist() == expected("a", "md5")
