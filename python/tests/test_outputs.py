"""Output of any length for many messages, compared with hashlib and with the vector file."""

import contextlib
import hashlib
import itertools
import pathlib
import threading

import pytest
from common import pattern

import hashlanes

NAMES = ["shake128", "shake256", "turboshake128", "turboshake256", "kt128", "kt256", "blake3"]
SHAKE = {"shake128": hashlib.shake_128, "shake256": hashlib.shake_256}
VECTORS = pathlib.Path(__file__).resolve().parents[2] / "crates/hashlanes/tests/suite/outputs.txt"


def vectors():
    """For each function with its parameters, the lengths of messages and their outputs."""
    found = {}
    for line in VECTORS.read_text().splitlines():
        if not line.startswith("#"):
            name, length, output = line.split()
            found.setdefault(name, []).append((int(length), bytes.fromhex(output)))
    return found


@pytest.mark.parametrize("name", [name for name in vectors() if "," in name])
def test_parameters(name):
    found = vectors()[name]
    name, *parameters = name.split(",")
    values = {key: bytes.fromhex(value) for key, value in (p.split("=") for p in parameters)}
    if "domain" in values:
        values["domain"] = values["domain"][0]
    messages = [pattern(length) for length, _ in found]
    assert hashlanes.xof_many(messages, name, 200, **values) == [output for _, output in found]
    if "customization" in values:
        values["customization"] = values["customization"].decode()
    if "key" in values:
        values["key"] = memoryview(bytearray(values["key"]))
    assert hashlanes.xof_many(messages, name, 9, **values) == [output[:9] for _, output in found]


@pytest.mark.parametrize("name, parameters, message", [
    ("turboshake128", {"key": b""}, "turboshake128 takes no key"),
    ("kt256", {"function_name": ""}, "kt256 takes no function name"),
    ("shake128", {"domain": 1}, "shake128 takes no domain separation byte"),
    ("turboshake256", {"domain": 128}, "from 1 to 127, not 128"),
    ("blake3", {"key": b"short"}, "the key of blake3 must have 32 bytes, not 5"),
    ("blake3", {"key": bytes(32), "customization": ""}, "but not both"),
])
def test_parameters_that_a_function_does_not_take(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        hashlanes.xof_many([b""], name, 1, **parameters)


def test_parameters_of_a_wrong_type():
    for parameters in [{"key": "text"}, {"key": 5}, {"customization": 5}, {"domain": b"a"}]:
        with pytest.raises(TypeError):
            hashlanes.xof_many([b""], "shake128", 1, **parameters)
    for domain in [-1, 256]:
        with pytest.raises(OverflowError):
            hashlanes.xof_many([b""], "turboshake128", 1, domain=domain)
    with pytest.raises(TypeError):
        hashlanes.xof_many([b""], "shake128", 1, b"a key")


@pytest.mark.parametrize("name", NAMES)
def test_the_outputs_of_the_vector_file(name):
    found = vectors()[name]
    assert len(found) > 10
    messages = [pattern(length) for length, _ in found]
    outputs = [output for _, output in found]
    assert hashlanes.xof_many(messages, name, 200) == outputs
    # An iterator of other buffers, and a length for each.
    lengths = [i * 17 % 201 for i in range(len(found))]
    views = (memoryview(bytearray(message)) for message in messages)
    shorter = [output[:length] for output, length in zip(outputs, lengths)]
    assert hashlanes.xof_many(views, name.upper(), iter(lengths)) == shorter


@pytest.mark.parametrize("name", SHAKE)
def test_many_lengths(name):
    # More than are hashed side by side.
    messages = [pattern(length * 7 % 700) for length in range(300)]
    lengths = [length * 11 % 600 for length in range(300)]
    assert hashlanes.xof_many(messages, name, lengths) == [
        SHAKE[name](message).digest(length) for message, length in zip(messages, lengths)]


def test_buffers_that_another_thread_changes():
    buffer, key, stop = bytearray(70_000), bytearray(32), threading.Event()

    def change():
        for i in itertools.count():
            if stop.is_set():
                return
            buffer[i % len(buffer)] = key[i % 32] = i % 256
            if i % 1000 == 0:
                # It is refused while the buffer is being copied.
                with contextlib.suppress(BufferError):
                    buffer.extend(b"x")
                    del buffer[70_000:]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for name in NAMES:
            outputs = hashlanes.xof_many([buffer, memoryview(key)] * 40, name, [9, 300] * 40)
            assert [len(output) for output in outputs] == [9, 300] * 40
        hashlanes.xof_many([buffer] * 40, "blake3", 9, key=key)
        hashlanes.xof_many([buffer] * 40, "shake128", 9, key=buffer, customization=key)
    finally:
        stop.set()
        thread.join()
    right = [hashlib.shake_128(buffer).digest(9)] * 3
    assert hashlanes.xof_many([buffer] * 3, "shake128", 9) == right


def test_arguments_that_change_each_other():
    messages = [bytearray(b"x") for _ in range(300)]

    def lengths():
        for i in range(300):
            if i == 5:
                messages[i].extend(b"y")
                messages.clear()
            yield i

    # Those that were taken from the list stay as they are until the next ones are taken.
    with pytest.raises(ValueError, match="there must be a length for each message"):
        hashlanes.xof_many(messages, "shake128", lengths())
    assert messages == []
    # A call within a call.
    inner = (hashlanes.xof_many([bytes([i])], "kt128", 20)[0] for i in range(200))
    outer = hashlanes.xof_many([bytes([i]) for i in range(200)], "kt128", 20)
    assert hashlanes.xof_many(inner, "kt128", 20) == hashlanes.xof_many(outer, "kt128", 20)


def test_lengths_of_other_types():
    numpy = pytest.importorskip("numpy")
    right = hashlanes.xof_many([b"x"] * 2, "shake128", 5)
    for lengths in [numpy.int64(5), numpy.array([5, 5], "uint8"), b"\5\5", True + 4]:
        assert hashlanes.xof_many([b"x"] * 2, "shake128", lengths) == right
    for lengths in [5.0, None, [None], numpy.array([5.0, 5.0])]:
        with pytest.raises(TypeError):
            hashlanes.xof_many([b"x"] * 2, "shake128", lengths)


def test_more_output_than_a_step_takes():
    length = (32 << 20) + 5
    lengths = [1, length, 0, 20 << 20, 20 << 20, 3]
    outputs = hashlanes.xof_many(["x"] * 6, "shake128", lengths)
    whole = hashlib.shake_128(b"x").digest(length)
    assert [len(output) for output in outputs] == lengths
    assert all(whole.startswith(output) for output in outputs)


PARAMETERS = [
    ("shake128", {}), ("shake256", {"customization": "c", "function_name": b"f"}),
    ("shake128", {"key": b"k" * 5}), ("shake256", {"key": b"k" * 40_000, "customization": "c"}),
    ("shake128", {"key": b""}), ("turboshake128", {}), ("turboshake256", {"domain": 7}),
    ("kt128", {}), ("kt256", {"customization": b"c" * 9000}), ("blake3", {}),
    ("blake3", {"key": bytes(range(32))}), ("blake3", {"customization": "context"}),
]


@pytest.mark.parametrize("name, parameters", PARAMETERS)
def test_long_outputs_and_messages_are_those_of_short_ones(name, parameters):
    """The first bytes of a long output are a short one, which is computed in another way."""
    length, message = (32 << 20) + 9, pattern(1000)
    [long] = hashlanes.xof_many([message], name, length, **parameters)
    # The last length that is not long is computed as a whole.
    [whole] = hashlanes.xof_many([message], name, 32 << 20, **parameters)
    assert len(long) == length and long.startswith(whole)
    messages = [pattern((32 << 20) + more, more) for more in [0, 1, 8191]]
    long = hashlanes.xof_many(messages, name, 100, **parameters)
    if name in SHAKE and not parameters:
        assert long == [SHAKE[name](message).digest(100) for message in messages]
    # Of those, the first is not long.
    both = hashlanes.xof_many([b"a", *messages, b"b"], name, [1, 50, 100, length, 3], **parameters)
    assert [output[:50] for output in both[1:4]] == [output[:50] for output in long]
    assert both[0] == hashlanes.xof_many([b"a"], name, 1, **parameters)[0]


def test_a_long_message_with_a_key_is_the_same_in_two_pieces():
    """The message of a sponge goes on where its key's block ends."""
    message = bytes(range(250)) * 140_000
    for key in [b"", b"k" * 200]:
        [long] = hashlanes.xof_many([message], "shake128", 64, key=key)
        padded = b"\x01\xa8" + left(8 * len(key)) + key
        padded += bytes(-len(padded) % 168)
        [other] = hashlanes.xof_many([padded + message + b"\0\1"], "shake128", 64,
                                     function_name="KMAC")
        assert long == other


def left(number):
    digits = number.to_bytes(max((number.bit_length() + 7) // 8, 1), "big")
    return bytes([len(digits)]) + digits


def test_nothing():
    assert hashlanes.xof_many([], "kt128", 5) == []
    assert hashlanes.xof_many([], "kt128", []) == []
    assert hashlanes.xof_many([b"x"], "kt128", 0) == [b""]


def test_wrong_arguments():
    for messages, lengths in [([b""], []), ([b""], [1, 2]), ([], [1]), ([b""] * 128, [1] * 129)]:
        with pytest.raises(ValueError, match="there must be a length for each message"):
            hashlanes.xof_many(messages, "kt128", lengths)
    with pytest.raises(ValueError, match="sha256.*expected one of shake128, "):
        hashlanes.xof_many([], "sha256", 1)
    for lengths in [-1, [-1]]:
        with pytest.raises(ValueError, match="negative: -1"):
            hashlanes.xof_many([b""], "kt128", lengths)
    with pytest.raises(TypeError):
        hashlanes.xof_many([b""], "kt128", "1")
    with pytest.raises(TypeError, match="one str"):
        hashlanes.xof_many("message", "kt128", 1)
    with pytest.raises(TypeError):
        hashlanes.xof_many([1], "kt128", 1)
    with pytest.raises(MemoryError):
        hashlanes.xof_many([b""], "kt128", 1 << 62)
    with pytest.raises(OverflowError):
        hashlanes.xof_many([b""], "kt128", 1 << 70)
