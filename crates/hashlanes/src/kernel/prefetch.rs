//! Loading messages into the caches before lanes read them.

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks the CPU to load a message that will be hashed soon.
#[inline(always)]
pub(crate) fn prefetch(message: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in message.chunks(LINE) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint to the CPU. It reads nothing into the program and cannot fault, and every
        // x86-64 CPU has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = message;
}
