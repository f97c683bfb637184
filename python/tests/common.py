"""Helpers shared by several tests."""

import hashlib
import os
import pathlib
import subprocess

# Names of the constructors, with the lengths of digests and blocks.
ALGORITHMS = {
    "md5": (16, 64),
    "sha1": (20, 64),
    "sha224": (28, 64),
    "sha256": (32, 64),
    "sha384": (48, 128),
    "sha512": (64, 128),
    "sha512_256": (32, 128),
    "sm3": (32, 64),
}

# Around the boundaries of blocks, copies and pieces.
LENGTHS = [0, 1, 16, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 1000, 2047, 2048, 2049,
           16383, 16384, 16385, 65535, 65536, 65537, 200_000]


def pattern(length, start=0):
    """Bytes with a period of 251, so that misplaced blocks differ."""
    period = bytes(range(251))
    return (period * (length // 251 + 3))[start % 251:][:length]


def right(name, message):
    """The digest, computed by hashlib."""
    if isinstance(message, str):
        message = message.encode()
    return hashlib.new(name, message).digest()


def vectors():
    """The test vectors shared by all language interfaces: algorithm, length, digest."""
    path = pathlib.Path(__file__).resolve().parents[2] / "vectors" / "digests.txt"
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] == "digest":
            yield words[1], int(words[2]), words[3]


def sha256sum(folder):
    """What sha256sum prints of the files below a folder, in the order of their paths."""
    paths = sorted(os.fsencode(path) for path in folder.rglob("*") if path.is_file())
    return subprocess.run(["sha256sum", *paths], capture_output=True, check=True).stdout


def s3_etag(content, size):
    """The ETag of an object that was uploaded in parts of a size."""
    if len(content) < size:
        return hashlib.md5(content).hexdigest()
    parts = [content[start:start + size] for start in range(0, len(content), size)]
    whole = hashlib.md5(b"".join(hashlib.md5(part).digest() for part in parts))
    return f"{whole.hexdigest()}-{len(parts)}"
