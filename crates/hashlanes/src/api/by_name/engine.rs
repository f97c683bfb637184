//! The engine of an algorithm chosen at run time.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
use crate::api::engine::Engine;
use crate::api::kernel_error::KernelError;
use crate::function::{Algorithm, HashFunction, with_function};

/// An [`Engine`] whose algorithm is chosen at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyEngine {
    algorithm: Algorithm,
    /// The kernel that was asked for by name, which this CPU can run.
    forced: Option<&'static str>,
}

impl AnyEngine {
    /// As [`Engine::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            forced: with_function!(algorithm, A => Engine::<A>::new().forced_kernel()),
        }
    }

    /// As [`Engine::with_kernel`].
    ///
    /// # Errors
    /// If the algorithm has no kernel of that name, or this CPU or operating system cannot run it.
    pub fn with_kernel(algorithm: Algorithm, name: &str) -> Result<Self, KernelError> {
        let forced =
            with_function!(algorithm, A => Engine::<A>::with_kernel(name)?.forced_kernel());
        Ok(Self { algorithm, forced })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// As [`Engine::forced_kernel`].
    pub fn forced_kernel(&self) -> Option<&'static str> {
        self.forced
    }

    /// As [`Engine::kernel_for`].
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        with_function!(self.algorithm, A => self.typed::<A>().kernel_for(messages))
    }

    /// As [`Engine::digest`].
    pub fn digest(&self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_function!(self.algorithm, A => AnyDigest::new(&self.typed::<A>().digest(message)))
    }

    /// As [`Engine::digest_many`].
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        with_function!(self.algorithm, A => {
            let digests = self.typed::<A>().digest_many(messages);
            digests.iter().map(AnyDigest::new).collect()
        })
    }

    /// As [`Engine::digest_chunks`].
    ///
    /// # Panics
    /// If `chunk_length` is 0.
    #[cfg(feature = "alloc")]
    pub fn digest_chunks(&self, data: &[u8], chunk_length: usize) -> Vec<AnyDigest> {
        with_function!(self.algorithm, A => {
            let digests = self.typed::<A>().digest_chunks(data, chunk_length);
            digests.iter().map(AnyDigest::new).collect()
        })
    }

    pub(super) fn typed<A: HashFunction>(&self) -> Engine<A> {
        match self.forced {
            // The name was accepted when this engine was made, and the CPU is still the same.
            Some(name) => Engine::with_kernel(name).unwrap_or_default(),
            None => Engine::new(),
        }
    }
}
