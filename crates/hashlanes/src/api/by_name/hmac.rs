//! HMAC, its algorithm chosen at run time.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
use super::engine::AnyEngine;
#[cfg(feature = "std")]
use crate::api::reader::for_each_piece;
use crate::function::{
    Algorithm, HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256,
};
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
    #[expect(clippy::type_complexity, reason = "one for each algorithm")]
    inner: Inner<
        HmacKey<Md5>,
        HmacKey<Sha1>,
        HmacKey<Sha224>,
        HmacKey<Sha256>,
        HmacKey<Sha384>,
        HmacKey<Sha512>,
        HmacKey<Sha512_256>,
    >,
}

/// An [`HmacHasher`] whose algorithm is chosen at run time. [`AnyHmacKey::hasher`] makes one.
#[derive(Clone)]
pub struct AnyHmacHasher {
    #[expect(clippy::type_complexity, reason = "one for each algorithm")]
    inner: Inner<
        HmacHasher<Md5>,
        HmacHasher<Sha1>,
        HmacHasher<Sha224>,
        HmacHasher<Sha256>,
        HmacHasher<Sha384>,
        HmacHasher<Sha512>,
        HmacHasher<Sha512_256>,
    >,
}

/// One of these, in place, so that nothing is allocated.
#[derive(Clone)]
enum Inner<A, B, C, D, E, F, G> {
    Md5(A),
    Sha1(B),
    Sha224(C),
    Sha256(D),
    Sha384(E),
    Sha512(F),
    Sha512_256(G),
}

/// Evaluates an expression with what is typed.
macro_rules! with_typed {
    ($inner:expr, $typed:ident => $body:expr) => {
        match $inner {
            Inner::Md5($typed) => $body,
            Inner::Sha1($typed) => $body,
            Inner::Sha224($typed) => $body,
            Inner::Sha256($typed) => $body,
            Inner::Sha384($typed) => $body,
            Inner::Sha512($typed) => $body,
            Inner::Sha512_256($typed) => $body,
        }
    };
}

impl AnyHmacKey {
    /// As [`HmacKey::new`].
    pub fn new(algorithm: Algorithm, key: impl AsRef<[u8]>) -> Self {
        Self::with_engine(AnyEngine::new(algorithm), key)
    }

    /// As [`HmacKey::with_engine`].
    pub fn with_engine(engine: AnyEngine, key: impl AsRef<[u8]>) -> Self {
        let inner = match engine.algorithm() {
            Algorithm::Md5 => Inner::Md5(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha1 => Inner::Sha1(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha224 => Inner::Sha224(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha256 => Inner::Sha256(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha384 => Inner::Sha384(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha512 => Inner::Sha512(HmacKey::with_engine(engine.typed(), key)),
            Algorithm::Sha512_256 => Inner::Sha512_256(HmacKey::with_engine(engine.typed(), key)),
        };
        Self { inner }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &HmacKey<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_typed!(&self.inner, key => of(key))
    }

    /// As [`HmacKey::mac`].
    pub fn mac(&self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_typed!(&self.inner, key => AnyDigest::new(&key.mac(message)))
    }

    /// As [`HmacKey::mac_many`].
    #[cfg(feature = "alloc")]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        with_typed!(&self.inner, key => {
            key.mac_many(messages).iter().map(AnyDigest::new).collect()
        })
    }

    /// As [`HmacKey::verify`].
    #[must_use]
    pub fn verify(&self, message: impl AsRef<[u8]>, mac: impl AsRef<[u8]>) -> bool {
        with_typed!(&self.inner, key => key.verify(message, mac))
    }

    /// As [`HmacKey::hasher`].
    pub fn hasher(&self) -> AnyHmacHasher {
        let inner = match &self.inner {
            Inner::Md5(key) => Inner::Md5(key.hasher()),
            Inner::Sha1(key) => Inner::Sha1(key.hasher()),
            Inner::Sha224(key) => Inner::Sha224(key.hasher()),
            Inner::Sha256(key) => Inner::Sha256(key.hasher()),
            Inner::Sha384(key) => Inner::Sha384(key.hasher()),
            Inner::Sha512(key) => Inner::Sha512(key.hasher()),
            Inner::Sha512_256(key) => Inner::Sha512_256(key.hasher()),
        };
        AnyHmacHasher { inner }
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
        with_typed!(&self.inner, hasher => of(hasher))
    }

    /// As [`HmacHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        with_typed!(&mut self.inner, hasher => { hasher.update(bytes); });
        self
    }

    /// As [`HmacHasher::update_reader`].
    ///
    /// # Errors
    /// As [`HmacHasher::update_reader`].
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// As [`HmacHasher::finalize`].
    pub fn finalize(self) -> AnyDigest {
        with_typed!(self.inner, hasher => AnyDigest::new(&hasher.finalize()))
    }

    /// As [`HmacHasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        with_typed!(&mut self.inner, hasher => AnyDigest::new(&hasher.finalize_reset()))
    }

    /// As [`HmacHasher::verify`].
    #[must_use]
    pub fn verify(self, mac: impl AsRef<[u8]>) -> bool {
        with_typed!(self.inner, hasher => hasher.verify(mac))
    }

    /// As [`HmacHasher::reset`].
    pub fn reset(&mut self) {
        with_typed!(&mut self.inner, hasher => hasher.reset());
    }

    /// As [`HmacHasher::len`].
    pub fn len(&self) -> u128 {
        with_typed!(&self.inner, hasher => hasher.len())
    }

    /// As [`HmacHasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl core::fmt::Debug for AnyHmacHasher {
    /// Shows how long the message is so far, and nothing of the key.
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
