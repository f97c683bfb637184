from typing import final

from datafusion import SessionContext

@final
class Function:
    """A function for ``datafusion.udf``."""

    def __datafusion_scalar_udf__(self) -> object: ...

digest: Function
digest_rows: Function
md5: Function
sha1: Function
sha2: Function
sha224: Function
sha256: Function
sha384: Function
sha512: Function

def register_all(context: SessionContext) -> None:
    """Registers all functions. They replace DataFusion's of the same names."""
