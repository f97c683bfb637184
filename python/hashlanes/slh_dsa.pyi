from collections.abc import Iterable
from typing import Literal, final

from typing_extensions import Buffer

__all__ = ["SigningKey", "VerifyingKey"]

_Message = str | Buffer

@final
class SigningKey:
    @staticmethod
    def generate(parameter_set: str) -> SigningKey: ...
    @staticmethod
    def from_bytes(parameter_set: str, data: Buffer) -> SigningKey: ...
    @staticmethod
    def from_pem(text: str) -> SigningKey: ...
    def to_bytes(self) -> bytes: ...
    def to_pem(self) -> str: ...
    @property
    def parameter_set(self) -> str: ...
    @property
    def verifying_key(self) -> VerifyingKey: ...
    def sign(
        self,
        message: _Message,
        *,
        context: Buffer = b"",
        pre_hash: str | None = None,
        deterministic: bool = False,
        check: Literal["root", "verify", "twice"] = "root",
    ) -> bytes: ...
    def sign_many(
        self,
        messages: Iterable[_Message],
        *,
        context: Buffer = b"",
        pre_hash: str | None = None,
        deterministic: bool = False,
        check: Literal["root", "verify", "twice"] = "root",
    ) -> list[bytes]: ...

@final
class VerifyingKey:
    @staticmethod
    def from_bytes(parameter_set: str, data: Buffer) -> VerifyingKey: ...
    @staticmethod
    def from_pem(text: str) -> VerifyingKey: ...
    def to_bytes(self) -> bytes: ...
    def to_pem(self) -> str: ...
    @property
    def parameter_set(self) -> str: ...
    def is_valid(
        self,
        message: _Message,
        signature: Buffer,
        *,
        context: Buffer = b"",
        pre_hash: str | None = None,
    ) -> bool: ...
    def verify_many(
        self,
        messages: Iterable[_Message],
        signatures: Iterable[Buffer],
        *,
        context: Buffer = b"",
        pre_hash: str | None = None,
    ) -> list[bool]: ...
    def __hash__(self) -> int: ...
