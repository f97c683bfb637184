"""Hashes many messages at a time in the CPU's SIMD lanes, or one message as hashlib does.

    import hashlanes

    hashlanes.digest_many(["abc", b"any lengths"], "sha256")   # a list of bytes
    hashlanes.sha256(b"abc").hexdigest()                       # as in hashlib

| you have | use |
|---|---|
| many messages in memory | `digest_many` |
| the same, each as a header and a body | `digest_many_parts` |
| one buffer, to be hashed in chunks | `digest_chunks` |
| one message, at once or in pieces | `sha256()`, `new("sha256")`, `file_digest`, as in hashlib |
| one message, to be continued in another process | `save()`, `restore` |
| many messages that arrive in pieces, in one thread | `Lanes` |
| messages in many threads or tasks | `HashServer` |
| a column of pyarrow, polars, pandas, DuckDB or NumPy | `digest_array` |
| rows of several columns | `digest_rows` |
| files | `hash_files`, `write_manifest`, `check_manifest` |
| many passwords or secrets, to derive keys from | `pbkdf2_many`, `hkdf_many` |
| many hash chains | `digest_chains` |
| messages, for output of any length | `xof_many` |
| to know that this CPU computes right digests | `self_test` |
| messages to sign by SLH-DSA | the module `hashlanes.slh_dsa` |

Names that this module does not implement (SHA-3, BLAKE2, `pbkdf2_hmac`, `scrypt`) are hashlib's
own.
"""

import hashlib as _hashlib

from ._file_digest import file_digest
from ._files import CheckedFile, HashedFile, check_manifest, hash_files, write_manifest
from ._hashlanes import (
    Array,
    ChunkedArray,
    Hash,
    __version__,
    blake3,
    digest_array,
    digest_chains,
    digest_chunks,
    digest_many,
    digest_many_parts,
    digest_rows,
    hkdf_many,
    keccak256,
    keccak512,
    md5,
    new,
    pbkdf2_many,
    restore,
    self_test,
    sha1,
    sha224,
    sha256,
    sha256d,
    sha384,
    sha512,
    sha512_256,
    sm3,
    xof_many,
)
from ._lanes import Lanes
from ._server import AsyncHasher, HashServer

algorithms_guaranteed = set(_hashlib.algorithms_guaranteed) | {
    "blake3", "keccak256", "keccak512", "sha256d", "sha512_256", "sm3"}
algorithms_available = set(_hashlib.algorithms_available) | algorithms_guaranteed

__all__ = [_name for _name in globals() if not _name.startswith("_")]

# Re-export the rest of hashlib, for whichever version is running. Not by its `__all__`, which lacks
# scrypt.
for _name in dir(_hashlib):
    if not _name.startswith("_") and _name not in globals():
        globals()[_name] = getattr(_hashlib, _name)
        __all__.append(_name)
del _name
