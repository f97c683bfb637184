//! How a task brings a message forward: in portions, without ever blocking its thread.
//!
//! A future can be dropped at any time, so it cannot lend. What other threads and tasks are to take
//! along is copied.

use std::task::{Context, Poll, ready};

use super::hasher::ServerHasher;
use super::round;
use super::slot::{Place, check};
use super::staging::SMALL;
use super::sync::{Arc, MutexGuard};
use super::write::Appended;
use crate::function::HashFunction;

/// From how many bytes on a task lets others run first, in the hope of company.
const WORTH_A_POLL: usize = 16 << 10;

/// What a future has to append yet.
pub(super) struct Rest<'b> {
    bytes: &'b [u8],
    /// Others have had the chance to bring company.
    gathered: bool,
}

impl<'b> Rest<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, gathered: false }
    }
}

impl<A: HashFunction> ServerHasher<A> {
    /// Appends the rest; ready when all is appended.
    pub(super) fn poll_update(&mut self, context: &Context<'_>, rest: &mut Rest<'_>) -> Poll<()> {
        let portion = self.portion(rest);
        if portion == 0 {
            return Poll::Ready(());
        }
        match self.append(&rest.bytes[..portion], false) {
            Appended::Hashed | Appended::Deferred => {}
            Appended::NoRoom | Appended::RatherLend | Appended::Solo => {
                return self.poll_portion(context, rest);
            }
        }
        rest.bytes = &rest.bytes[portion..];
        if rest.bytes.is_empty() {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Hashes what is deferred; ready when nothing is.
    pub(super) fn poll_settle(&mut self, context: &Context<'_>, rest: &mut Rest<'_>) -> Poll<()> {
        let place = ready!(self.slot.poll_home(context));
        if place.deferred() == 0 {
            return Poll::Ready(());
        }
        drop(place);
        self.poll_portion(context, rest)
    }

    /// Hashes a portion of what is deferred and the rest, or first lets other tasks bring company.
    /// Never ready: the task is woken when it should look again.
    fn poll_portion(&mut self, context: &Context<'_>, rest: &mut Rest<'_>) -> Poll<()> {
        let slot = Arc::clone(&self.slot);
        let place = check(ready!(slot.poll_home(context)));
        let portion = self.portion(rest);
        let work = place.deferred() + portion;
        let shared = &self.server.shared;
        if rest.gathered || shared.company.is_solo() || work < WORTH_A_POLL || self.alone(&place) {
            let consumed = self.hash(place, &rest.bytes[..portion]);
            *rest = Rest::new(&rest.bytes[consumed..]);
        } else {
            self.gather(place, rest);
        }
        // Here nothing is locked. This is foreign code.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Lets others take this message along, with a part of the rest that fits.
    fn gather(&self, mut place: MutexGuard<'_, Place<A>>, rest: &mut Rest<'_>) {
        let shared = &*self.server.shared;
        rest.gathered = true;
        shared.company.look_around();
        let room = shared.limits.staging.saturating_sub(place.deferred());
        let (fits, later) = rest.bytes.split_at(self.portion(rest).min(room));
        if place.defer(fits, shared.limits.staging, || shared.pool.buffer()) {
            rest.bytes = later;
        }
        if place.deferred() > SMALL && shared.enter(&self.slot, &mut place) {
            drop(place);
            round::full_round(shared);
        }
    }

    /// Bytes of the rest that are dealt with in one poll.
    fn portion(&self, rest: &Rest<'_>) -> usize {
        rest.bytes.len().min(self.server.shared.limits.staging)
    }
}
