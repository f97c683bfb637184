//! One message in pieces.

use hashlanes::server::ServerHasher;
use hashlanes::{Algorithm, AnyDigest, Hasher, HmacKey};

/// A message in progress.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "one place, which is overwritten when it is freed")]
pub(crate) enum Stream {
    Digest(ServerHasher),
    Hmac(Hasher<Algorithm, HmacKey>),
}

impl Stream {
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
