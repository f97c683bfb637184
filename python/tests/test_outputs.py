"""Output of any length for many messages, compared with hashlib and with the vector file."""

import hashlib
import pathlib

import pytest
from common import pattern

import hashlanes

NAMES = ["shake128", "shake256", "turboshake128", "turboshake256", "kt128", "kt256", "blake3"]
SHAKE = {"shake128": hashlib.shake_128, "shake256": hashlib.shake_256}
VECTORS = pathlib.Path(__file__).resolve().parents[2] / "crates/hashlanes/tests/suite/outputs.txt"


def vectors():
    for line in VECTORS.read_text().splitlines():
        if not line.startswith("#"):
            name, length, output = line.split()
            yield name, int(length), bytes.fromhex(output)


@pytest.mark.parametrize("name", NAMES)
def test_the_outputs_of_the_vector_file(name):
    found = [(length, output) for other, length, output in vectors() if other == name]
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


def test_more_output_than_a_step_takes():
    length = (32 << 20) + 5
    lengths = [1, length, 0, 20 << 20, 20 << 20, 3]
    outputs = hashlanes.xof_many(["x"] * 6, "shake128", lengths)
    whole = hashlib.shake_128(b"x").digest(length)
    assert [len(output) for output in outputs] == lengths
    assert all(whole.startswith(output) for output in outputs)


def test_nothing():
    assert hashlanes.xof_many([], "kt128", 5) == []
    assert hashlanes.xof_many([], "kt128", []) == []
    assert hashlanes.xof_many([b"x"], "kt128", 0) == [b""]


def test_wrong_arguments():
    for messages, lengths in [([b""], []), ([b""], [1, 2]), ([], [1]), ([b""] * 128, [1] * 129)]:
        with pytest.raises(ValueError, match="every message must have a length"):
            hashlanes.xof_many(messages, "kt128", lengths)
    with pytest.raises(ValueError, match="sha256.*there are shake128, "):
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
