"""One message: compares with hashlib's interface and digests."""

import array
import copy
import hashlib
import hmac
import io
import mmap
import pathlib
import pickle
import sys
import threading
import weakref

import pytest
from common import ALGORITHMS, LENGTHS, pattern, right, vectors

import hashlanes

each_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


def error_of(function):
    """The class and the message of the exception that a call raises."""
    with pytest.raises(Exception) as caught:
        function()
    return caught.type, str(caught.value)


def test_the_shared_vectors():
    checked = 0
    for name, length, digest in vectors():
        if name.replace("-", "_") not in ALGORITHMS:
            continue
        message = pattern(length)
        assert hashlanes.new(name, message).hexdigest() == digest
        checked += 1
    assert checked > 250


@each_algorithm
def test_attributes(name):
    ours, theirs = getattr(hashlanes, name)(), hashlib.new(name)
    size, block = ALGORITHMS[name]
    assert (ours.name, ours.digest_size, ours.block_size) == (name, size, block)
    assert (ours.name, ours.digest_size, ours.block_size) == (
        theirs.name, theirs.digest_size, theirs.block_size)
    assert ours.update(b"") is None
    assert repr(ours).startswith(f"<{name} hashlanes.Hash object at 0x")
    for attribute in ["name", "digest_size", "block_size"]:
        with pytest.raises(AttributeError):
            setattr(ours, attribute, 1)
    with pytest.raises(AttributeError):
        ours.other = 1


@each_algorithm
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_at_once_and_in_pieces(name, kind):
    for length in LENGTHS:
        message = pattern(length)
        assert getattr(hashlanes, name)(kind(message)).digest() == right(name, message), length
        for size in [1, 7, 64, 100, 2048, 20_000]:
            if length // size > 3000:
                continue
            ours = hashlanes.new(name)
            for begin in range(0, length, size):
                ours.update(kind(message[begin:begin + size]))
            assert ours.hexdigest() == right(name, message).hex(), (length, size)


@each_algorithm
def test_digest_does_not_change_the_message(name):
    ours = hashlanes.new(name, b"abc")
    first = ours.digest()
    assert isinstance(first, bytes) and first == ours.digest() == bytes.fromhex(ours.hexdigest())
    copy = ours.copy()
    copy.update(b"d")
    assert ours.digest() == first
    ours.update(b"de")
    assert copy.digest() == right(name, b"abcd")
    assert ours.digest() == right(name, b"abcde")
    assert type(copy) is type(ours) and copy.name == name


def test_any_buffer():
    message = pattern(40_000)
    shared = mmap.mmap(-1, len(message))
    shared.write(message)
    buffers = [message, bytearray(message), memoryview(message)[:], array.array("B", message),
               array.array("I", message), shared, memoryview(bytearray(message)).toreadonly()]
    for buffer in buffers:
        assert hashlanes.sha256(buffer).digest() == right("sha256", message)
        assert hashlanes.sha256(memoryview(buffer)[5:100].tobytes()).digest()
    for begin in range(9):
        view = memoryview(bytearray(message))[begin:begin + 3000]
        assert hashlanes.md5(view).digest() == right("md5", message[begin:begin + 3000])

    class Bytes(bytes):
        pass

    assert hashlanes.sha1(Bytes(b"abc")).digest() == right("sha1", b"abc")


def test_copies_of_buffers_of_every_length():
    memory = bytearray(pattern(1100))
    for begin in range(3):
        for length in [*range(130), *range(500, 530), 1024, 1097]:
            view = memoryview(memory)[begin:begin + length]
            ours = hashlanes.sha256(view)
            ours.update(view)
            assert ours.digest() == right("sha256", bytes(view) * 2), (begin, length)


def test_one_message_shared_by_threads():
    piece, times = b"x" * 10_000, 300
    for kind in [bytes, bytearray]:
        ours = hashlanes.sha256()

        def work(ours=ours, large=kind(piece)):
            for _ in range(times):
                ours.update(large)
                for length in [1, 60, 100, 2047]:
                    ours.update(large[:length])
                assert len(ours.copy().digest()) == 32

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        length = len(threads) * times * (len(piece) + 1 + 60 + 100 + 2047)
        assert ours.digest() == right("sha256", b"x" * length)


def test_numpy_arrays():
    numpy = pytest.importorskip("numpy")
    for values in [numpy.arange(1000), numpy.zeros(0), numpy.arange(12).reshape(3, 4),
                   numpy.float32(1.5), numpy.array(3)]:
        expected = hashlib.sha256(values).digest() if values.ndim < 2 else None
        if expected is not None:
            assert hashlanes.sha256(values).digest() == expected
    strided = numpy.arange(100)[::2]
    columns = numpy.asfortranarray(numpy.arange(12).reshape(3, 4))
    square = numpy.arange(12).reshape(3, 4)
    for values in [strided, columns, square]:
        try:
            expected = hashlib.sha256(values).digest()
        except Exception:
            assert error_of(lambda: hashlanes.sha256(values)) == error_of(
                lambda: hashlib.sha256(values))
        else:
            assert hashlanes.sha256(values).digest() == expected


WRONG = [None, 1, 1.5, "text", "", [], [b"a"], object(), {}, memoryview(b"abcdef")[::2],
         memoryview(b"abcdef")[::-1], memoryview(b"abcdef").cast("B", (2, 3))]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_objects_that_are_not_messages(wrong):
    for call in [
        lambda module: module.new("sha256", wrong),
        lambda module: module.sha256(wrong),
        lambda module: module.sha256().update(wrong),
    ]:
        try:
            expected = call(hashlib)
        except Exception:
            assert error_of(lambda: call(hashlanes)) == error_of(lambda: call(hashlib))
        else:
            assert type(expected) is type(hashlib.sha256()) or expected is None
            call(hashlanes)


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_objects_that_are_not_pieces_of_tasks(wrong):
    with hashlanes.HashServer("sha256") as server:
        hasher = server.async_hasher()
        try:
            hashlib.sha256().update(wrong)
        except Exception:
            assert error_of(lambda: hasher.update(wrong)) == error_of(
                lambda: hashlib.sha256().update(wrong))
        else:
            hasher.update(wrong).close()


def test_arguments():
    assert hashlanes.sha256(usedforsecurity=False).digest() == right("sha256", b"")
    assert hashlanes.new("md5", b"a", usedforsecurity=False).digest() == right("md5", b"a")
    assert hashlanes.new("md5", data=b"a").digest() == right("md5", b"a")
    assert hashlanes.new(name="md5", data=b"a").digest() == right("md5", b"a")
    assert hashlanes.sha1(string=b"a").digest() == hashlanes.sha1(data=b"a").digest()
    for wrong in [
        lambda module: module.sha256(b"", b""),
        lambda module: module.sha256(b"", True),
        lambda module: module.sha256(other=1),
        lambda module: module.sha256().update(),
        lambda module: module.sha256().update(b"", b""),
        lambda module: module.sha256().update(data=b""),
        lambda module: module.sha256().digest(1),
        lambda module: module.new(),
        lambda module: module.new(1),
        lambda module: module.new(None, b""),
    ]:
        assert error_of(lambda: wrong(hashlanes))[0] is error_of(lambda: wrong(hashlib))[0]
    with pytest.raises(TypeError, match="'data' and 'string' are mutually exclusive"):
        hashlanes.md5(b"", string=b"")


def test_unknown_names_are_passed_to_hashlib():
    for name in ["", "nothing", "sha-3", "sha 256", "SHA-256 ", "sh\xe4", "sha256\0"]:
        try:
            expected = hashlib.new(name, b"abc").digest()
        except Exception:
            assert error_of(lambda: hashlanes.new(name)) == error_of(lambda: hashlib.new(name))
        else:
            assert hashlanes.new(name, b"abc").digest() == expected


def test_names_mean_the_same_as_in_hashlib():
    names = {name for name in hashlib.algorithms_available}
    names |= {name.upper() for name in names} | {name.replace("_", "-") for name in names}
    names |= {"SHA2-256", "sha2-224", "SHA-1", "SHA2-512/256", "sha512-256"}
    for name in names:
        try:
            theirs = hashlib.new(name, b"abc")
        except ValueError:
            continue
        ours = hashlanes.new(name, b"abc")
        if ours.digest_size:
            assert ours.digest() == theirs.digest(), name
        assert ours.name == theirs.name, name


def test_the_module_replaces_hashlib():
    assert hashlanes.algorithms_guaranteed >= hashlib.algorithms_guaranteed
    assert hashlanes.algorithms_available >= hashlib.algorithms_available
    assert hashlanes.algorithms_guaranteed <= hashlanes.algorithms_available
    # Not only those of `__all__`, which lacks scrypt.
    for name in dir(hashlib):
        if not name.startswith("_"):
            assert hasattr(hashlanes, name) and name in hashlanes.__all__, name
    assert len(set(hashlanes.__all__)) == len(hashlanes.__all__)
    names = {}
    exec("from hashlanes import *", names)
    assert set(hashlanes.__all__) <= set(names)
    for name in hashlanes.algorithms_guaranteed:
        assert hashlanes.new(name).name
        assert getattr(hashlanes, name)().name
    assert hashlanes.sha3_256(b"a").digest() == hashlib.sha3_256(b"a").digest()
    assert hashlanes.new("blake2b", b"a").digest() == hashlib.blake2b(b"a").digest()
    for name in ["blake2b", "pbkdf2_hmac", "scrypt", "sha3_256", "shake_128"]:
        assert getattr(hashlanes, name, None) is getattr(hashlib, name, None)
    for name in ALGORITHMS:
        mac = hmac.new(b"key", b"message", getattr(hashlanes, name))
        assert mac.digest() == hmac.new(b"key", b"message", name).digest()


def test_programs_may_replace_hashlib_for_all_modules(monkeypatch):
    theirs = hashlib.new("sha3_256", b"a").digest()
    expected = error_of(lambda: hashlib.new("nothing"))
    monkeypatch.setitem(sys.modules, "hashlib", hashlanes)
    assert hashlanes.new("sha3_256", b"a").digest() == theirs
    assert error_of(lambda: hashlanes.new("nothing")) == expected


def test_new_passes_keywords_to_hashlib():
    cases = [("blake2b", {"digest_size": 5, "key": b"k"}), ("blake2s", {"salt": b"s"})]
    for name, options in cases:
        theirs = hashlib.new(name, b"a", **options)
        assert hashlanes.new(name, b"a", **options).digest() == theirs.digest()
    for name in ["sha256", "sha3_256"]:
        with pytest.raises(TypeError):
            hashlanes.new(name, digest_size=5)


def test_the_class_cannot_be_instantiated():
    for wrong in [lambda: hashlanes.Hash(), lambda: type("Sub", (hashlanes.Hash,), {})]:
        with pytest.raises(TypeError):
            wrong()


def test_objects_can_do_what_those_of_hashlib_can():
    assert set(dir(hashlanes.md5())) >= set(dir(hashlib.md5()))
    for call in [
        lambda module: weakref.ref(module.md5()),
        lambda module: module.md5() < module.md5(),
        lambda module: len(module.md5()),
        lambda module: delattr(module.md5(), "name"),
    ]:
        assert error_of(lambda: call(hashlanes))[0] is error_of(lambda: call(hashlib))[0]
    one = hashlanes.md5()
    assert one == one != hashlanes.md5() and {one: 1}[one] and one


def test_the_self_test_passes():
    assert hashlanes.self_test() is None


@each_algorithm
def test_a_saved_state_is_continued(name):
    for length in LENGTHS:
        ours = hashlanes.new(name, pattern(length))
        saved = ours.save()
        assert type(saved) is bytes and saved.startswith(b"hlst\1")
        for other in [ours, hashlanes.restore(saved)]:
            assert (other.name, other.save()) == (name, saved)
            other.update(b"more")
            assert other.digest() == right(name, pattern(length) + b"more")
    damaged = saved[:-1] + bytes([saved[-1] ^ 1])
    for wrong, message in [(damaged, "the saved state is damaged"), (b"", "not a saved state")]:
        with pytest.raises(ValueError, match=message):
            hashlanes.restore(wrong)
    with pytest.raises(TypeError):
        hashlanes.restore("text")


def test_saved_states_of_other_languages():
    root = pathlib.Path(__file__).resolve().parents[2]
    path = root / "crates/hashlanes/tests/suite/states.txt"
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "#"]
    assert len(lines) > 100
    for name, length, saved in lines:
        if name.replace("-", "_") in ALGORITHMS:
            ours = hashlanes.restore(bytes.fromhex(saved))
            assert ours.digest() == hashlanes.new(name, pattern(int(length))).digest()
            assert ours.save().hex() == saved


@each_algorithm
def test_a_message_is_copied_and_pickled(name):
    ways = [lambda message, protocol=protocol: pickle.loads(pickle.dumps(message, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for copied in [copy.copy, copy.deepcopy, *ways]:
        ours = hashlanes.new(name, pattern(5000))
        other = copied(ours)
        other.update(b"more")
        assert other.digest() == right(name, pattern(5000) + b"more")
        assert ours.digest() == right(name, pattern(5000))


# Of BLAKE3 under a key of 32 bytes of 7, and of HMAC of SHA-256: "abc" as Rust saves it, and the
# digest after "more".
KEYED = (
    "686c7374010106626c616b6533030000000000000000000000000000000707070707070707070707"
    "07070707070707070707070707070707070707070707070707070707070707070707070707070707"
    "070707070707070707070707071000000000000000616263156e2d08c23ad711"
)
KEYED_MORE = "16ebd47d6b27924309f26b4baef5fea02921b7d374a6c23bfa666100e3e269f5"
UNDER_HMAC = (
    "686c73740102067368613235364300000000000000000000000000000048da95d542ccdfd3337b56"
    "1151acdba681d2be6fb90bff5b2369298a4e73c2a761626361d9463598f00001"
)


def test_keys_are_neither_saved_nor_pickled():
    keyed = hashlanes.restore(bytes.fromhex(KEYED))
    keyed.update(b"more")
    assert keyed.hexdigest() == KEYED_MORE
    for refused in [keyed.save, lambda: pickle.dumps(keyed), lambda: copy.copy(keyed)]:
        with pytest.raises(ValueError, match="contains the key, which is saved only on request"):
            refused()
    with pytest.raises(ValueError, match="of HMAC: its key is needed"):
        hashlanes.restore(bytes.fromhex(UNDER_HMAC))


class Chunked(io.RawIOBase):
    """A file that returns few bytes at a time."""

    def __init__(self, message):
        self.message = message

    def readable(self):
        return True

    def readinto(self, memory):
        piece, self.message = self.message[:3], self.message[3:]
        memory[:len(piece)] = piece
        return len(piece)


def test_file_digest(tmp_path):
    path, message = tmp_path / "file", pattern(700_000)
    path.write_bytes(message)
    for digest in ["sha256", "SHA256", hashlanes.sha256, hashlib.sha256,
                   lambda: hashlib.new("sha256")]:
        for buffering in [0, -1, 100]:
            with open(path, "rb", buffering=buffering) as file:
                file.read(10)
                assert hashlanes.file_digest(file, digest).digest() == right(
                    "sha256", message[10:])
        assert hashlanes.file_digest(io.BytesIO(message), digest).digest() == right(
            "sha256", message)
        assert hashlanes.file_digest(Chunked(b"abcdefgh"), digest).digest() == right(
            "sha256", b"abcdefgh")
    with open(path, "rb") as file:
        assert hashlanes.file_digest(file, "md5", _bufsize=1000).hexdigest() == right(
            "md5", message).hex()


def test_file_digest_rejects_other_objects(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    with open(path) as text, open(path, "ab") as writing, open(path, "rb") as reading:
        closed = open(path, "rb")
        closed.close()
        cases = [(text, "md5"), (writing, "md5"), (None, "md5"), (io.StringIO(""), "md5"),
                 (closed, "md5"), (reading, "nothing"), (reading, None), (reading, 5)]
        for file, digest in cases:
            ours = error_of(lambda: hashlanes.file_digest(file, digest))
            if sys.version_info >= (3, 11):
                assert ours == error_of(lambda: hashlib.file_digest(file, digest))

        class WouldBlock(Chunked):
            def readinto(self, memory):
                return None

        with pytest.raises(BlockingIOError):
            hashlanes.file_digest(WouldBlock(b""), "md5")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="since Python 3.10")
def test_the_classes_of_the_extension_are_immutable():
    classes = {value for value in vars(hashlanes._hashlanes).values() if isinstance(value, type)}
    assert {hashlanes.Hash, hashlanes.Array, hashlanes._hashlanes.Lanes} < classes
    for each in classes:
        for change in [lambda: setattr(each, "value", 1), lambda: setattr(each, "__repr__", 1),
                       lambda: delattr(each, "__repr__")]:
            with pytest.raises(TypeError, match="immutable type"):
                change()
    with pytest.raises(TypeError, match="mappingproxy|item assignment"):
        hashlanes.Hash.__dict__["digest"] = None
    assert hashlanes.md5(b"abc").hexdigest() == hashlib.md5(b"abc").hexdigest()
