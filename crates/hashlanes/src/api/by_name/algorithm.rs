//! Hashing with an [`Algorithm`], without making an engine.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
use crate::api::engine::Engine;
use crate::api::hasher::Hasher;
use crate::function::Algorithm;
use crate::function::choice::{Before, Choice};
use crate::kernel::KernelInfo;

impl Algorithm {
    /// The digest of one message.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Md5};
    ///
    /// assert_eq!(Algorithm::Md5.digest("abc"), Md5::digest("abc"));
    /// ```
    pub fn digest(self, message: impl AsRef<[u8]>) -> AnyDigest {
        Engine::of(self).digest(message)
    }

    /// A hasher of one message, in pieces. See [`Hasher`].
    pub fn hasher(self) -> Hasher {
        Hasher::of(self)
    }

    /// The digests of many independent messages, in the same order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        Engine::of(self).digest_many(messages)
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
        Engine::of(self).digest_chunks(data, chunk_length)
    }

    /// The kernels that this crate has for the algorithm on this architecture, including those that
    /// this CPU cannot run.
    ///
    /// ```
    /// use hashlanes::Algorithm;
    ///
    /// for kernel in Algorithm::Sha256.kernels().filter(|kernel| kernel.is_available()) {
    ///     println!("{}: {} messages side by side", kernel.name, kernel.lanes);
    /// }
    /// ```
    pub fn kernels(self) -> impl ExactSizeIterator<Item = KernelInfo> {
        let before = self.beginning();
        let rows = (0..).take_while(|&row| before.kernel(row).is_some()).count();
        (0..rows).map(move |row| before.kernel(row).expect("a row of the table"))
    }
}
