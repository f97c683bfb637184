"""Benchmarks of S3, Glacier, fs-verity and dm-verity."""

import sys

from measure import Row

HASHLIB_ETAG = """
import hashlib, sys
md5s = []
with open(sys.argv[1], "rb", buffering=0) as file:
    while part := file.read(8 << 20):
        md5s.append(hashlib.md5(part).digest())
print(hashlib.md5(b"".join(md5s)).hexdigest() + f"-{len(md5s)}")
"""

BOTOCORE = """
import sys
from botocore.utils import calculate_tree_hash
with open(sys.argv[1], "rb") as file:
    print(calculate_tree_hash(file))
"""


def rows(tool, path):
    def python(program):
        return [sys.executable, "-c", program, path]

    tree = [tool.program, "tree"]
    yield Row(
        "S3 ETag, parts of 8 MiB",
        [*tree, "s3-etag", path],
        {"Python, `hashlib`": python(HASHLIB_ETAG)},
        "6",
    )
    yield Row("Glacier", [*tree, "glacier", path], {"botocore": python(BOTOCORE)})
    yield Row(
        "fs-verity",
        [*tree, "fs-verity", path],
        {"`fsverity digest`": ["fsverity", "digest", "--compact", path]},
    )
    theirs, ours = tool.path("theirs.tree"), tool.path("ours.tree")
    salt = f"--salt={'5a' * 32}"
    yield Row(
        "dm-verity, with its file",
        [*tree, "dm-verity", salt, "--force", "--hash-file", ours, path],
        {"`veritysetup format`": ["sh", "-c", VERITYSETUP, salt, path, theirs]},
        "2",
    )


# Only the root hash: the salt has as many digits, and would be mistaken for it.
VERITYSETUP = """veritysetup format "$0" "$1" "$2" | sed -n 's/^Root hash: *//p'"""
