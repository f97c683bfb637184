//! One message in pieces.

use hashlanes::{Algorithm, AnyDigest, Hasher, HmacKey};

use crate::border::Error;
use crate::function::Function;

/// A message in progress.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "one place, which is overwritten when it is freed")]
pub(crate) enum Stream {
    Digest(Hasher),
    Hmac(Hasher<Algorithm, HmacKey>),
}

impl Stream {
    pub(crate) fn new(function: &Function) -> Result<Self, Error> {
        match function {
            Function::Digest(engine) => Ok(Self::Digest(Hasher::with_engine(*engine))),
            Function::Hmac(key) => Ok(Self::Hmac(key.hasher())),
            Function::Xof(_) => Err(Error::Argument("not for output of any length".to_owned())),
        }
    }

    pub(crate) fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Digest(hasher) => _ = hasher.update(piece),
            Self::Hmac(hasher) => _ = hasher.update(piece),
        }
    }

    pub(crate) fn finish(&mut self) -> AnyDigest {
        match self {
            Self::Digest(hasher) => hasher.finalize_reset(),
            Self::Hmac(hasher) => hasher.finalize_reset(),
        }
    }

    pub(crate) fn reset(&mut self) {
        match self {
            Self::Digest(hasher) => hasher.reset(),
            Self::Hmac(hasher) => hasher.reset(),
        }
    }
}
