"""One message, beside hashlib."""

import hashlib

import pytest

import hashlanes

NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256", "sm3"]


@pytest.mark.parametrize("name", NAMES)
def test_digests_are_those_of_hashlib(name):
    right = hashlib.new(name)
    ours = getattr(hashlanes, name)()
    for length in [0, 1, 63, 64, 65, 2047, 2048, 100_000]:
        data = bytes(i % 251 for i in range(length))
        right.update(data)
        ours.update(data)
        assert ours.digest() == right.digest()
        assert ours.hexdigest() == right.hexdigest()
