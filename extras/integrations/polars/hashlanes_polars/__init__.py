"""Polars expressions: ``import hashlanes_polars``, then ``pl.col("x").hashlanes.sha256()``.

The import registers the namespace ``hashlanes`` for expressions and for Series. The expressions are
compiled, so plans show their names and are serialised without Python code. A null stays null.
"""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

import polars as pl
from polars.plugins import register_plugin_function

from ._hashlanes_polars import algorithm_name

__all__ = ["HashlanesExpr", "HashlanesSeries"]

T = TypeVar("T", pl.Expr, pl.Series)


class _Digests(Generic[T]):
    """The methods of both namespaces."""

    def _apply(self, function: str) -> T:
        """Applies a function of the plug-in."""
        raise NotImplementedError

    def digest(self, name: str, *, hex: bool = False) -> T:
        """The digest of each value, with any algorithm of the library: ``digest("blake3")``."""
        return self._apply(algorithm_name(name) + ("_hex" if hex else ""))

    def digest_rows(self, name: str, *, hex: bool = False) -> T:
        """The digest of each struct, framed as in ``hashlanes.digest_rows``."""
        return self._apply("digest_rows_" + algorithm_name(name) + ("_hex" if hex else ""))

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

    def _apply(self, function: str) -> pl.Expr:
        return register_plugin_function(
            plugin_path=Path(__file__).parent,
            function_name=function,
            args=self._expr,
            is_elementwise=True,
        )


@pl.api.register_series_namespace("hashlanes")
class HashlanesSeries(_Digests[pl.Series]):
    """``series.hashlanes``: as for expressions, but evaluated immediately."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _apply(self, function: str) -> pl.Series:
        expression = HashlanesExpr(pl.first())._apply(function)
        return self._series.to_frame().select(expression).to_series()
