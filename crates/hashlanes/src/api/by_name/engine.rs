//! The engine of an algorithm chosen at run time.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::digest::AnyDigest;
use crate::api::engine::Engine;
use crate::api::kernel_error::KernelError;
use crate::function::{Algorithm, HashFunction};
use crate::with_function;

/// An [`Engine`] whose algorithm is chosen at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyEngine {
    algorithm: Algorithm,
    /// The kernel that was chosen by name, which this CPU can run.
    forced: Option<&'static str>,
    uncached: bool,
}

impl AnyEngine {
    /// Like [`Engine::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self { algorithm, forced: None, uncached: false }
    }

    /// Like [`Engine::with_kernel`].
    ///
    /// # Errors
    /// If the algorithm has no kernel of this name, or this CPU or operating system cannot run it.
    pub fn with_kernel(algorithm: Algorithm, name: &str) -> Result<Self, KernelError> {
        let forced =
            with_function!(algorithm, A => Engine::<A>::with_kernel(name)?.forced_kernel());
        Ok(Self { algorithm, forced, uncached: false })
    }

    /// Like [`Engine::uncached`].
    #[must_use]
    pub fn uncached(self) -> Self {
        Self { uncached: true, ..self }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Like [`Engine::forced_kernel`].
    pub fn forced_kernel(&self) -> Option<&'static str> {
        with_function!(self.algorithm, A => self.typed::<A>().forced_kernel())
    }

    /// Like [`Engine::kernel_for`].
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        with_function!(self.algorithm, A => self.typed::<A>().kernel_for(messages))
    }

    /// Like [`Engine::lanes`].
    pub fn lanes(&self) -> usize {
        with_function!(self.algorithm, A => self.typed::<A>().lanes())
    }

    /// Like [`Engine::digest`].
    pub fn digest(&self, message: impl AsRef<[u8]>) -> AnyDigest {
        with_function!(self.algorithm, A => AnyDigest::new(&self.typed::<A>().digest(message)))
    }

    /// Like [`Engine::digest_many`].
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        with_function!(self.algorithm, A => {
            let digests = self.typed::<A>().digest_many(messages);
            digests.iter().map(AnyDigest::new).collect()
        })
    }

    /// Like [`Engine::digest_chunks`].
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

    /// Writes the digests of many messages to `digests`, one after the other, in the order of the
    /// messages: [`digest_len`](Algorithm::digest_len) bytes each. Allocates nothing.
    ///
    /// ```
    /// use hashlanes::{Algorithm, AnyEngine};
    ///
    /// let mut digests = [0; 2 * 16];
    /// AnyEngine::new(Algorithm::Md5).digest_many_into(&["abc", ""], &mut digests);
    /// assert_eq!(digests[16..], *Algorithm::Md5.digest("").as_bytes());
    /// ```
    ///
    /// # Panics
    /// If `digests` has another length.
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
        with_function!(self.algorithm, A => {
            let digests = places::<{ size_of::<<A as HashFunction>::Digest>() }>(digests);
            self.typed::<A>().digest_many_into(messages, digests);
        });
    }

    /// Writes the digests of the consecutive chunks of `data` to `digests`, as
    /// [`digest_many_into`](Self::digest_many_into) does.
    ///
    /// # Panics
    /// If `chunk_length` is 0, or `digests` has another length.
    pub fn digest_chunks_into(&self, data: &[u8], chunk_length: usize, digests: &mut [u8]) {
        with_function!(self.algorithm, A => {
            let digests = places::<{ size_of::<<A as HashFunction>::Digest>() }>(digests);
            self.typed::<A>().digest_chunks_into(data, chunk_length, digests);
        });
    }

    /// The engine with its function as a type: `A` must be the type of its algorithm.
    ///
    /// ```
    /// use hashlanes::{Algorithm, AnyEngine, Sha1};
    ///
    /// let engine = AnyEngine::with_kernel(Algorithm::Sha1, "portable")?;
    /// assert_eq!(engine.typed::<Sha1>().forced_kernel(), Some("portable"));
    /// # Ok::<(), hashlanes::KernelError>(())
    /// ```
    ///
    /// # Panics
    /// If `A` is another function.
    pub fn typed<A: HashFunction>(&self) -> Engine<A> {
        assert!(A::ALGORITHM == self.algorithm, "the type is not that of {}", self.algorithm);
        let engine = match self.forced {
            // `with_kernel` has accepted the name on this CPU.
            Some(name) => Engine::with_kernel(name).unwrap_or_default(),
            None => Engine::new(),
        };
        if self.uncached { engine.uncached() } else { engine }
    }
}

/// Consecutive digests as arrays.
///
/// # Panics
/// If the last digest is incomplete.
pub(super) fn places<const LENGTH: usize>(digests: &mut [u8]) -> &mut [[u8; LENGTH]] {
    let (places, rest) = digests.as_chunks_mut();
    assert!(rest.is_empty(), "expected {LENGTH} bytes for each digest");
    places
}

#[cfg(all(test, feature = "all", feature = "alloc"))]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn consecutive_digests_are_those_of_the_messages() {
        let data: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        for &algorithm in Algorithm::ALL {
            let length = algorithm.digest_len();
            for kernel in algorithm.kernels().filter(|kernel| kernel.is_available()) {
                let engine = AnyEngine::with_kernel(algorithm, kernel.name).unwrap();
                assert_eq!(engine.lanes(), kernel.lanes);
                // The last chunk has 1 byte.
                let chunks: Vec<&[u8]> = data.chunks(37).collect();
                let mut many = vec![0; chunks.len() * length];
                let mut each = many.clone();
                engine.digest_many_into(&chunks, &mut many);
                engine.digest_chunks_into(&data, 37, &mut each);
                let expected: Vec<u8> = chunks
                    .iter()
                    .flat_map(|chunk| algorithm.digest(chunk).as_bytes().to_vec())
                    .collect();
                assert_eq!(many, expected, "{algorithm} {}", kernel.name);
                assert_eq!(each, expected, "{algorithm} {}", kernel.name);
            }
        }
    }

    /// Messages of equal and of mixed lengths, which are prefetched.
    #[test]
    fn uncached_messages_have_the_same_digests() {
        let data: Vec<u8> = (0..40_000).map(|i| (i % 251) as u8).collect();
        let equal: Vec<&[u8]> = data.chunks(200).collect();
        let mixed: Vec<&[u8]> = (0..300).map(|i| &data[i..i + 60 + 37 * i % 500]).collect();
        for &algorithm in Algorithm::ALL {
            for kernel in algorithm.kernels().filter(|kernel| kernel.is_available()) {
                let engine = AnyEngine::with_kernel(algorithm, kernel.name).unwrap().uncached();
                for messages in [&equal, &mixed] {
                    let expected: Vec<_> = messages.iter().map(|m| algorithm.digest(m)).collect();
                    assert_eq!(engine.digest_many(messages), expected, "{algorithm} {kernel:?}");
                }
            }
        }
    }

    #[test]
    #[should_panic = "expected 20 bytes for each digest"]
    fn memory_for_a_part_of_a_digest_is_refused() {
        AnyEngine::new(Algorithm::Sha1).digest_many_into(&["a"], &mut [0; 21]);
    }

    #[test]
    #[should_panic = "the type is not that of sha1"]
    fn the_type_of_another_function_is_refused() {
        AnyEngine::new(Algorithm::Sha1).typed::<crate::Md5>();
    }
}
