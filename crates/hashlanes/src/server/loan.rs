//! A borrowed slice that another thread may read: the only `unsafe` of the server.
//!
//! A writer of a large piece does not copy it. It lends the piece to whichever thread runs the next
//! round, and stays in its call until it has the loan back. Rust's lifetimes cannot say "until I
//! have it back". So the slice travels as a raw pointer, and [`Slot::lend`] keeps the promise.

use std::ptr::NonNull;

use super::slot::{Place, Slot};
use super::sync::MutexGuard;
use crate::function::HashFunction;

/// Bytes of somebody who waits for them to be consumed.
pub(super) struct Loan {
    bytes: NonNull<[u8]>,
    /// How many of them have been hashed.
    pub(super) consumed: usize,
}

// SAFETY: a loan gives shared access to its bytes (`rest`) and nothing else, and `&[u8]` is `Send`.
// The caller of `new` promises that the loan is dropped before the borrow ends, in whatever thread.
unsafe impl Send for Loan {}

impl Loan {
    /// A loan of `bytes`.
    ///
    /// # Safety
    /// The loan is dropped before the borrow of `bytes` ends.
    unsafe fn new(bytes: &[u8]) -> Self {
        Self { bytes: NonNull::from(bytes), consumed: 0 }
    }

    /// The bytes that have not been consumed.
    pub(super) fn rest(&self) -> &[u8] {
        // SAFETY: the pointer was made from a reference in `new`, so it is valid for reads of the
        // whole slice. The caller of `new` promised that this borrow lasts as long as the loan, and
        // nobody can write during a shared borrow. The result borrows from the loan.
        let bytes: &[u8] = unsafe { self.bytes.as_ref() };
        &bytes[self.consumed..]
    }
}

impl<A: HashFunction> Slot<A> {
    /// Lends `bytes` to whoever takes the message out while `meanwhile` runs. Returns how many of
    /// them were hashed: the first so many. The message is home and has no loan; `meanwhile` gets
    /// it still locked.
    pub(super) fn lend(
        &self,
        mut place: MutexGuard<'_, Place<A>>,
        bytes: &[u8],
        meanwhile: impl FnOnce(MutexGuard<'_, Place<A>>),
    ) -> usize {
        let message = place.message.as_mut().expect("a loan is made at home");
        assert!(message.loan.is_none(), "one loan at a time");
        let lender = Lender { slot: self };
        // SAFETY: the loan leaves its message only in `Lender::take_back`, which drops it. `lender`
        // is on this function's stack, where nobody can forget it. So however `meanwhile` ends, by
        // return or by unwinding, this function is not left, and the borrow of `bytes` goes on,
        // until `lender` has waited for the message and dropped the loan.
        message.loan = Some(unsafe { Loan::new(bytes) });
        meanwhile(place);
        lender.take_back()
    }
}

/// Whoever has lent bytes with this slot's message. Takes them back at the latest when dropped.
struct Lender<'s, A: HashFunction> {
    slot: &'s Slot<A>,
}

impl<A: HashFunction> Lender<'_, A> {
    /// Waits until no round can read the bytes any more and ends the loan. Returns how many bytes
    /// were consumed.
    fn take_back(&self) -> usize {
        let mut place = self.slot.lock_home();
        let loan = place.message.as_mut().and_then(|message| message.loan.take());
        loan.map_or(0, |loan| loan.consumed)
    }
}

impl<A: HashFunction> Drop for Lender<'_, A> {
    fn drop(&mut self) {
        self.take_back();
    }
}
