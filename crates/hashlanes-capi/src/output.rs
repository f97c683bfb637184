//! The memory for digests.

use std::slice;

use crate::border::in_address_space;
use crate::error::Error;

/// Memory from C for consecutive digests.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    start: *mut u8,
    /// The number of bytes that will be written.
    length: usize,
}

impl Output {
    /// The place for `count` digests of `digest_length` bytes at the start of `size` bytes of
    /// memory. `start` may be null if there are none, or none of any length.
    pub(crate) fn new(
        start: *mut u8,
        size: usize,
        count: usize,
        digest_length: usize,
    ) -> Result<Self, Error> {
        if count == 0 || digest_length == 0 {
            return Ok(Self { start: std::ptr::dangling_mut(), length: 0 });
        }
        if start.is_null() {
            return Err(Error::Null);
        }
        let length = in_address_space(start, count, digest_length)?;
        if size < length {
            return Err(Error::Size);
        }
        Ok(Self { start, length })
    }

    /// Fails if the digests would overwrite this input.
    #[inline(always)]
    pub(crate) fn is_apart_from<T>(&self, input: &[T]) -> Result<(), Error> {
        let (ours, theirs, length) = (self.start.addr(), input.as_ptr().addr(), size_of_val(input));
        if ours < theirs + length && theirs < ours + self.length && length > 0 {
            Err(Error::Overlap)
        } else {
            Ok(())
        }
    }

    /// The memory as bytes. C need not have initialised it.
    ///
    /// # Safety
    /// If it is not empty, it is memory that nobody else uses during `'a` and that does not overlap
    /// the input.
    pub(crate) unsafe fn bytes<'a>(self) -> &'a mut [u8] {
        // SAFETY: `# Safety` above asks the caller for memory that may be written.
        unsafe { initialise(self.start, self.length) };
        // SAFETY: not null and not larger than a slice may be, as `new` checked, and initialised.
        // `# Safety` above asks the caller for memory that nobody else uses during `'a`.
        unsafe { slice::from_raw_parts_mut(self.start, self.length) }
    }
}

/// Makes memory count as initialised, with the bytes that happen to be there. That costs nothing:
/// the code is empty, but the compiler has to assume that it has written all bytes.
///
/// # Safety
/// `start` is writable for `length` bytes, and nobody else uses these.
#[cfg(all(
    not(miri),
    any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm")
))]
unsafe fn initialise(start: *mut u8, _: usize) {
    // SAFETY: there is no instruction. Without `nomem`, the block may write all memory that `start`
    // leads to, which the caller lends for that.
    unsafe { std::arch::asm!("/* {} */", in(reg) start, options(nostack, preserves_flags)) };
}

/// Elsewhere the bytes become zeros.
///
/// # Safety
/// `start` is writable for `length` bytes, and nobody else uses these.
#[cfg(not(all(
    not(miri),
    any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm")
)))]
unsafe fn initialise(start: *mut u8, length: usize) {
    // SAFETY: `# Safety` above asks the caller for `length` writable bytes that nobody else uses.
    unsafe { start.write_bytes(0, length) };
}
