//! The choice of kernels as a value.

use core::marker::PhantomData;
use core::num::NonZeroUsize;

use super::kernel_error::KernelError;
use super::kernel_info::KernelInfo;
use crate::function::{Algorithm, HashFunction};
use crate::kernel::{self, Kernel};
use crate::schedule::Tabled;

/// Hashes many messages with one function, in the best kernel for their number on this CPU, or in
/// one that is chosen by name.
///
/// An engine takes a few bytes, and is cheap to make and copy. The crate's functions that hash many
/// messages, such as [`digest_many_into`](crate::digest_many_into), use [`Engine::new`].
///
/// ```
/// use hashlanes::{Engine, Sha256};
///
/// let engine = Engine::<Sha256>::with_kernel("portable")?;
/// let mut digests = [[0; 32]; 2];
/// engine.digest_many_into(&["one", "two"], &mut digests);
/// assert_eq!(digests, ["one", "two"].map(Sha256::digest));
/// # Ok::<(), hashlanes::KernelError>(())
/// ```
pub struct Engine<A> {
    /// The row of the kernel that was chosen by name. The CPU can run it.
    forced: Forced,
    uncached: bool,
    /// An engine has no value of the function, so it is `Send`, `Sync` and `UnwindSafe` for each.
    function: PhantomData<fn() -> A>,
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

impl<A> Clone for Engine<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Engine<A> {}

impl<A: HashFunction> core::fmt::Debug for Engine<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine")
            .field("algorithm", &A::ALGORITHM)
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
    /// An engine that chooses the kernel.
    ///
    /// With the feature `std`, the environment variable `HASHLANES_KERNEL` has the same effect as
    /// [`with_kernel`](Engine::with_kernel), if the function has a kernel of this name and the CPU
    /// can run it. See [the crate's page](crate#the-environment-variable-hashlanes_kernel).
    #[inline]
    pub fn new() -> Self {
        Self::of_row(None)
    }

    /// An engine that uses only this kernel, however many messages there are. It is meant for tests
    /// and measurements. [`Algorithm::kernels`](crate::Algorithm::kernels) lists the names.
    ///
    /// # Errors
    /// If the function has no kernel of this name, or this CPU or operating system cannot run it.
    pub fn with_kernel(name: &str) -> Result<Self, KernelError> {
        available_row(A::ALGORITHM, A::RULES.table().rows, name).map(|row| Self::of_row(Some(row)))
    }

    #[inline]
    pub(super) fn of_row(forced: Option<usize>) -> Self {
        Self { forced: Forced::new(forced), uncached: false, function: PhantomData }
    }

    /// The same engine, for messages that are not in the CPU's caches: kernels that read whole
    /// messages prefetch them. They do so anyway if the messages of one call total 8 MiB or more,
    /// or 256 KiB with different lengths. So this is useful for many smaller calls.
    ///
    /// It affects only the speed. Calls with messages of 65 to 1,024 bytes take as little as 0.65
    /// times as long, but up to 1.2 times as long if the messages are in the caches.
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
        forced_name(A::RULES.table().rows, self.forced())
    }

    /// The kernel that hashes `messages` messages of equal length. If the lengths differ, the
    /// engine switches to narrower kernels when few messages are left.
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        A::RULES.kernel(self.row_for(messages)).name
    }

    /// How many messages the engine can hash side by side: the number of lanes of the kernel that
    /// it uses for many messages.
    ///
    /// ```
    /// use hashlanes::{Engine, Md5};
    ///
    /// assert_eq!(Engine::<Md5>::with_kernel("portable")?.lanes(), 1);
    /// # Ok::<(), hashlanes::KernelError>(())
    /// ```
    pub fn lanes(&self) -> usize {
        A::RULES.kernel(self.row_for(usize::MAX)).lanes
    }

    #[inline]
    pub(crate) fn forced(&self) -> Option<usize> {
        self.forced.row()
    }

    /// The row of the kernel that [`kernel_for`](Engine::kernel_for) names.
    pub(crate) fn row_for(&self, messages: usize) -> usize {
        A::RULES.row(messages.max(1), self.forced())
    }
}

/// The name of the kernel of row `forced`, or of the one that the environment asks for.
fn forced_name<W>(rows: &[Kernel<W>], forced: Option<usize>) -> Option<&'static str> {
    forced.or_else(|| kernel::from_environment(rows)).map(|row| rows[row].name)
}

/// The row of the kernel with this name.
///
/// # Errors
/// If the algorithm has none, or this CPU or operating system cannot run it.
fn available_row<W>(
    algorithm: Algorithm,
    rows: &[Kernel<W>],
    name: &str,
) -> Result<usize, KernelError> {
    let row = kernel::named(rows, name).ok_or_else(|| KernelError::unknown(algorithm, name))?;
    if !rows[row].available() {
        return Err(KernelError::unsupported(algorithm, KernelInfo::new(&rows[row])));
    }
    Ok(row)
}

#[cfg(all(test, feature = "all"))]
mod tests {
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
}
