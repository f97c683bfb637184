"""Signatures by SLH-DSA (FIPS 205, the standard of SPHINCS+), computed in the CPU's SIMD lanes.

    from hashlanes.slh_dsa import SigningKey

    key = SigningKey.generate("SLH-DSA-SHA2-128f")
    signature = key.sign("message")
    assert key.verifying_key.is_valid("message", signature)

`sign_many` and `verify_many` are faster than a loop. The guide says which parameter set to choose.
"""

from ._hashlanes import SigningKey, VerifyingKey

__all__ = ["SigningKey", "VerifyingKey"]
