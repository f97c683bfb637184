//! A borrowed slice that another thread may read.
//!
//! Rust's lifetimes cannot say "until the lender has it back", so the slice travels as a raw
//! pointer. `lend.rs` is the only place that makes one, and keeps the promise.

use std::ptr::NonNull;

/// Bytes of a writer who waits until they are hashed or returned.
pub(super) struct Loan {
    bytes: NonNull<[u8]>,
    /// How many of them have been hashed.
    pub(super) consumed: usize,
}

// SAFETY: a loan only gives shared access to its bytes (`rest`), and `&[u8]` is `Send`. The caller
// of `new` promises to drop the loan before the borrow ends, whichever thread it was sent to.
unsafe impl Send for Loan {}

impl Loan {
    /// A loan of `bytes`.
    ///
    /// # Safety
    /// The loan must be dropped before the borrow of `bytes` ends.
    pub(super) unsafe fn new(bytes: &[u8]) -> Self {
        Self { bytes: NonNull::from(bytes), consumed: 0 }
    }

    /// The bytes that have not been consumed.
    pub(super) fn rest(&self) -> &[u8] {
        // SAFETY: `new` made the pointer from a reference, so it is valid for reads of the entire
        // slice. The caller of `new` promised that this borrow outlives the loan, and nobody can
        // write to the bytes while they are borrowed. The result borrows from the loan.
        let bytes: &[u8] = unsafe { self.bytes.as_ref() };
        &bytes[self.consumed..]
    }
}
