//! How a writer lends a long write instead of copying it: to whichever thread runs the next round.
//! The writer does not return from its call before it has the bytes back.

use super::loan::Loan;
use super::slot::{Home, Locked, Slot};
use super::sync::Arc;

impl<'s> Home<'s> {
    /// Lends `bytes` to whoever takes the message while `meanwhile` runs, which unlocks the slot
    /// and locks it again. Then waits for the message and returns how many bytes, from the first
    /// on, were hashed.
    pub(super) fn lend(
        mut self,
        bytes: &[u8],
        meanwhile: impl FnOnce(Self) -> Locked<'s>,
    ) -> (Self, usize) {
        assert!(self.loan.is_none(), "one loan at a time");
        let lender = Lender { slot: self.slot() };
        // SAFETY: a loan leaves its message only in `take_back`, which drops it. `lender` is a
        // local variable that is forgotten only after `take_back`. So however `meanwhile` ends, by
        // returning or by unwinding, the borrow of `bytes` lasts until the loan has been dropped.
        self.loan = Some(unsafe { Loan::new(bytes) });
        let place = meanwhile(self);
        assert!(Arc::ptr_eq(place.slot(), lender.slot), "the slot that holds the loan");
        let returned = take_back(place);
        core::mem::forget(lender);
        returned
    }
}

/// A writer that has lent bytes. If it unwinds, it takes them back first.
struct Lender<'s> {
    slot: &'s Arc<Slot>,
}

impl Drop for Lender<'_> {
    fn drop(&mut self) {
        take_back(Slot::lock(self.slot));
    }
}

/// Waits until no round can read the loan any more and ends it. Returns how many bytes were hashed.
fn take_back(place: Locked<'_>) -> (Home<'_>, usize) {
    let mut home = place.wait();
    let consumed = home.loan.take().map_or(0, |loan| loan.consumed);
    (home, consumed)
}
