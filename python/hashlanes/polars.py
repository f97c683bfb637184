"""Polars expressions: ``import hashlanes.polars``, then ``pl.col("x").hashlanes.sha256()``.

The import registers the namespace ``hashlanes`` for expressions and for Series. Expressions are
lazy, run in the streaming engine too, and let other threads run while they hash. A null stays null.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Generic, TypeVar

import polars as pl

from . import Array, ChunkedArray
from . import digest_array as _digest_array
from . import digest_many as _digest_many
from . import digest_rows as _digest_rows

__all__ = ["HashlanesExpr", "HashlanesSeries"]


def _array(series: pl.Series, name: str, hex: bool) -> pl.Series:
    # The digests of a categorical would be a dictionary of bytes, which Polars does not support.
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    return _series(series.name, _digest_array(series, name, hex=hex), hex)


def _rows(series: pl.Series, name: str, hex: bool) -> pl.Series:
    return _series(series.name, _digest_rows(series, None, name, hex=hex), hex)


def _series(name: str, digests: Array | ChunkedArray, hex: bool) -> pl.Series:
    # The constructor of a Polars Series ignores its name argument for PyCapsule input.
    return pl.Series(digests, dtype=_dtype(hex)).alias(name)


def _check(name: str) -> None:
    """Raises ValueError for an unknown function now, before the query runs."""
    _digest_many([], name)


def _dtype(hex: bool) -> type[pl.DataType]:
    return pl.String if hex else pl.Binary


T = TypeVar("T", pl.Expr, pl.Series)


class _Digests(Generic[T]):
    """The methods of both namespaces."""

    def _apply(self, function: Callable[[pl.Series], pl.Series], hex: bool) -> T:
        """Applies the function to the Series."""
        raise NotImplementedError

    def digest(self, name: str, *, hex: bool = False) -> T:
        """The digest of each value, with the function of this name."""
        _check(name)
        return self._apply(partial(_array, name=name, hex=hex), hex)

    def digest_rows(self, name: str, *, hex: bool = False) -> T:
        """The digest of each struct, framed as in ``hashlanes.digest_rows``."""
        _check(name)
        return self._apply(partial(_rows, name=name, hex=hex), hex)

    def md5(self, *, hex: bool = False) -> T:
        """The MD5 digest of each value."""
        return self.digest("md5", hex=hex)

    def sha1(self, *, hex: bool = False) -> T:
        """The SHA-1 digest of each value."""
        return self.digest("sha1", hex=hex)

    def sha224(self, *, hex: bool = False) -> T:
        """The SHA-224 digest of each value."""
        return self.digest("sha224", hex=hex)

    def sha256(self, *, hex: bool = False) -> T:
        """The SHA-256 digest of each value."""
        return self.digest("sha256", hex=hex)

    def sha384(self, *, hex: bool = False) -> T:
        """The SHA-384 digest of each value."""
        return self.digest("sha384", hex=hex)

    def sha512(self, *, hex: bool = False) -> T:
        """The SHA-512 digest of each value."""
        return self.digest("sha512", hex=hex)

    def sha512_256(self, *, hex: bool = False) -> T:
        """The SHA-512/256 digest of each value."""
        return self.digest("sha512_256", hex=hex)

    def sm3(self, *, hex: bool = False) -> T:
        """The SM3 digest of each value."""
        return self.digest("sm3", hex=hex)


@pl.api.register_expr_namespace("hashlanes")
class HashlanesExpr(_Digests[pl.Expr]):
    """``pl.col("x").hashlanes``: digests of strings, binary values and (``digest_rows``) structs.

    They have the type Binary, or String with ``hex=True``.
    """

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def _apply(self, function: Callable[[pl.Series], pl.Series], hex: bool) -> pl.Expr:
        return self._expr.map_batches(function, return_dtype=_dtype(hex), is_elementwise=True)


@pl.api.register_series_namespace("hashlanes")
class HashlanesSeries(_Digests[pl.Series]):
    """``series.hashlanes``: as for expressions, but evaluated immediately."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _apply(self, function: Callable[[pl.Series], pl.Series], hex: bool) -> pl.Series:
        return function(self._series)
