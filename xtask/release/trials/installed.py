"""Compares the installed package with hashlib, and says which it is."""

import hashlib
import importlib.metadata
import pathlib
import sys
import tempfile

import hashlanes

messages = [bytes([i % 256]) * i for i in range(2000)]
for name in ["md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"]:
    ours = hashlanes.digest_many(messages, name, out="hex")
    assert ours == [hashlib.new(name, message).hexdigest() for message in messages], name
with tempfile.TemporaryDirectory() as folder:
    files = [pathlib.Path(folder, str(i)) for i in range(100)]
    for file, message in zip(files, messages):
        file.write_bytes(message)
    for result, message in zip(hashlanes.hash_files(files, ["sha256"]), messages):
        assert result.digests["sha256"] == hashlib.sha256(message).hexdigest()
tag = importlib.metadata.distribution("hashlanes").read_text("WHEEL").split("Tag: ")[1].split()[0]
print(f"the same as hashlib: Python {sys.version.split()[0]}, {tag}, {hashlanes.__file__}")
