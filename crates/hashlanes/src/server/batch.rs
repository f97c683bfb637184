//! Messages that are out with one thread, and how they come home.
//!
//! Owners may wait for each of them, so all come home, whatever happens: a panic of a kernel, or
//! foreign code that panics, waits or uses the server. That takes an order:
//!
//! 1. Every message is brought home, and enters the queue if it has something left to hash. Nothing
//!    here is foreign code, and nothing allocates.
//! 2. Buffers go back to the pool, and threads that wait are woken.
//! 3. Tasks that wait are woken. Wakers are foreign code. From now on it can do what it likes.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::Vec;

use super::round::Scratch;
use super::shared::Shared;
use super::slot::{Homecoming, Message, Slot};
use super::staging::SMALL;
use super::sync::Arc;
use crate::function::HashFunction;

/// A message that is out, with the slot to bring it home to.
pub(super) struct Taken<A: HashFunction> {
    pub(super) slot: Arc<Slot<A>>,
    pub(super) message: Box<Message<A>>,
}

/// Messages that are out with this thread. They come home when it is dropped.
pub(super) struct Batch<'s, A: HashFunction> {
    pub(super) shared: &'s Shared<A>,
    pub(super) taken: Vec<Taken<A>>,
    /// The slots whose messages have come home. There is room for all.
    home: Vec<(Arc<Slot<A>>, Homecoming<A>)>,
    /// What the round needs beside the messages.
    pub(super) scratch: Scratch<A::Family>,
    /// The round did not come to its end.
    pub(super) lost: bool,
}

impl<'s, A: HashFunction> Batch<'s, A> {
    /// Without messages as yet, and with all memory for a round of as many as fill the lanes.
    pub(super) fn new(shared: &'s Shared<A>) -> Result<Self, TryReserveError> {
        let most = shared.limits.policy.batch;
        let (mut taken, mut home) = (Vec::new(), Vec::new());
        taken.try_reserve_exact(most)?;
        home.try_reserve_exact(most)?;
        Ok(Self { shared, taken, home, scratch: Scratch::new(most)?, lost: true })
    }

    fn bring_home(&mut self) {
        debug_assert!(self.taken.len() <= self.home.capacity());
        for Taken { slot, message } in self.taken.drain(..) {
            let mut place = slot.lock();
            place.lost |= self.lost;
            let homecoming = place.come_home(message);
            if let Some(message) = &place.message {
                let lent = message.loan.as_ref().is_some_and(|loan| !loan.rest().is_empty());
                // A lost message is good for nothing: no other round should meet with what made
                // this one panic.
                if !place.lost && (message.deferred() > SMALL || lent) {
                    self.shared.enter(&slot, &mut place);
                }
            }
            drop(place);
            self.home.push((slot, homecoming));
        }
    }
}

impl<A: HashFunction> Drop for Batch<'_, A> {
    fn drop(&mut self) {
        self.bring_home();
        let spare = self.home.iter_mut().flat_map(|(_, homecoming)| &mut homecoming.spare);
        self.shared.pool.give_back(spare.filter_map(Option::take));
        // Only now, when all are home: whoever wakes up finds the whole company in the queue.
        for (slot, homecoming) in &self.home {
            if homecoming.sleeping {
                slot.wake();
            }
        }
        for waker in self.home.iter_mut().filter_map(|(_, homecoming)| homecoming.waker.take()) {
            contain(|| waker.wake());
        }
    }
}

/// Runs foreign code that this thread has no part in. If it panics, which the panic hook has told,
/// this thread goes on.
fn contain(foreign: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(foreign)) {
        // To drop the payload runs foreign code again. What that panics with is leaked.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            core::mem::forget(payload);
        }
    }
}
