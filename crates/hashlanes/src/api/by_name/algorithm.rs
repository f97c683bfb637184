//! What can be done with an [`Algorithm`] at once.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
#[cfg(feature = "alloc")]
use super::engine::AnyEngine;
use crate::api::engine::Engine;
use crate::function::{Algorithm, with_function};

impl Algorithm {
    /// The digest of one message.
    pub fn digest(self, message: &[u8]) -> AnyDigest {
        with_function!(self, A => AnyDigest::new(&Engine::<A>::new().digest(message)))
    }

    /// The digests of many independent messages, in their order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        AnyEngine::new(self).digest_many(messages)
    }
}
