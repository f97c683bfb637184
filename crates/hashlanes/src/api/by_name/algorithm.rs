//! Hashing with an [`Algorithm`], without making an engine.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
#[cfg(feature = "alloc")]
use super::engine::AnyEngine;
use super::hasher::AnyHasher;
use crate::function::Algorithm;
use crate::with_function;

impl Algorithm {
    /// The digest of one message.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Md5};
    ///
    /// assert_eq!(Algorithm::Md5.digest("abc"), Md5::digest("abc"));
    /// ```
    pub fn digest(self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_function!(self, A => AnyDigest::new(&A::digest(message)))
    }

    /// A hasher of one message, in pieces. See [`AnyHasher`].
    pub fn hasher(self) -> AnyHasher {
        AnyHasher::new(self)
    }

    /// The digests of many independent messages, in the same order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        AnyEngine::new(self).digest_many(messages)
    }

    /// The digests of the consecutive chunks of `data`. See
    /// [`digest_chunks`](crate::digest_chunks).
    ///
    /// ```
    /// use hashlanes::Algorithm;
    ///
    /// let pieces = Algorithm::Sha1.digest_chunks(b"abcde", 2);
    /// assert_eq!(pieces, ["ab", "cd", "e"].map(|piece| Algorithm::Sha1.digest(piece)));
    /// ```
    ///
    /// # Panics
    /// If `chunk_length` is 0.
    #[cfg(feature = "alloc")]
    pub fn digest_chunks(self, data: &[u8], chunk_length: usize) -> Vec<AnyDigest> {
        AnyEngine::new(self).digest_chunks(data, chunk_length)
    }
}
