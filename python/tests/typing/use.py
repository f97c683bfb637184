"""Code that a type checker must accept, and, where marked `type: ignore`, must reject."""

import hashlib
import io

import hashlanes
import numpy
from hashlanes.slh_dsa import SigningKey

one: bytes = hashlanes.sha256(b"abc").digest()
name: str = hashlanes.new("md5", bytearray(3)).hexdigest()
many: "list[bytes]" = hashlanes.digest_many(["abc", b"abc", memoryview(b"abc")], "md5")
parts: "list[bytes]" = hashlanes.digest_many_parts([("abc", b"abc")], "md5")
digits: "list[str]" = hashlanes.digest_many((b"abc",), "md5", out="hex")
shape: "tuple[int, ...]" = hashlanes.digest_many([b"abc"], "md5", out="numpy").shape
chunks: "list[str]" = hashlanes.digest_chunks(bytes(10), 3, "md5", out="hex")
column: hashlanes.Array = hashlanes.digest_array(numpy.zeros((3, 8), "uint8"), "md5")
file: hashlanes.Hash = hashlanes.file_digest(io.BytesIO(b"abc"), "md5")
theirs: "hashlib._Hash" = hashlanes.file_digest(open(__file__, "rb"), hashlib.md5)
error: "OSError | None" = next(hashlanes.hash_files([__file__], "md5")).error
key = SigningKey.generate("SLH-DSA-SHA2-128f")
signatures: "list[bytes]" = key.sign_many(["abc", b"abc"], context=b"release")
valid: "list[bool]" = key.verifying_key.verify_many(["abc", b"abc"], signatures)
outputs: "list[bytes]" = hashlanes.xof_many([b"abc"], "kt128", 40, customization="text")
more: bytes = hashlanes.sha3_256(b"abc").digest()


def rows(table: hashlanes.ChunkedArray) -> hashlanes.ChunkedArray:
    digests = hashlanes.digest_rows(table, ["a"], "md5", threads=None)
    digests.to_numpy().shape
    return digests


async def task() -> bytes:
    async with hashlanes.HashServer("md5") as server:
        hasher = server.async_hasher()
        await hasher.update(b"abc")
        return await hasher.digest()


hashlanes.sha256("abc")  # type: ignore[arg-type]
hashlanes.digest_many(5, "md5")  # type: ignore[call-overload]
hashlanes.digest_many(["abc"], "md5", out="list")  # type: ignore[call-overload]
key.sign("abc", context="release")  # type: ignore[arg-type]
