//! One message that comes in pieces, its algorithm chosen at run time.

use super::digest::AnyDigest;
use super::engine::AnyEngine;
use crate::api::hasher::Hasher;
#[cfg(feature = "std")]
use crate::api::reader::for_each_piece;
use crate::function::{
    Algorithm, HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256,
};

/// A [`Hasher`] whose algorithm is chosen at run time. [`Algorithm::hasher`] makes one.
///
/// ```
/// use hashlanes::Algorithm;
///
/// let algorithm = Algorithm::from_name("sha512/256")?;
/// let mut hasher = algorithm.hasher();
/// hasher.update("a").update("bc");
/// assert_eq!(hasher.finalize(), algorithm.digest("abc"));
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[derive(Clone)]
pub struct AnyHasher {
    inner: Inner,
}

/// In place, so that nothing is allocated. All are of about 200 bytes.
#[derive(Clone)]
enum Inner {
    Md5(Hasher<Md5>),
    Sha1(Hasher<Sha1>),
    Sha224(Hasher<Sha224>),
    Sha256(Hasher<Sha256>),
    Sha384(Hasher<Sha384>),
    Sha512(Hasher<Sha512>),
    Sha512_256(Hasher<Sha512_256>),
}

/// Evaluates an expression with the typed hasher.
macro_rules! with_hasher {
    ($inner:expr, $hasher:ident => $body:expr) => {
        match $inner {
            Inner::Md5($hasher) => $body,
            Inner::Sha1($hasher) => $body,
            Inner::Sha224($hasher) => $body,
            Inner::Sha256($hasher) => $body,
            Inner::Sha384($hasher) => $body,
            Inner::Sha512($hasher) => $body,
            Inner::Sha512_256($hasher) => $body,
        }
    };
}

impl AnyHasher {
    /// As [`Hasher::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self::with_engine(AnyEngine::new(algorithm))
    }

    /// As [`Hasher::with_engine`].
    pub fn with_engine(engine: AnyEngine) -> Self {
        let inner = match engine.algorithm() {
            Algorithm::Md5 => Inner::Md5(Hasher::with_engine(engine.typed())),
            Algorithm::Sha1 => Inner::Sha1(Hasher::with_engine(engine.typed())),
            Algorithm::Sha224 => Inner::Sha224(Hasher::with_engine(engine.typed())),
            Algorithm::Sha256 => Inner::Sha256(Hasher::with_engine(engine.typed())),
            Algorithm::Sha384 => Inner::Sha384(Hasher::with_engine(engine.typed())),
            Algorithm::Sha512 => Inner::Sha512(Hasher::with_engine(engine.typed())),
            Algorithm::Sha512_256 => Inner::Sha512_256(Hasher::with_engine(engine.typed())),
        };
        Self { inner }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &Hasher<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_hasher!(&self.inner, hasher => of(hasher))
    }

    /// As [`Hasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        with_hasher!(&mut self.inner, hasher => { hasher.update(bytes); });
        self
    }

    /// As [`Hasher::update_reader`].
    ///
    /// # Errors
    /// As [`Hasher::update_reader`].
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// As [`Hasher::finalize`].
    pub fn finalize(self) -> AnyDigest {
        with_hasher!(self.inner, hasher => AnyDigest::new(&hasher.finalize()))
    }

    /// As [`Hasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        with_hasher!(&mut self.inner, hasher => AnyDigest::new(&hasher.finalize_reset()))
    }

    /// As [`Hasher::reset`].
    pub fn reset(&mut self) {
        with_hasher!(&mut self.inner, hasher => hasher.reset());
    }

    /// As [`Hasher::len`].
    pub fn len(&self) -> u128 {
        with_hasher!(&self.inner, hasher => hasher.len())
    }

    /// As [`Hasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Shows how long the message is so far, but not its state.
impl core::fmt::Debug for AnyHasher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyHasher")
            .field("algorithm", &self.algorithm())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl std::io::Write for AnyHasher {
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
impl zeroize::ZeroizeOnDrop for AnyHasher {}
