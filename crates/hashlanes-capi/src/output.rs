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

    /// The memory as bytes.
    ///
    /// # Safety
    /// If it is not empty, it is memory that nobody else uses during `'a` and that does not overlap
    /// the input.
    pub(crate) unsafe fn bytes<'a>(self) -> &'a mut [u8] {
        // SAFETY: not null and not larger than a slice may be, as `new` checked. The caller
        // promises that nobody else uses this memory during `'a`. C may leave it uninitialised: it
        // is written and not read.
        unsafe { slice::from_raw_parts_mut(self.start, self.length) }
    }
}
