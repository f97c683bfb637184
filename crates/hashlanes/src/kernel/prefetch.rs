//! Loading messages into the caches before lanes read them.

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// From where messages that are prefetched come, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Perhaps the second-level cache. They go to the first-level one.
    Near,
    /// Memory. They go to the second-level cache: more of them can be under way there, and those of
    /// one call do not fit the first-level one.
    Memory,
}

/// Asks the CPU to load a message that will be hashed soon.
#[inline(always)]
pub(crate) fn prefetch(message: &[u8], origin: Origin) {
    #[cfg(target_arch = "x86_64")]
    for line in message.chunks(LINE) {
        use core::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        let line = line.as_ptr().cast();
        // SAFETY: a hint to the CPU. It reads nothing into the program and cannot fault, and every
        // x86-64 CPU has it.
        unsafe {
            match origin {
                Origin::Near => _mm_prefetch::<_MM_HINT_T0>(line),
                Origin::Memory => _mm_prefetch::<_MM_HINT_T1>(line),
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (message, origin);
}
