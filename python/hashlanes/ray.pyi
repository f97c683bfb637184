import os
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Literal

from ray.data import Dataset

def digests(
    path: str,
    names: str | Sequence[str] = "sha256",
    *,
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> Dataset: ...
def tree(
    path: str,
    format: Literal["s3-etag", "s3-sha1", "s3-sha256"] = "s3-etag",
    *,
    part_size: int | str = "8MiB",
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> Dataset: ...
def check(
    before: Dataset,
    path: str,
    *,
    base: str | None = None,
    checkpoint: str | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> Dataset: ...
def write_manifest(
    dataset: Dataset,
    destination: str | os.PathLike[str] | BinaryIO,
    name: str = "sha256",
    *,
    base: str | None = None,
    format: Literal["text", "tagged", "json", "csv", "hashdeep", "sfv", "bagit"] = "text",
) -> int: ...

__all__ = ["check", "digests", "tree", "write_manifest"]
