//! Messages with a common prefix, with an algorithm chosen at run time.

use super::digest::AnyDigest;
use super::engine::{AnyEngine, places};
use super::hasher::{AnyHasher, Hashers};
use crate::Prefix;
use crate::function::{Algorithm, HashFunction, each_function, variant_for, with_variant};
use crate::wipe;

/// A [`Prefix`] whose algorithm is chosen at run time.
///
/// ```
/// use hashlanes::{Algorithm, AnyPrefix};
///
/// let leaf = AnyPrefix::new(Algorithm::Sha256, [0]);
/// assert_eq!(leaf.digest("first"), Algorithm::Sha256.digest("\0first"));
/// ```
#[derive(Clone)]
pub struct AnyPrefix {
    inner: Prefixes,
}

each_function! {
    #[derive(Clone)]
    enum Prefixes of Prefix
}

impl AnyPrefix {
    /// Like [`Prefix::new`].
    pub fn new(algorithm: Algorithm, bytes: impl AsRef<[u8]>) -> Self {
        Self::with_engine(AnyEngine::new(algorithm), bytes)
    }

    /// Like [`Prefix::with_engine`].
    pub fn with_engine(engine: AnyEngine, bytes: impl AsRef<[u8]>) -> Self {
        let (algorithm, bytes) = (engine.algorithm(), bytes.as_ref());
        wipe::call::<{ wipe::TREE }, _>(|| {
            let inner =
                variant_for!(algorithm, Prefixes(Prefix::with_engine(engine.typed(), bytes)));
            Self { inner }
        })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        fn of<A: HashFunction>(_: &Prefix<A>) -> Algorithm {
            A::ALGORITHM
        }
        with_variant!(&self.inner, Prefixes(prefix) => of(prefix))
    }

    /// Like [`Prefix::digest`].
    pub fn digest(&self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_variant!(&self.inner, Prefixes(prefix) => AnyDigest::new(&prefix.digest(message)))
    }

    /// Writes the digests of the prefix followed by each message, as
    /// [`AnyEngine::digest_many_into`] does.
    ///
    /// # Panics
    /// If `digests` has another length.
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
        with_variant!(&self.inner, Prefixes(prefix) => {
            prefix.digest_many_into(messages, places(digests));
        });
    }

    /// Writes the digests of the prefix followed by each chunk of `data`, as
    /// [`AnyEngine::digest_chunks_into`] does.
    ///
    /// # Panics
    /// If `chunk_length` is 0, or `digests` has another length.
    pub fn digest_chunks_into(&self, data: &[u8], chunk_length: usize, digests: &mut [u8]) {
        with_variant!(&self.inner, Prefixes(prefix) => {
            prefix.digest_chunks_into(data, chunk_length, places(digests));
        });
    }

    /// Like [`Prefix::digest_numbered_chains`].
    ///
    /// # Panics
    /// Like [`Prefix::digest_numbered_chains`].
    pub fn digest_numbered_chains(
        &self,
        inputs: &mut [u8],
        input_len: usize,
        value_len: usize,
        lengths: &[u64],
    ) {
        with_variant!(&self.inner, Prefixes(prefix) => {
            prefix.digest_numbered_chains(inputs, input_len, value_len, lengths);
        });
    }

    /// Like [`Prefix::hasher`].
    pub fn hasher(&self) -> AnyHasher {
        wipe::call::<{ wipe::TREE }, _>(|| {
            let inner = with_variant!(&self.inner, Prefixes(prefix) => to Hashers(prefix.hasher()));
            AnyHasher { inner }
        })
    }
}
