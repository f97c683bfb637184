//! HMAC with an algorithm chosen at run time.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::any::Any;

use super::digest::AnyDigest;
use super::engine::{AnyEngine, places};
use crate::api::equal::equal;
#[cfg(feature = "std")]
use crate::api::reader::for_each_piece;
use crate::function::{Algorithm, HashFunction, each_function, variant_for, with_variant};
use crate::wipe;
use crate::{HmacHasher, HmacKey};

/// An [`HmacKey`] whose algorithm is chosen at run time.
///
/// ```
/// use hashlanes::{Algorithm, AnyHmacKey, HmacKey, Sha256};
///
/// let key = AnyHmacKey::new(Algorithm::from_name("sha256")?, "secret");
/// assert_eq!(key.mac("message"), HmacKey::<Sha256>::new("secret").mac("message"));
///
/// let mut hasher = key.hasher();
/// hasher.update("mess").update("age");
/// assert_eq!(hasher.finalize(), key.mac("message"));
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[derive(Clone)]
pub struct AnyHmacKey {
    inner: Keys,
}

/// An [`HmacHasher`] whose algorithm is chosen at run time. [`AnyHmacKey::hasher`] makes one.
#[derive(Clone)]
pub struct AnyHmacHasher {
    inner: Hashers,
}

each_function! {
    #[derive(Clone)]
    enum Keys of HmacKey
}

each_function! {
    #[derive(Clone)]
    enum Hashers of HmacHasher
}

impl AnyHmacKey {
    /// Like [`HmacKey::new`].
    pub fn new(algorithm: Algorithm, key: impl AsRef<[u8]>) -> Self {
        Self::with_engine(AnyEngine::new(algorithm), key)
    }

    /// Like [`HmacKey::with_engine`].
    pub fn with_engine(engine: AnyEngine, key: impl AsRef<[u8]>) -> Self {
        let (algorithm, key) = (engine.algorithm(), key.as_ref());
        wipe::call::<{ wipe::TREE }, _>(|| {
            let inner = variant_for!(algorithm, Keys(HmacKey::with_engine(engine.typed(), key)));
            Self { inner }
        })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &HmacKey<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_variant!(&self.inner, Keys(key) => of(key))
    }

    /// Like [`HmacKey::mac`].
    pub fn mac(&self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_variant!(&self.inner, Keys(key) => AnyDigest::new(&key.mac(message)))
    }

    /// Like [`HmacKey::mac_many`].
    #[cfg(feature = "alloc")]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        with_variant!(&self.inner, Keys(key) => {
            key.mac_many(messages).iter().map(AnyDigest::new).collect()
        })
    }

    /// Writes the MACs of many messages to `macs`, one after the other, as
    /// [`AnyEngine::digest_many_into`] does.
    ///
    /// # Panics
    /// If `macs` has another length.
    pub fn mac_many_into(&self, messages: &[impl AsRef<[u8]>], macs: &mut [u8]) {
        with_variant!(&self.inner, Keys(key) => key.mac_many_into(messages, places(macs)));
    }

    /// The key with its function as a type, if `A` is that function.
    ///
    /// ```
    /// use hashlanes::{Algorithm, AnyHmacKey, Md5, Sha256};
    ///
    /// let key = AnyHmacKey::new(Algorithm::Sha256, "secret");
    /// let typed = key.typed::<Sha256>().expect("a key for SHA-256");
    /// assert_eq!(key.mac("a"), typed.mac("a"));
    /// assert!(key.typed::<Md5>().is_none());
    /// ```
    pub fn typed<A: HashFunction>(&self) -> Option<&HmacKey<A>> {
        self.any().downcast_ref()
    }

    fn any(&self) -> &dyn Any {
        with_variant!(&self.inner, Keys(key) => key)
    }

    /// Like [`HmacKey::verify`].
    #[must_use]
    pub fn verify(&self, message: impl AsRef<[u8]>, mac: impl AsRef<[u8]>) -> bool {
        with_variant!(&self.inner, Keys(key) => key.verify(message, mac))
    }

    /// Like [`HmacKey::hasher`].
    pub fn hasher(&self) -> AnyHmacHasher {
        wipe::call::<{ wipe::TREE }, _>(|| {
            let inner = with_variant!(&self.inner, Keys(key) => to Hashers(key.hasher()));
            AnyHmacHasher { inner }
        })
    }
}

impl core::fmt::Debug for AnyHmacKey {
    /// Shows the algorithm, and nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyHmacKey").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

impl AnyHmacHasher {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &HmacHasher<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_variant!(&self.inner, Hashers(hasher) => of(hasher))
    }

    /// Like [`HmacHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        with_variant!(&mut self.inner, Hashers(hasher) => { hasher.update(bytes); });
        self
    }

    /// Like [`HmacHasher::update_reader`].
    ///
    /// # Errors
    /// Like [`HmacHasher::update_reader`].
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// Like [`HmacHasher::finalize`].
    pub fn finalize(mut self) -> AnyDigest {
        self.finalize_reset()
    }

    /// Like [`HmacHasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        with_variant!(&mut self.inner, Hashers(hasher) => AnyDigest::new(&hasher.finalize_reset()))
    }

    /// Like [`HmacHasher::verify`].
    #[must_use]
    pub fn verify(mut self, mac: impl AsRef<[u8]>) -> bool {
        let mac = mac.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| equal(self.finalize_reset().as_bytes(), mac))
    }

    /// Like [`HmacHasher::reset`].
    pub fn reset(&mut self) {
        with_variant!(&mut self.inner, Hashers(hasher) => hasher.reset());
    }

    /// Like [`HmacHasher::len`].
    pub fn len(&self) -> u128 {
        with_variant!(&self.inner, Hashers(hasher) => hasher.len())
    }

    /// Like [`HmacHasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl core::fmt::Debug for AnyHmacHasher {
    /// Shows the length of the message so far, and nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyHmacHasher")
            .field("algorithm", &self.algorithm())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl std::io::Write for AnyHmacHasher {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
