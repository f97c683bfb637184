//! The MAC of one message in pieces.

use super::key::HmacKey;
use crate::api::equal::equal;
use crate::api::hasher::Hasher;
use crate::function::HashFunction;
use crate::wipe;

/// A streaming hasher of one message under a key, which uses the fastest code for a single message.
///
/// [`HmacKey::hasher`] makes one. It is used like a [`Hasher`]. With the feature `digest`, it
/// implements the traits of RustCrypto's crate `digest` that make up a `Mac`.
///
/// ```
/// use hashlanes::{HmacKey, Sha1};
///
/// let key = HmacKey::<Sha1>::new("secret");
/// let mut hasher = key.hasher();
/// hasher.update("mess").update("age");
/// assert_eq!(hasher.finalize(), key.mac("message"));
/// ```
#[derive(Clone)]
pub struct HmacHasher<A: HashFunction> {
    inner: Hasher<A>,
    key: HmacKey<A>,
}

impl<A: HashFunction> HmacKey<A> {
    /// A hasher of one message, in pieces.
    pub fn hasher(&self) -> HmacHasher<A> {
        wipe::call::<{ wipe::ALONE }, _>(|| HmacHasher::new(self.clone()))
    }
}

impl<A: HashFunction> HmacHasher<A> {
    fn new(key: HmacKey<A>) -> Self {
        Self { inner: key.inner_hasher(), key }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.inner.update(bytes);
        self
    }

    /// Appends all bytes of a reader until its end; see [`Hasher::update_reader`].
    ///
    /// # Errors
    /// Like [`Hasher::update_reader`].
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        self.inner.update_reader(reader)?;
        Ok(self)
    }

    /// The MAC of the message. For the MAC of the message so far, finalize a clone.
    pub fn finalize(mut self) -> A::Digest {
        self.finalize_reset()
    }

    /// The MAC of the message. The hasher begins a new, empty message under the same key.
    pub fn finalize_reset(&mut self) -> A::Digest {
        wipe::call::<{ wipe::ALONE }, _>(|| {
            let inner = self.inner.finalize_reset();
            self.reset();
            self.key.finish(inner.as_ref())
        })
    }

    /// Whether `mac` is the MAC of the message; see [`HmacKey::verify`].
    #[must_use]
    pub fn verify(mut self, mac: impl AsRef<[u8]>) -> bool {
        let mac = mac.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| equal(self.finalize_reset().as_ref(), mac))
    }

    /// Abandons the message and begins a new, empty one under the same key.
    pub fn reset(&mut self) {
        self.inner = self.key.inner_hasher();
    }

    /// The length of the message so far in bytes.
    pub fn len(&self) -> u128 {
        self.inner.len() - A::ALGORITHM.block_len() as u128
    }

    /// Whether the message is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Shows the length of the message so far, but not its state.
impl<A: HashFunction> core::fmt::Debug for HmacHasher<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HmacHasher")
            .field("algorithm", &A::ALGORITHM)
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: HashFunction> std::io::Write for HmacHasher<A> {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(feature = "zeroize")]
impl<A: HashFunction> zeroize::ZeroizeOnDrop for HmacHasher<A> {}
