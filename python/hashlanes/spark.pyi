import os
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Literal

from pyspark.sql import Column, DataFrame, SparkSession

def digests(
    spark: SparkSession,
    path: str,
    names: str | Sequence[str] = "sha256",
    *,
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> DataFrame: ...
def tree(
    spark: SparkSession,
    path: str,
    format: Literal["s3-etag", "s3-sha1", "s3-sha256"] = "s3-etag",
    *,
    part_size: int | str = "8MiB",
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> DataFrame: ...
def check(
    spark: SparkSession,
    before: DataFrame,
    path: str,
    *,
    base: str | None = None,
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> DataFrame: ...
def write_manifest(
    frame: DataFrame,
    destination: str | os.PathLike[str] | BinaryIO,
    name: str = "sha256",
    *,
    base: str | None = None,
    format: Literal["text", "tagged", "json", "csv", "hashdeep", "sfv", "bagit"] = "text",
) -> int: ...
def md5(column: Column | str) -> Column: ...
def sha1(column: Column | str) -> Column: ...
def sha2(column: Column | str, bits: int) -> Column: ...
def sha256(column: Column | str) -> Column: ...
def digest(column: Column | str, name: str) -> Column: ...
def digest_rows(*columns: Column | str, name: str = "sha256") -> Column: ...
def with_digests(frame: DataFrame, name: str = "sha256", **columns: str) -> DataFrame: ...

__all__ = [
    "check",
    "digest",
    "digest_rows",
    "digests",
    "md5",
    "sha1",
    "sha2",
    "sha256",
    "tree",
    "with_digests",
    "write_manifest",
]
