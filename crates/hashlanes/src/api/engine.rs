//! The choice of kernels as a value.

use core::num::NonZeroUsize;

use super::kernel_error::KernelError;
use crate::function::choice::Before;
use crate::function::{Algorithm, Function, HashFunction};
use crate::kernel::KernelInfo;

/// Hashes many messages with one function, in the best kernel for their number on this CPU, or in
/// one that is chosen by name.
///
/// The function is a type (`Engine<Sha256>`), or an [`Algorithm`] that is chosen at run time
/// (`Engine<Algorithm>`, or `Engine` for short).
///
/// An engine takes a few bytes, and is cheap to make and copy. The crate's functions that hash many
/// messages, such as [`digest_many_into`](crate::digest_many_into), use [`Engine::new`].
///
/// ```
/// use hashlanes::{Algorithm, Engine, Sha256};
///
/// let engine = Engine::<Sha256>::with_kernel("portable")?;
/// let mut digests = [[0; 32]; 2];
/// engine.digest_many_into(&["one", "two"], &mut digests);
/// assert_eq!(digests, ["one", "two"].map(Sha256::digest));
///
/// let engine = Engine::of(Algorithm::from_name("sha256")?).kernel("portable")?;
/// assert_eq!(engine.digest("one"), digests[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Engine<A = Algorithm> {
    /// The row of the kernel that was chosen by name. The CPU can run it.
    forced: Forced,
    uncached: bool,
    function: A,
}

/// The row of a kernel, or none. In an `Option<usize>` without a value there is room for a word
/// that was on the stack before, which moves would copy and nothing would wipe.
#[derive(Clone, Copy)]
pub(crate) struct Forced(Option<NonZeroUsize>);

impl Forced {
    #[inline]
    pub(crate) fn new(row: Option<usize>) -> Self {
        Self(row.and_then(|row| NonZeroUsize::new(row + 1)))
    }

    #[inline]
    pub(crate) fn row(self) -> Option<usize> {
        self.0.map(|row| row.get() - 1)
    }
}

impl<A: Function> core::fmt::Debug for Engine<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine")
            .field("algorithm", &self.algorithm())
            .field("kernel", &self.forced_kernel())
            .finish()
    }
}

impl<A: HashFunction> Default for Engine<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: HashFunction> Engine<A> {
    /// An engine of a function that is a type: [`Engine::of`] it.
    #[inline]
    pub fn new() -> Self {
        Self::of(A::default())
    }

    /// An engine of a function that is a type, which uses only this [`kernel`](Self::kernel).
    ///
    /// # Errors
    /// If the function has no kernel of this name, or this CPU or operating system cannot run it.
    pub fn with_kernel(name: &str) -> Result<Self, KernelError> {
        Self::new().kernel(name)
    }
}

impl<A: Function> Engine<A> {
    /// An engine that chooses the kernel.
    ///
    /// With the feature `std`, the environment variable `HASHLANES_KERNEL` has the same effect as
    /// [`kernel`](Self::kernel), if the function has a kernel of this name and the CPU can run it.
    /// See [the crate's page](crate#the-environment-variable-hashlanes_kernel).
    #[inline]
    pub fn of(function: A) -> Self {
        Self { forced: Forced::new(None), uncached: false, function }
    }

    /// The same engine, but it uses only this kernel, however many messages there are. It is meant
    /// for tests and measurements. [`Algorithm::kernels`] lists the names.
    ///
    /// # Errors
    /// If the function has no kernel of this name, or this CPU or operating system cannot run it.
    pub fn kernel(self, name: &str) -> Result<Self, KernelError> {
        let algorithm = self.algorithm();
        let mut kernels = algorithm.kernels().enumerate();
        match kernels.find(|(_, kernel)| kernel.name == name) {
            None => Err(KernelError::unknown(algorithm, name)),
            Some((_, kernel)) if !kernel.is_available() => {
                Err(KernelError::unsupported(algorithm, kernel))
            }
            Some((row, _)) => Ok(Self { forced: Forced::new(Some(row)), ..self }),
        }
    }

    /// The function as a value.
    #[inline]
    pub fn algorithm(&self) -> Algorithm {
        self.function.algorithm()
    }

    #[inline]
    pub(crate) fn function(&self) -> A {
        self.function
    }

    /// The same engine, for messages that are not in the CPU's caches: those of 65 to 2,047 bytes
    /// (of BLAKE3, 1,024) are prefetched. Those of MD5, SHA-1, SHA-2 and SM3 are prefetched only by
    /// kernels that read whole messages: those for AVX-512, and SHA-256's for the SHA extensions.
    /// Messages are prefetched anyway if those of one call total 8 MiB or more, so this is useful
    /// for many smaller calls.
    ///
    /// It affects only the speed. On Zen 4, calls take as little as 0.4 times as long, but up to
    /// 1.2 times as long if the messages are in the caches.
    ///
    /// ```
    /// use hashlanes::{Engine, Md5, digest_many};
    ///
    /// let column: Vec<[u8; 256]> = (0..1000).map(|i| [i as u8; 256]).collect();
    /// let digests = Engine::<Md5>::new().uncached().digest_many(&column);
    /// assert_eq!(digests, digest_many::<Md5>(&column));
    /// ```
    #[must_use]
    pub fn uncached(self) -> Self {
        Self { uncached: true, ..self }
    }

    #[inline]
    pub(crate) fn is_uncached(&self) -> bool {
        self.uncached
    }

    /// The kernel that was chosen by name or by the environment, if any.
    pub fn forced_kernel(&self) -> Option<&'static str> {
        let row = self.forced().or_else(|| self.function.beginning().row_of_environment());
        row.map(|row| self.row_info(row).name)
    }

    /// The kernel that hashes `messages` messages of equal length. If the lengths differ, the
    /// engine switches to narrower kernels when few messages are left.
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        self.row_info(self.row_for(messages)).name
    }

    /// How many messages the engine can hash side by side: the number of lanes of the kernel that
    /// it uses for many messages.
    ///
    /// ```
    /// use hashlanes::{Engine, Md5};
    ///
    /// assert_eq!(Engine::<Md5>::with_kernel("portable")?.lanes(), 1);
    /// # Ok::<(), hashlanes::kernels::KernelError>(())
    /// ```
    pub fn lanes(&self) -> usize {
        self.row_info(self.row_for(usize::MAX)).lanes
    }

    #[inline]
    pub(crate) fn forced(&self) -> Option<usize> {
        self.forced.row()
    }

    /// The row of the kernel that [`kernel_for`](Engine::kernel_for) names.
    fn row_for(&self, messages: usize) -> usize {
        self.function.beginning().row(messages.max(1), self.forced())
    }

    fn row_info(&self, row: usize) -> KernelInfo {
        self.function.beginning().kernel(row).expect("a row of the function's table")
    }
}

impl Engine {
    /// The engine with its function as a type: `A` must be the type of its algorithm.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Engine, Sha1};
    ///
    /// let engine = Engine::of(Algorithm::Sha1).kernel("portable")?;
    /// assert_eq!(engine.typed::<Sha1>().forced_kernel(), Some("portable"));
    /// # Ok::<(), hashlanes::kernels::KernelError>(())
    /// ```
    ///
    /// # Panics
    /// If `A` is another function.
    pub fn typed<A: HashFunction>(&self) -> Engine<A> {
        assert!(A::ALGORITHM == self.function, "the type is not that of {}", self.function);
        let Self { forced, uncached, .. } = *self;
        Engine { forced, uncached, function: A::default() }
    }
}

#[cfg(all(test, feature = "all", feature = "alloc"))]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::family::md5::Md5Family;
    use crate::kernel::Kernels;
    use crate::{Md5, Sha512};

    /// Digests do not show which kernel made them.
    #[test]
    fn an_engine_keeps_the_kernel_that_was_named() {
        for (row, kernel) in Md5Family::TABLE.iter().enumerate() {
            let Ok(engine) = Engine::<Md5>::with_kernel(kernel.name) else { continue };
            assert_eq!(engine.forced(), Some(row));
            assert_eq!([0, 1, 2, 1000].map(|messages| engine.row_for(messages)), [row; 4]);
            assert_eq!(engine.lanes(), kernel.lanes);
            assert!(!engine.is_uncached() && engine.uncached().is_uncached());
        }
        assert_eq!(Engine::<Sha512>::new().forced(), None);
    }

    #[test]
    fn consecutive_digests_are_those_of_the_messages() {
        let data: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        for &algorithm in Algorithm::ALL {
            let length = algorithm.digest_len();
            for kernel in algorithm.kernels().filter(|kernel| kernel.is_available()) {
                let engine = Engine::of(algorithm).kernel(kernel.name).unwrap();
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
                let engine = Engine::of(algorithm).kernel(kernel.name).unwrap().uncached();
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
        Engine::of(Algorithm::Sha1).digest_many_into(&["a"], &mut [0; 21]);
    }

    #[test]
    #[should_panic = "the type is not that of sha1"]
    fn the_type_of_another_function_is_refused() {
        Engine::of(Algorithm::Sha1).typed::<crate::Md5>();
    }
}
