//! A borrowed slice that another thread may read: the only `unsafe` of the server.
//!
//! A writer of a large piece does not copy it. It lends the piece to whichever thread runs the next
//! round, and stays in its call until it has the loan back. Rust's lifetimes cannot say "until I
//! have it back", so the slice travels as a raw pointer, and the writer's side,
//! [`Slot::lend`](super::slot::Slot::lend), keeps the promise.

use std::ptr::NonNull;

/// Bytes of somebody who waits for them to be consumed.
pub(super) struct Loan {
    bytes: NonNull<[u8]>,
    /// How many of them have been hashed.
    pub(super) consumed: usize,
}

// SAFETY: a loan gives shared access to bytes (`as_slice`), nothing else; `&[u8]` is `Send`, and
// that it does not outlive the borrow is promised in `new`, whatever the thread.
unsafe impl Send for Loan {}

impl Loan {
    /// A loan of `bytes`.
    ///
    /// # Safety
    /// The loan is dropped before the borrow of `bytes` ends.
    pub(super) unsafe fn new(bytes: &[u8]) -> Self {
        Self { bytes: NonNull::from(bytes), consumed: 0 }
    }

    /// The bytes that have not been consumed.
    pub(super) fn rest(&self) -> &[u8] {
        // SAFETY: made from a reference, so valid for reads, and `new`'s caller promised that the
        // borrow, which also keeps anybody from writing, lasts as long as this loan; the
        // result borrows from the loan.
        let bytes: &[u8] = unsafe { self.bytes.as_ref() };
        &bytes[self.consumed..]
    }
}
