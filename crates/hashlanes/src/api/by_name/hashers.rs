//! Many messages in pieces, in step, with an algorithm chosen at run time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::digest::AnyDigest;
use super::engine::AnyEngine;
use crate::api::engine::Engine;
use crate::api::hasher::Hasher;
use crate::function::{Algorithm, HashFunction};
use crate::with_function;

/// A fixed number of messages in progress, all with one algorithm that is chosen at run time. They
/// are continued side by side in lanes. [`AnyEngine::hashers`] makes them.
///
/// ```
/// use hashlanes::{Algorithm, AnyEngine};
///
/// let engine = AnyEngine::new(Algorithm::Md5);
/// let mut hashers = engine.hashers(2);
/// hashers.update(&[b"a", b"mess"]);
/// hashers.update(&[b"", b"age"]);
/// assert_eq!(hashers.finalize_reset(1), Algorithm::Md5.digest(b"message"));
/// ```
pub struct AnyHashers {
    algorithm: Algorithm,
    inner: Box<dyn ErasedHashers>,
}

impl AnyEngine {
    /// Hashers of `count` empty messages, to be continued side by side.
    pub fn hashers(&self, count: usize) -> AnyHashers {
        let inner: Box<dyn ErasedHashers> = with_function!(self.algorithm(), A => {
            Box::new(TypedHashers::<A>::new(self.typed(), count))
        });
        AnyHashers { algorithm: self.algorithm(), inner }
    }
}

impl AnyHashers {
    /// Appends `pieces[i]` to message `i`, for each message. A piece may be empty.
    ///
    /// # Panics
    /// If the number of pieces is not that of the messages.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        self.inner.update(pieces);
    }

    /// The digest of message `index`, which is replaced by a new, empty message.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn finalize_reset(&mut self, index: usize) -> AnyDigest {
        self.inner.finalize_reset(index)
    }

    /// Abandons message `index`, which is replaced by a new, empty one.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn reset(&mut self, index: usize) {
        self.inner.reset(index);
    }
}

impl fmt::Debug for AnyHashers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyHashers").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

trait ErasedHashers: Send + Sync {
    fn update(&mut self, pieces: &[&[u8]]);
    fn finalize_reset(&mut self, index: usize) -> AnyDigest;
    fn reset(&mut self, index: usize);
}

struct TypedHashers<A: HashFunction> {
    engine: Engine<A>,
    hashers: Vec<Hasher<A>>,
}

impl<A: HashFunction> TypedHashers<A> {
    fn new(engine: Engine<A>, count: usize) -> Self {
        Self { engine, hashers: alloc::vec![Hasher::with_engine(engine); count] }
    }
}

impl<A: HashFunction> ErasedHashers for TypedHashers<A> {
    fn update(&mut self, pieces: &[&[u8]]) {
        self.engine.update_many(&mut self.hashers, pieces);
    }

    fn finalize_reset(&mut self, index: usize) -> AnyDigest {
        AnyDigest::new(&self.hashers[index].finalize_reset())
    }

    fn reset(&mut self, index: usize) {
        self.hashers[index].reset();
    }
}
