from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Sequence
from hashlib import (
    blake2b as blake2b,
    blake2s as blake2s,
    pbkdf2_hmac as pbkdf2_hmac,
    scrypt as scrypt,
    sha3_224 as sha3_224,
    sha3_256 as sha3_256,
    sha3_384 as sha3_384,
    sha3_512 as sha3_512,
    shake_128 as shake_128,
    shake_256 as shake_256,
)
from os import PathLike
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeVar, final, overload

import numpy
import numpy.typing
from typing_extensions import Buffer, Self

__version__: str

algorithms_guaranteed: set[str]
algorithms_available: set[str]

_Path = str | bytes | PathLike[str] | PathLike[bytes]

class _OpenFile(Protocol):
    """An object such as fsspec's `OpenFile`."""

    @property
    def full_name(self) -> str: ...

class _RemotePath(Protocol):
    """An object such as a `UPath` of universal_pathlib."""

    @property
    def protocol(self) -> str: ...
    @property
    def path(self) -> str: ...

_Location = _Path | _OpenFile | _RemotePath
_Message = str | Buffer
_Digests = numpy.typing.NDArray[numpy.uint8]
_Progress = Callable[[int, int], object]
_Format = Literal["text", "tagged", "json", "csv", "hashdeep", "sfv", "bagit"]

class _HashObject(Protocol):
    def update(self, data: bytes, /) -> object: ...

_MessageT = TypeVar("_MessageT", contravariant=True)
_HashObjectT = TypeVar("_HashObjectT", bound=_HashObject)

class _Readable(Protocol):
    def readinto(self, memory: bytearray, /) -> int | None: ...
    def readable(self) -> bool: ...

class _Buffered(Protocol):
    def getbuffer(self) -> memoryview: ...

@final
class Hash:
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer, /) -> None: ...
    def digest(self, /) -> bytes: ...
    def hexdigest(self, /) -> str: ...
    def copy(self) -> Hash: ...
    def save(self) -> bytes: ...

def restore(saved: bytes, /) -> Hash: ...
def self_test() -> None: ...

# For other algorithms, an object of hashlib with the same methods.
def new(
    name: str,
    data: Buffer = b"",
    *,
    usedforsecurity: object = True,
    string: Buffer | None = None,
    **options: object,
) -> Hash: ...
def md5(
    data: Buffer = b"", *, usedforsecurity: object = True, string: Buffer | None = None
) -> Hash: ...

# The other constructors have the same signature.
sha1 = md5
sha224 = md5
sha256 = md5
sha384 = md5
sha512 = md5
sha512_256 = md5
sm3 = md5
keccak256 = md5
keccak512 = md5
blake3 = md5
sha256d = md5

@overload
def file_digest(
    fileobj: _Readable | _Buffered, digest: str, /, *, _bufsize: int = 262144
) -> Hash: ...
@overload
def file_digest(
    fileobj: _Readable | _Buffered,
    digest: Callable[[], _HashObjectT],
    /,
    *,
    _bufsize: int = 262144,
) -> _HashObjectT: ...
class _DigestMany(Protocol[_MessageT]):
    @overload
    def __call__(
        self,
        messages: Iterable[_MessageT],
        name: str,
        *,
        out: Literal["bytes"] = "bytes",
        threads: int | None = None,
    ) -> list[bytes]: ...
    @overload
    def __call__(
        self,
        messages: Iterable[_MessageT],
        name: str,
        *,
        out: Literal["hex"],
        threads: int | None = None,
    ) -> list[str]: ...
    @overload
    def __call__(
        self,
        messages: Iterable[_MessageT],
        name: str,
        *,
        out: Literal["numpy"],
        threads: int | None = None,
    ) -> _Digests: ...

digest_many: _DigestMany[_Message]
digest_many_parts: _DigestMany[Iterable[_Message]]

@overload
def digest_chunks(
    buffer: Buffer,
    size: int,
    name: str,
    *,
    out: Literal["bytes"] = "bytes",
    threads: int | None = None,
) -> list[bytes]: ...
@overload
def digest_chunks(
    buffer: Buffer, size: int, name: str, *, out: Literal["hex"], threads: int | None = None
) -> list[str]: ...
@overload
def digest_chunks(
    buffer: Buffer, size: int, name: str, *, out: Literal["numpy"], threads: int | None = None
) -> _Digests: ...
def digest_chains(
    values: Iterable[Buffer], lengths: Sequence[int], name: str
) -> list[bytes]: ...
def pbkdf2_many(
    name: str,
    passwords: Iterable[_Message],
    salts: Iterable[_Message],
    iterations: int,
    dklen: int | None = None,
) -> list[bytes]: ...
def hkdf_many(
    name: str,
    secrets: Iterable[_Message],
    salts: Iterable[_Message],
    infos: Iterable[_Message],
    length: int,
) -> list[bytes]: ...
def xof_many(
    messages: Iterable[_Message],
    name: str,
    lengths: int | Iterable[int],
    *,
    key: Buffer | None = None,
    customization: _Message | None = None,
    function_name: _Message | None = None,
    domain: int | None = None,
) -> list[bytes]: ...

class Lanes:
    def __init__(self, name: str) -> None: ...
    @property
    def name(self) -> str: ...
    def update(self, key: Hashable, data: Buffer) -> None: ...
    def finish(self, key: Hashable, data: Buffer = b"") -> None: ...
    def completed(self) -> list[tuple[Any, bytes]]: ...
    def flush(self) -> list[tuple[Any, bytes]]: ...
    def discard(self, key: Hashable) -> None: ...
    def close(self) -> None: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

@final
class _ServerHasher:
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> _ServerHasher: ...
    def reset(self) -> None: ...

class HashServer:
    def __init__(self, name: str, *, memory: int | None = None) -> None: ...
    @property
    def name(self) -> str: ...
    def hasher(self) -> _ServerHasher: ...
    def async_hasher(self) -> AsyncHasher: ...
    def stats(self) -> dict[str, float]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...

class AsyncHasher:
    def __init__(self, server: HashServer) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer) -> Coroutine[Any, Any, None]: ...
    async def digest(self) -> bytes: ...
    async def hexdigest(self) -> str: ...

class HashedFile(NamedTuple):
    path: Any
    digests: dict[str, Any]
    size: int
    changed: bool
    error: OSError | None

class CheckedFile(NamedTuple):
    path: str | None
    status: str
    error: Exception | None = None
    @property
    def ok(self) -> bool: ...

class hash_files(Iterator[HashedFile]):
    def __init__(
        self,
        paths: Iterable[_Location],
        names: str | Sequence[str],
        *,
        out: Literal["hex", "bytes"] = "hex",
        threads: int | None = None,
        errors: Literal["raise", "return"] = "raise",
        progress: _Progress | None = None,
    ) -> None: ...
    def __next__(self) -> HashedFile: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def write_manifest(
    manifest: _Path | BinaryIO,
    paths: Iterable[_Path],
    names: str | Sequence[str] = "sha256",
    *,
    format: _Format = "text",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> int: ...
def check_manifest(
    manifest: _Path,
    *,
    root: _Path | None = None,
    format: _Format | None = None,
    name: str | None = None,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> Iterator[CheckedFile]: ...

class _HasArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None, /) -> tuple[Any, Any]: ...

class _HasStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

_Rows = numpy.typing.NDArray[Any]

# A Series or a frame of pandas.
class _HasIndex(Protocol):
    @property
    def index(self) -> Any: ...
    @property
    def iloc(self) -> Any: ...

class _Column:
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def null_count(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> bytes | str | None: ...
    def __iter__(self) -> Iterator[bytes | str | None]: ...
    def to_pylist(self) -> list[bytes | str | None]: ...
    def to_numpy(self) -> _Digests: ...
    def to_pyarrow(self) -> Any: ...
    def to_polars(self, name: str | None = None) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> _Rows: ...
    def __arrow_c_schema__(self) -> Any: ...

@final
class Array(_Column):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

@final
class ChunkedArray(_Column):
    @property
    def chunks(self) -> list[Array]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@overload
def digest_array(
    array: _HasIndex, algorithm: str, *, hex: bool = False, threads: int | None = 1
) -> Any: ...
@overload
def digest_array(
    array: _HasArray | _Rows, algorithm: str, *, hex: bool = False, threads: int | None = 1
) -> Array: ...
@overload
def digest_array(
    array: _HasStream, algorithm: str, *, hex: bool = False, threads: int | None = 1
) -> ChunkedArray: ...
@overload
def digest_rows(
    table: _HasIndex,
    columns: Iterable[str] | None = None,
    algorithm: str = "sha256",
    *,
    hex: bool = False,
    threads: int | None = 1,
) -> Any: ...
@overload
def digest_rows(
    table: _HasArray,
    columns: Iterable[str] | None = None,
    algorithm: str = "sha256",
    *,
    hex: bool = False,
    threads: int | None = 1,
) -> Array: ...
@overload
def digest_rows(
    table: _HasStream,
    columns: Iterable[str] | None = None,
    algorithm: str = "sha256",
    *,
    hex: bool = False,
    threads: int | None = 1,
) -> ChunkedArray: ...
