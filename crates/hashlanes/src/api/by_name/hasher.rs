//! One message in pieces, with an algorithm chosen at run time.

use super::digest::AnyDigest;
use super::engine::AnyEngine;
use crate::api::hasher::Hasher;
#[cfg(feature = "std")]
use crate::api::reader::for_each_piece;
use crate::function::{Algorithm, HashFunction, each_function, variant_for, with_variant};

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
    pub(super) inner: Hashers,
}

each_function! {
    /// All variants have about 200 bytes.
    #[derive(Clone)]
    pub(super) enum Hashers of Hasher
}

impl AnyHasher {
    /// Like [`Hasher::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self::with_engine(AnyEngine::new(algorithm))
    }

    /// Like [`Hasher::with_engine`].
    pub fn with_engine(engine: AnyEngine) -> Self {
        let algorithm = engine.algorithm();
        let inner = variant_for!(algorithm, Hashers(Hasher::with_engine(engine.typed())));
        Self { inner }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &Hasher<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_variant!(&self.inner, Hashers(hasher) => of(hasher))
    }

    /// Like [`Hasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        with_variant!(&mut self.inner, Hashers(hasher) => { hasher.update(bytes); });
        self
    }

    /// Like [`Hasher::update_reader`].
    ///
    /// # Errors
    /// Like [`Hasher::update_reader`].
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// Like [`Hasher::finalize`].
    pub fn finalize(self) -> AnyDigest {
        // By reference: a move would leave a copy.
        with_variant!(&self.inner, Hashers(hasher) => AnyDigest::new(&hasher.digest_so_far()))
    }

    /// Like [`Hasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        with_variant!(&mut self.inner, Hashers(hasher) => AnyDigest::new(&hasher.finalize_reset()))
    }

    /// Like [`Hasher::reset`].
    pub fn reset(&mut self) {
        with_variant!(&mut self.inner, Hashers(hasher) => hasher.reset());
    }

    /// Like [`Hasher::len`].
    pub fn len(&self) -> u128 {
        with_variant!(&self.inner, Hashers(hasher) => hasher.len())
    }

    /// Like [`Hasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Shows the length of the message so far, but not its state.
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
