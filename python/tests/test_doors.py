"""Every function at every door: the ways into the package that take the name of a function."""

import hashlib
import pathlib

import pytest
from common import pattern, vectors

import hashlanes

NAMES = sorted({name for name, _, _ in vectors()})

# hashlib's names of functions, where they are others.
IN_HASHLIB = {"sha512-256": "sha512_256", "sha3-224": "sha3_224", "sha3-256": "sha3_256",
              "sha3-384": "sha3_384", "sha3-512": "sha3_512", "shake128": "shake_128",
              "shake256": "shake_256"}

# What hashlib's own objects ask for besides.
SIZES = {"shake128": [32], "shake256": [64]}


def answers(name):
    found = [(pattern(length), digest) for other, length, digest in vectors() if other == name]
    return found[:20]


def in_the_guide(name):
    """The cells of a function in the guide's table of which function works where."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "functions.md"
    [row] = [row for row in page.read_text().splitlines() if row.startswith(f"| `{name}` |")]
    return [cell.strip() for cell in row.split("|")[2:-1]]


def test_there_are_functions():
    assert len(NAMES) == 20 and {"blake3", "keccak256", "sha256d", "shake128"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_many_messages_and_chunks(name):
    messages, digests = zip(*answers(name))
    assert hashlanes.digest_many(messages, name, out="hex") == list(digests)
    for message, digest in answers(name):
        if message:
            assert hashlanes.digest_chunks(message, len(message), name, out="hex") == [digest]


@pytest.mark.parametrize("name", NAMES)
def test_pieces(name):
    lanes = hashlanes.Lanes(name)
    server = hashlanes.HashServer(name)
    for key, (message, digest) in enumerate(answers(name)):
        lanes.update(key, message[:5])
        lanes.finish(key, message[5:])
        hasher = server.hasher()
        hasher.update(message[:5])
        hasher.update(message[5:])
        assert hasher.hexdigest() == digest
    got = dict(lanes.flush()) | dict(lanes.completed())
    for key, (_, digest) in enumerate(answers(name)):
        assert got[key].hex() == digest


@pytest.mark.parametrize("name", NAMES)
def test_columns_and_files(name, tmp_path):
    numpy = pytest.importorskip("numpy")
    rows = numpy.frombuffer(pattern(64), "uint8").reshape(8, 8)
    column = hashlanes.digest_array(rows, name).to_numpy()
    right = hashlanes.digest_chunks(pattern(64), 8, name)
    assert [bytes(digest) for digest in column] == right
    (tmp_path / "file").write_bytes(pattern(8))
    [file] = hashlanes.hash_files([tmp_path / "file"], name)
    assert file.digests == {name: right[0].hex()}


@pytest.mark.parametrize("name", NAMES)
def test_one_message_as_in_hashlib(name):
    in_python = IN_HASHLIB.get(name, name)
    constructor = getattr(hashlanes, in_python)
    for message, digest in answers(name):
        for one in [constructor(message), hashlanes.new(in_python, message)]:
            assert one.hexdigest(*SIZES.get(name, [])) == digest
    assert in_python in hashlanes.algorithms_available
    whose = "ours" if isinstance(constructor(), hashlanes.Hash) else "hashlib's"
    assert whose == in_the_guide(name)[-1]


def test_the_parameters_of_hashlib():
    message = pattern(100)
    assert hashlanes.shake_128(message).digest(500) == hashlib.shake_128(message).digest(500)
    parameters = {"digest_size": 20, "key": b"key", "salt": b"salt", "person": b"person"}
    for name in ["blake2b", "blake2s"]:
        right = getattr(hashlib, name)(message, **parameters).digest()
        assert getattr(hashlanes, name)(message, **parameters).digest() == right
        assert hashlanes.new(name, message, **parameters).digest() == right


@pytest.mark.parametrize("name", NAMES)
def test_output_of_any_length(name):
    if in_the_guide(name)[0]:
        assert hashlanes.xof_many([b""], name, 32)[0].hex().startswith(answers(name)[0][1][:64])
    else:
        with pytest.raises(ValueError, match="unknown extendable-output function"):
            hashlanes.xof_many([b""], name, 1)
