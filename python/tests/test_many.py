"""Many messages, beside hashlib."""

import hashlib

import hashlanes


def test_messages_of_all_kinds():
    messages = [b"abc", "h\u00e4sh", bytearray(100), memoryview(b"view"), b""]
    encoded = [m.encode() if isinstance(m, str) else m for m in messages]
    right = [hashlib.sha256(message).digest() for message in encoded]
    assert hashlanes.digest_many(messages, "sha256") == right
    assert hashlanes.digest_many(iter(messages), "sha256", out="hex") == [d.hex() for d in right]
