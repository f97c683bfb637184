"""Expressions of polars: ``import hashlanes.polars``, then ``pl.col("x").hashlanes.sha256()``.

The import registers the namespace ``hashlanes`` for expressions and for Series. Expressions are
lazy, run in the streaming engine too, and let other threads run while they hash. A null stays null.
"""

from functools import partial

import polars as pl

from . import digest_array as _digest_array
from . import digest_rows as _digest_rows

__all__ = ["HashlanesExpr", "HashlanesSeries"]


def _array(series, name, hex):
    # Polars gives nulls without a type a buffer, which Arrow does not know.
    if isinstance(series.dtype, (pl.Categorical, pl.Enum, pl.Null)):
        series = series.cast(pl.String)
    return _series(series.name, _digest_array(series, name, hex=hex), hex)


def _rows(series, name, hex):
    return _series(series.name, _digest_rows(series, None, name, hex=hex), hex)


def _series(name, digests, hex):
    # Polars does not give the name to what comes by the PyCapsule interface.
    return pl.Series(digests, dtype=_dtype(hex)).alias(name)


def _dtype(hex):
    return pl.String if hex else pl.Binary


class _Digests:
    """The functions of both namespaces. ``_apply`` calls a function with a Series."""

    def digest(self, name, *, hex=False):
        """The digest of each value, by the function of this name."""
        return self._apply(partial(_array, name=name, hex=hex), hex)

    def digest_rows(self, name, *, hex=False):
        """The digest of each struct, framed as ``hashlanes.digest_rows`` frames a row."""
        return self._apply(partial(_rows, name=name, hex=hex), hex)

    def md5(self, *, hex=False):
        """The MD5 digest of each value."""
        return self.digest("md5", hex=hex)

    def sha1(self, *, hex=False):
        """The SHA-1 digest of each value."""
        return self.digest("sha1", hex=hex)

    def sha224(self, *, hex=False):
        """The SHA-224 digest of each value."""
        return self.digest("sha224", hex=hex)

    def sha256(self, *, hex=False):
        """The SHA-256 digest of each value."""
        return self.digest("sha256", hex=hex)

    def sha384(self, *, hex=False):
        """The SHA-384 digest of each value."""
        return self.digest("sha384", hex=hex)

    def sha512(self, *, hex=False):
        """The SHA-512 digest of each value."""
        return self.digest("sha512", hex=hex)

    def sha512_256(self, *, hex=False):
        """The SHA-512/256 digest of each value."""
        return self.digest("sha512_256", hex=hex)

    def sm3(self, *, hex=False):
        """The SM3 digest of each value."""
        return self.digest("sm3", hex=hex)


@pl.api.register_expr_namespace("hashlanes")
class HashlanesExpr(_Digests):
    """``pl.col("x").hashlanes``: digests of strings, binary values and (``digest_rows``) structs.

    They are of type Binary, and with ``hex=True`` of type String.
    """

    def __init__(self, expr):
        self._expr = expr

    def _apply(self, function, hex):
        return self._expr.map_batches(function, return_dtype=_dtype(hex), is_elementwise=True)


@pl.api.register_series_namespace("hashlanes")
class HashlanesSeries(_Digests):
    """``series.hashlanes``: as for expressions, at once."""

    def __init__(self, series):
        self._series = series

    def _apply(self, function, hex):
        return function(self._series)
