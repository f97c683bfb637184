"""Benchmark of many small files, against `hashlanes sum` and a loop over hashlib.

The digest of a file with one part is the plain digest, so all three print the same.
"""

import os
import random
import sys

from measure import Row

FILES = 20_000

HASHLIB = """
import hashlib, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            print(hashlib.new(sys.argv[2], file.read()).hexdigest() + "  " + path)
"""


def make(folder):
    """Files of 1 to 100 KiB, 500 per folder, about 1 GiB in total."""
    generator = random.Random(1)
    noise = generator.randbytes(4 << 20)
    for number in range(FILES):
        below = os.path.join(folder, str(number // 500))
        os.makedirs(below, exist_ok=True)
        length = generator.randint(1 << 10, 100 << 10)
        begin = generator.randrange(len(noise) - length)
        with open(os.path.join(below, str(number)), "wb") as file:
            file.write(noise[begin : begin + length])


def rows(tool, path):
    folder = tool.path("many")
    make(folder)
    for name, kind, algorithm in [("S3 ETag", "s3-etag", "md5"), ("Glacier", "glacier", "sha256")]:
        yield Row(
            f"{FILES:,} files of 1 to 100 KiB, {name}",
            [tool.program, "tree", kind, "-r", folder],
            {
                f"`hashlanes sum -a {algorithm}`": [
                    tool.program, "sum", "-a", algorithm, "-r", folder,
                ],
                "Python, `hashlib`": [sys.executable, "-c", HASHLIB, folder, algorithm],
            },
        )
