"""Cryptographic hashes of many messages side by side, and hashlib's interface for one."""

import hashlib as _hashlib

from ._hashlanes import (
    Hash,
    digest_many,
    md5,
    new,
    sha1,
    sha224,
    sha256,
    sha384,
    sha512,
    sha512_256,
    sm3,
)

algorithms_guaranteed = set(_hashlib.algorithms_guaranteed) | {"sha512_256", "sm3"}
algorithms_available = set(_hashlib.algorithms_available) | algorithms_guaranteed
