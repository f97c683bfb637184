//! The choice of kernels as a value, and what can be done with it at once.

use core::marker::PhantomData;

use super::kernel_error::KernelError;
use super::kernel_info::KernelInfo;
use crate::function::HashFunction;
use crate::kernel::{self, Kernels};
use crate::schedule::Scheduled;

/// Hashes many messages with one function: in the kernel that is best for their number on this CPU,
/// or in one that is chosen by name.
///
/// An engine is a few bytes, free to make and to copy. The functions of the crate that hash many
/// messages, such as [`digest_many_into`](crate::digest_many_into), are those of [`Engine::new`].
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
    /// The row of the kernel that was asked for by name. The CPU can run it.
    forced: Option<usize>,
    uncached: bool,
    function: PhantomData<A>,
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
    /// An engine that chooses the kernel by itself.
    ///
    /// With the feature `std` the environment variable `HASHLANES_KERNEL` has the same effect as
    /// [`with_kernel`](Engine::with_kernel), if the function has a kernel of that name and the CPU
    /// can run it. See [the crate's page](crate#the-environment-variable-hashlanes_kernel).
    pub fn new() -> Self {
        Self::of_row(kernel::from_environment::<A::Family>())
    }

    /// An engine that uses this kernel only, whatever the number of messages: for tests and
    /// measurements. [`Algorithm::kernels`](crate::Algorithm::kernels) lists the names.
    ///
    /// # Errors
    /// If the function has no kernel of that name, or this CPU or operating system cannot run it.
    pub fn with_kernel(name: &str) -> Result<Self, KernelError> {
        let row = kernel::named::<A::Family>(name)
            .ok_or_else(|| KernelError::unknown(A::ALGORITHM, name))?;
        let kernel = &<A::Family as Kernels>::TABLE[row];
        if !kernel.available() {
            return Err(KernelError::unsupported(A::ALGORITHM, KernelInfo::new(kernel)));
        }
        Ok(Self::of_row(Some(row)))
    }

    pub(super) fn of_row(forced: Option<usize>) -> Self {
        Self { forced, uncached: false, function: PhantomData }
    }

    /// The same, for messages that are not in the CPU's caches: kernels that read whole messages
    /// have them loaded ahead. It is done without this too, if the messages of one call have 8 MiB
    /// or more. So this is for who hashes many of them in smaller calls.
    ///
    /// It changes how long a call takes and nothing else. Messages of 65 to 1,024 bytes take down
    /// to 0.65 times as long, and up to 1.2 times if they are in the caches.
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

    pub(crate) fn is_uncached(&self) -> bool {
        self.uncached
    }

    /// The kernel that was asked for by name or by the environment, if any.
    pub fn forced_kernel(&self) -> Option<&'static str> {
        self.forced.map(|row| <A::Family as Kernels>::TABLE[row].name)
    }

    /// The kernel that hashes `messages` messages of equal length. If the lengths differ, the
    /// engine goes on in narrower kernels when few messages are left.
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        <A::Family as Kernels>::TABLE[self.row_for(messages)].name
    }

    /// How many messages the engine can hash side by side: the lanes of the kernel that it uses
    /// when there are many.
    ///
    /// ```
    /// use hashlanes::{Engine, Md5};
    ///
    /// assert_eq!(Engine::<Md5>::with_kernel("portable")?.lanes(), 1);
    /// # Ok::<(), hashlanes::KernelError>(())
    /// ```
    pub fn lanes(&self) -> usize {
        <A::Family as Kernels>::TABLE[self.row_for(usize::MAX)].lanes
    }

    pub(crate) fn forced(&self) -> Option<usize> {
        self.forced
    }

    /// The row of the kernel that [`kernel_for`](Engine::kernel_for) names.
    pub(crate) fn row_for(&self, messages: usize) -> usize {
        A::Family::row(messages.max(1), self.forced)
    }
}
