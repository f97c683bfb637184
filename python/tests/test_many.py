"""Many messages, and the chunks of one buffer, compared with hashlib."""

import array
import collections
import hashlib
import itertools
import mmap
import os
import random
import signal
import sys
import threading
import time

import pytest
from common import ALGORITHMS, LENGTHS, pattern, right, vectors

import hashlanes

each_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


@each_algorithm
@pytest.mark.parametrize("threads", [1, 3])
def test_messages_of_all_lengths_and_kinds(name, threads):
    kinds = [bytes, bytearray, memoryview, lambda m: m.decode("latin1"),
             lambda m: array.array("B", m)]
    messages = [kind(pattern(length, start)) for start, kind in enumerate(kinds)
                for length in LENGTHS]
    random.Random(1).shuffle(messages)
    expected = [right(name, message) for message in messages]
    assert hashlanes.digest_many(messages, name, threads=threads) == expected
    hexadecimal = hashlanes.digest_many(messages, name, out="hex", threads=threads)
    assert hexadecimal == [digest.hex() for digest in expected]
    assert all(type(digest) is str for digest in hexadecimal)


def test_the_shared_vectors_of_all_functions():
    answers = collections.defaultdict(list)
    for name, length, digest in vectors():
        answers[name].append((pattern(length), digest))
    assert {"sha3-256", "keccak256", "shake128", "blake2b", "blake3", "sha256d"} < set(answers)
    for name, pairs in answers.items():
        messages, digests = zip(*pairs)
        assert hashlanes.digest_many(messages, name, out="hex") == list(digests), name
        with hashlanes.Lanes(name) as lanes:
            for message in messages:
                lanes.finish(message, message)
            assert {key: digest.hex() for key, digest in lanes.flush()} == dict(pairs), name


@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 2047, 2048, 2049, 4096, 50_000])
def test_any_number(count):
    messages = [str(i) for i in range(count)]
    expected = [hashlib.md5(message.encode()).digest() for message in messages]
    for sequence in [messages, tuple(messages), iter(messages), (m for m in messages),
                     collections.deque(messages), dict.fromkeys(messages)]:
        digests = hashlanes.digest_many(sequence, "md5")
        assert type(digests) is list and digests == expected


def test_long_messages_are_hashed_in_pieces():
    messages = [pattern(length, length) for length in [65536, 65537, 100_000, 1 << 20, 5, 3 << 20]]
    for kind in [bytes, bytearray]:
        many = [kind(message) for message in messages * 12]
        assert hashlanes.digest_many(many, "sha256") == [right("sha256", m) for m in messages * 12]


def test_text():
    messages = ["", "abc", "h\xe4sh", "\u4e2d\u6587", "\U0001f600" * 100, "a" * 1000]
    expected = [hashlib.sha256(m.encode()).digest() for m in messages]
    assert hashlanes.digest_many(messages, "sha256") == expected

    class Text(str):
        pass

    class Bytes(bytes):
        pass

    assert hashlanes.digest_many([Text("abc"), Bytes(b"abc")], "md5") == [right("md5", b"abc")] * 2
    with pytest.raises(UnicodeEncodeError):
        hashlanes.digest_many(["abc", "\ud800"], "md5")


def test_numpy_output():
    numpy = pytest.importorskip("numpy")
    for count in [0, 1, 5000]:
        messages = [str(i) for i in range(count)]
        digests = hashlanes.digest_many(messages, "sha1", out="numpy")
        assert digests.shape == (count, 20) and digests.dtype == numpy.uint8
        assert [row.tobytes() for row in digests] == [right("sha1", m) for m in messages]
        digests[:] = 0  # It is writable.
    chunks = hashlanes.digest_chunks(bytes(100), 30, "sm3", out="numpy")
    assert chunks.shape == (4, 32)
    rows = numpy.arange(40, dtype=numpy.uint8).reshape(4, 10)
    assert hashlanes.digest_many(rows, "md5") == [right("md5", row.tobytes()) for row in rows]


def test_without_numpy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    with pytest.raises(ImportError):
        hashlanes.digest_many([b""], "md5", out="numpy")


@pytest.mark.parametrize("wrong", [None, 5, 1.5, ["a"], object()], ids=repr)
def test_objects_that_are_not_messages(wrong):
    messages = [b"abc"] * 5000 + [wrong] + [b"abc"] * 5000
    with pytest.raises(TypeError) as error:
        hashlanes.digest_many(messages, "md5")
    assert str(error.value) == (
        f"message 5000 must be a buffer or a str, not {type(wrong).__name__}")


def test_wrong_arguments():
    cases = [
        (lambda: hashlanes.digest_many("abc", "md5"), TypeError, "not one str"),
        (lambda: hashlanes.digest_many(b"abc", "md5"), TypeError, "message 0 .* int"),
        (lambda: hashlanes.digest_many(None, "md5"), TypeError, "not iterable"),
        (lambda: hashlanes.digest_many([], "md6"), ValueError, "unknown algorithm 'md6'"),
        (lambda: hashlanes.digest_many([], "s h a256"), ValueError, "unknown algorithm"),
        (lambda: hashlanes.digest_many([], "sha256 "), ValueError, "unknown algorithm"),
        (lambda: hashlanes.digest_many([], 5), TypeError, "hash function must be a str, not int"),
        (lambda: hashlanes.digest_many([]), TypeError, ""),
        (lambda: hashlanes.digest_many([], "md5", "hex"), TypeError, ""),
        (lambda: hashlanes.digest_many([], "md5", out="list"), ValueError, "out must be"),
        (lambda: hashlanes.digest_many([], "md5", threads=0), ValueError, "at least 1, not 0"),
        (lambda: hashlanes.digest_many([], "md5", threads=-1), ValueError, "at least 1, not -1"),
        (lambda: hashlanes.digest_many([memoryview(b"abc")[::2]], "md5"), BufferError, ""),
        (lambda: hashlanes.digest_chunks(b"abc", 0, "md5"), ValueError, "at least 1, not 0"),
        (lambda: hashlanes.digest_chunks(b"abc", -5, "md5"), ValueError, "at least 1, not -5"),
        (lambda: hashlanes.digest_chunks(b"abc", 1 << 70, "md5"), OverflowError, ""),
        (lambda: hashlanes.digest_chunks(b"abc", 1.5, "md5"), TypeError, ""),
        (lambda: hashlanes.digest_chunks("abc", 1, "md5"), TypeError, "must be encoded"),
        (lambda: hashlanes.digest_chunks(None, 1, "md5"), TypeError, "buffer API required"),
        (lambda: hashlanes.digest_chunks(b"abc", 1, "md6"), ValueError, "unknown algorithm"),
        (lambda: hashlanes.digest_chunks(b"abc", 1, "md5", out=""), ValueError, "out must be"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message or None):
            call()


def test_errors_of_the_iterable_are_raised():
    def messages(count):
        for i in range(count):
            yield str(i)
        raise KeyError("mine")

    for count in [0, 10, 10_000]:
        with pytest.raises(KeyError, match="mine"):
            hashlanes.digest_many(messages(count), "md5")


def test_a_list_that_changes_during_the_call():
    messages = [b"abc"] * 3000

    class Exporter(list):
        def __iter__(self):
            yield from [b"abc"] * 3000
            self.clear()

    assert len(hashlanes.digest_many(Exporter(messages), "md5")) == 3000


@pytest.mark.parametrize("threads", [1, 3])
def test_messages_in_parts(threads):
    kinds = [bytes, bytearray, memoryview, lambda m: m.decode("latin1"),
             lambda m: array.array("B", m), lambda m: m]
    lengths = [0, 1, 20, 64, 65, 1000, 32_768, 65_536, 65_537, 200_000]
    chosen = random.Random(7)
    messages, joined = [], []
    for number in range(300):
        parts = [pattern(chosen.choice(lengths[:8 if number % 4 else 10]), number + part)
                 for part in range(number % 6)]
        messages.append([chosen.choice(kinds)(part) for part in parts])
        joined.append(b"".join(part.encode() if isinstance(part, str) else bytes(part)
                               for part in messages[-1]))
    for name in ["md5", "sha256", "blake3"]:
        expected = hashlanes.digest_many(joined, name)
        several = [messages, tuple(map(tuple, messages)), map(iter, messages), iter(messages)]
        for iterable in several:
            assert hashlanes.digest_many_parts(iterable, name, threads=threads) == expected
    hexadecimal = hashlanes.digest_many_parts(messages, "md5", out="hex")
    assert hexadecimal == [right("md5", message).hex() for message in joined]


def test_one_message_of_many_long_parts():
    part = bytearray(pattern(1 << 20))
    expected = hashlib.md5(bytes(part) * 70).digest()
    for parts in [[part] * 70, [bytes(part)] * 70, (part for _ in range(70))]:
        assert hashlanes.digest_many_parts([parts, [b"a", "b"]], "md5") == [
            expected, right("md5", b"ab")]


class Refilling(list):
    """A list that gives one buffer with other bytes again and again."""

    def __iter__(self):
        buffer = bytearray(300)
        for byte in b"abc":
            buffer[:] = bytes([byte]) * len(buffer)
            yield buffer


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_many_short_parts(kind):
    parts = [kind(pattern(64))] * 300_000 + [b""] * 100_000 + [kind(pattern(70))] * 3
    joined = pattern(64) * 300_000 + pattern(70) * 3
    for messages in [[parts, parts[:1001]], map(iter, [parts, parts[:1001]])]:
        assert hashlanes.digest_many_parts(messages, "md5") == [
            right("md5", joined), right("md5", joined[:64_064])]


def test_parts_of_a_list_that_iterates_for_itself():
    assert hashlanes.digest_many_parts([Refilling()], "md5") == [
        right("md5", b"a" * 300 + b"b" * 300 + b"c" * 300)]


def test_what_is_wrong_with_parts_is_named():
    for messages, error, words in [
        ([[b"a"], [b"b", 5]], TypeError, "part 1 of message 1 must be a buffer or a str, not int"),
        ([[b"a"], 5], TypeError, "not iterable"),
        ("abc", TypeError, "not one str"),
        ([[memoryview(b"abc")[::2]]], BufferError, ""),
    ]:
        with pytest.raises(error, match=words):
            hashlanes.digest_many_parts(messages, "md5")


def test_references_are_released():
    long, short, buffer = os.urandom(100_000), os.urandom(20), bytearray(100_000)
    text = "\u4e2d" * 1000
    before = [sys.getrefcount(o) for o in (long, short, buffer, text)]
    for threads in [1, 4]:
        hashlanes.digest_many([long, short, buffer, text] * 3000, "md5", threads=threads)
        with pytest.raises(TypeError):
            hashlanes.digest_many([long, short, buffer, text] * 3000 + [None], "md5")
        hashlanes.digest_many_parts([[long, short], [buffer, text]] * 300, "md5", threads=threads)
        with pytest.raises(TypeError):
            hashlanes.digest_many_parts([[long, short], [buffer, text, None]], "md5")
    hashlanes.digest_chunks(buffer, 100, "md5")
    assert [sys.getrefcount(o) for o in (long, short, buffer, text)] == before
    buffer.clear()  # It is no longer exported.


@each_algorithm
def test_chunks(name):
    message = pattern(300_000)
    shared = mmap.mmap(-1, len(message))
    shared.write(message)
    for buffer in [message, bytearray(message), shared]:
        for size in [1, 13, 64, 100, 4096, 65536, 65537, 150_000, 299_999, 300_000, 300_001,
                     1 << 62]:
            if size == 1:
                buffer = buffer[:5000]
            expected = [right(name, bytes(buffer[i:i + size]))
                        for i in range(0, len(buffer), size)] if size < 1 << 40 else [
                            right(name, bytes(buffer))]
            assert hashlanes.digest_chunks(buffer, size, name) == expected
            buffer = message if isinstance(buffer, bytes) and size == 1 else buffer
    for empty in [b"", bytearray(), memoryview(b"")]:
        assert hashlanes.digest_chunks(empty, 10, name) == []


def test_chunks_of_an_array():
    numpy = pytest.importorskip("numpy")
    values = numpy.arange(60_000, dtype=numpy.float64).reshape(100, 600)
    message = values.tobytes()
    for size in [8, 4800]:
        assert hashlanes.digest_chunks(values, size, "md5") == hashlanes.digest_chunks(
            message, size, "md5")
    with pytest.raises(Exception, match="contiguous"):
        hashlanes.digest_chunks(values[:, ::2], 8, "md5")


def test_buffers_that_change_during_the_call():
    """Any digest is valid, and the buffer cannot be resized in the meantime."""
    buffer = bytearray(8 << 20)
    stop = threading.Event()
    refused = []

    def write():
        while not stop.is_set():
            for place in range(0, len(buffer), 4096):
                buffer[place] ^= 0xff
            try:
                buffer.append(1)
                buffer.pop()
            except BufferError:
                refused.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(10):
            assert len(hashlanes.sha256(buffer).digest()) == 32
            assert len(hashlanes.digest_many([buffer] * 3, "sha256")) == 3
            assert len(hashlanes.digest_chunks(buffer, 4096, "sha256")) in (2048, 2049)
    finally:
        stop.set()
        writer.join()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_signals_are_handled_during_the_call():
    class Stop(Exception):
        pass

    def handler(*_):
        raise Stop

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            hashlanes.digest_many(itertools.repeat(b"abc"), "md5", threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_other_threads_run_during_a_call():
    messages = [bytes(100_000)] * 3000
    done = threading.Event()

    def work():
        hashlanes.digest_many(messages, "sha512", threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 1


def test_concurrent_calls():
    messages = [str(i) * 20 for i in range(20_000)]
    expected = hashlanes.digest_many(messages, "sha1", threads=1)
    results = []
    threads = [threading.Thread(target=lambda: results.append(
        hashlanes.digest_many(messages, "sha1", threads=2))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 6
