//! Messages in progress, of an algorithm chosen at run time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::digest::AnyDigest;
use super::engine::AnyEngine;
use crate::api::engine::Engine;
use crate::api::hasher::Hasher;
use crate::function::{HashFunction, with_function};

/// A fixed number of messages in progress, of one algorithm chosen at run time, that are continued
/// side by side in lanes.
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
    inner: Box<dyn ErasedHashers>,
}

impl AnyEngine {
    /// Hashers of `count` empty messages, to be continued side by side.
    pub fn hashers(&self, count: usize) -> AnyHashers {
        AnyHashers {
            inner: with_function!(self.algorithm(), A => Box::new(TypedHashers::<A>::new(self.typed(), count))),
        }
    }
}

impl AnyHashers {
    /// Appends `pieces[i]` to message `i`, for each message.
    ///
    /// # Panics
    /// If there are not as many pieces as messages.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        self.inner.update(pieces);
    }

    /// The digest of message `index`, which begins anew, empty.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn finalize_reset(&mut self, index: usize) -> AnyDigest {
        self.inner.finalize_reset(index)
    }

    /// Abandons message `index`, which begins anew, empty.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn reset(&mut self, index: usize) {
        self.inner.reset(index);
    }
}

impl fmt::Debug for AnyHashers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyHashers").finish_non_exhaustive()
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
