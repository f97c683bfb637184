"""Keys from many passwords and secrets, and hash chains, compared with hashlib."""

import hashlib
import hmac
import pathlib
import signal
import time

import pytest
from common import ALGORITHMS, pattern

import hashlanes

each_algorithm = pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "sm3"])


@each_algorithm
@pytest.mark.parametrize("dklen", [None, 1, 100])
def test_passwords(name, dklen):
    # More than are derived side by side, of all kinds.
    passwords = [pattern(length) for length in range(130)]
    salts = [bytearray(pattern(length, 7)) for length in range(130)]
    keys = hashlanes.pbkdf2_many(name, iter(passwords), salts, 3, dklen)
    assert keys == [hashlib.pbkdf2_hmac(name, password, salt, 3, dklen)
                    for password, salt in zip(passwords, salts)]


def hkdf(name, secret, salt, info, length):
    key = hmac.digest(salt or bytes(hashlib.new(name).digest_size), secret, name)
    output, block, number = b"", b"", 1
    while len(output) < length:
        block = hmac.digest(key, block + info + bytes([number]), name)
        output, number = output + block, number + 1
    return output[:length]


@each_algorithm
@pytest.mark.parametrize("length", [1, 100, 4080])
def test_secrets(name, length):
    secrets, salts, infos = ([pattern(n, start) for n in range(70)] for start in range(3))
    keys = hashlanes.hkdf_many(name, secrets, salts, infos, length)
    assert keys == [hkdf(name, *each, length) for each in zip(secrets, salts, infos)]


@each_algorithm
def test_chains(name):
    size = ALGORITHMS[name][0]
    values = [pattern(size, start) for start in range(40)]
    lengths = [start * 7 % 23 for start in range(40)]
    expected = []
    for value, length in zip(values, lengths):
        for _ in range(length):
            value = hashlib.new(name, value).digest()
        expected.append(value)
    assert hashlanes.digest_chains(values, lengths, name) == expected


def test_long_chains_have_the_end_of_their_parts():
    whole = hashlanes.digest_chains([bytes(32)], [5_000_000], "sha256")
    part = hashlanes.digest_chains([bytes(32)], [1_234_567], "sha256")
    assert hashlanes.digest_chains(part, [5_000_000 - 1_234_567], "sha256") == whole


def test_one_long_chain_among_many_short_ones():
    lengths = [i % 2 for i in range(100_000)]
    lengths[5] = 500_000
    ends = hashlanes.digest_chains([bytes(32)] * len(lengths), lengths, "sha256")
    assert [ends[5]] == hashlanes.digest_chains([bytes(32)], [500_000], "sha256")
    once = hashlib.sha256(bytes(32)).digest()
    assert all(ends[i] == [bytes(32), once][i % 2] for i in range(len(lengths)) if i != 5)


def vectors(kind):
    folder = pathlib.Path(__file__).resolve().parents[2] / "crates/hashlanes/tests/suite"
    lines = [line.split() for line in (folder / "derived.txt").read_text().splitlines()]
    found = [words[1:] for words in lines if words[0] == kind]
    assert len(found) > 20
    for name, *sizes, result in found:
        yield name, [int(size) for size in sizes], bytes.fromhex(result)


def key(length):
    return bytes((i + 128) % 253 for i in range(length))


def test_the_answers_of_the_vector_file():
    for name, [links], end in vectors("chain"):
        assert hashlanes.digest_chains([key(len(end))], [links], name) == [end]
    for name, [password, salt, rounds], result in vectors("pbkdf2"):
        inputs = [key(password)], [pattern(salt)]
        assert hashlanes.pbkdf2_many(name, *inputs, rounds, len(result)) == [result]
    for name, [secret, salt, info], result in vectors("hkdf"):
        inputs = [key(secret)], [pattern(salt)], [pattern(info)]
        assert hashlanes.hkdf_many(name, *inputs, len(result)) == [result]


def test_nothing():
    assert hashlanes.pbkdf2_many("md5", [], [], 1) == []
    assert hashlanes.hkdf_many("md5", [], [], [], 1) == []
    assert hashlanes.digest_chains([], [], "md5") == []


def test_wrong_arguments():
    for iterations, dklen in [(0, None), (1, 0)]:
        with pytest.raises(ValueError, match="at least 1"):
            hashlanes.pbkdf2_many("md5", [b""], [b""], iterations, dklen)
    with pytest.raises(ValueError, match="from 1 to 4080, not 4081"):
        hashlanes.hkdf_many("md5", [b""], [b""], [b""], 4081)
    with pytest.raises(ValueError, match="same number of elements"):
        hashlanes.pbkdf2_many("md5", [b""], [b"", b""], 1)
    with pytest.raises(ValueError, match="same number of elements"):
        hashlanes.hkdf_many("md5", [b""], [b""], [], 1)
    with pytest.raises(ValueError, match="there must be a length for each value"):
        hashlanes.digest_chains([bytes(16)], [], "md5")
    with pytest.raises(ValueError, match="16 bytes, not 15"):
        hashlanes.digest_chains([bytes(15)], [1], "md5")
    with pytest.raises(TypeError, match="one str"):
        hashlanes.pbkdf2_many("md5", "password", [b""], 1)
    with pytest.raises(ValueError, match="sha257"):
        hashlanes.pbkdf2_many("sha257", [], [], 1)


def test_a_signal_ends_a_long_chain():
    def stop(*_):
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        began = time.monotonic()
        with pytest.raises(InterruptedError):
            hashlanes.digest_chains([bytes(32)] * 3, [1 << 40] * 3, "sha256")
        assert time.monotonic() - began < 30
    finally:
        signal.signal(signal.SIGALRM, before)
