//! What the hashers of a server share: the queue, the pool of buffers, the thresholds, and what was
//! seen lately of company.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};
use std::vec::Vec;

use super::batch::Taken;
use super::company::Company;
use super::options::Limits;
use super::pool::Pool;
use super::queue::{Line, Queue};
use super::slot::{Message, Place, Slot};
use super::stats::Counters;
use super::sync::{self, Arc, AtomicUsize, Hint, Mutex, MutexGuard, Ordering};
use crate::api::engine::Engine;
use crate::function::HashFunction;

pub(super) struct Shared<A: HashFunction> {
    pub(super) engine: Engine<A>,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    pub(super) pool: Pool,
    /// Hashers that exist.
    hashers: AtomicUsize,
    /// Seats in the queue: at least as many as hashers that have been made entirely. Never falls,
    /// so an old value makes a hasher look again, and does no harm.
    seats: Hint,
    /// Slots in the queue. A hint: read without the lock.
    pending: AtomicUsize,
    pub(super) company: Company,
    /// Slots whose message has bytes deferred or lent. A slot has a ticket if and only if it is
    /// here.
    queue: Mutex<Queue<Arc<Slot<A>>>>,
}

impl<A: HashFunction> Shared<A> {
    pub(super) fn new(engine: Engine<A>, limits: Limits) -> Self {
        Self {
            engine,
            limits,
            counters: Counters::default(),
            pool: Pool::new(limits.staging, limits.buffers),
            hashers: AtomicUsize::new(0),
            seats: Hint::new(0),
            pending: AtomicUsize::new(0),
            company: Company::new(limits.cores),
            queue: Mutex::new(Queue::new()),
        }
    }

    fn queue(&self) -> QueueGuard<'_, A> {
        QueueGuard { queue: sync::lock(&self.queue), pending: &self.pending }
    }

    /// Counts one more hasher, and sees to a seat for it. Without memory for a seat it is not
    /// counted.
    pub(super) fn join(&self) -> Result<(), TryReserveError> {
        let hashers = self.hashers.fetch_add(1, Ordering::Relaxed) + 1;
        if hashers > self.seats.load(Ordering::Relaxed) {
            let mut room = Queue::room(hashers).inspect_err(|_| self.part())?;
            // The guard goes before the room, in which the old memory is: no memory is got or freed
            // with the lock held.
            let mut queue = self.queue();
            self.seats.store(queue.grow(&mut room), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Counts one hasher less, which is not in the queue any more.
    pub(super) fn part(&self) {
        self.hashers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Hashers that exist.
    pub(super) fn hashers(&self) -> usize {
        self.hashers.load(Ordering::Relaxed)
    }

    /// How many slots are in the queue; may be out of date when it returns.
    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Enters a slot whose message is home and has something to hash. If it is there already, it
    /// goes on to the ready ones when it has become ready. Returns whether there are enough ready
    /// ones to fill the lanes.
    pub(super) fn enter(&self, slot: &Arc<Slot<A>>, place: &mut Place<A>) -> bool {
        let message = place.message.as_ref().expect("only a message at home is entered");
        let ready = message.loan.is_some() || message.deferred() >= self.limits.ready;
        let mut queue = self.queue();
        match place.ticket {
            Some(ticket) if ready => queue.make_ready(ticket),
            Some(_) => {}
            None => {
                self.company.enter();
                let line = if ready { Line::Ready } else { Line::Started };
                place.ticket = Some(queue.enter(Arc::clone(slot), line));
            }
        }
        queue.ready() >= self.limits.policy.batch
    }

    /// Takes a slot out of the queue, if it is there.
    pub(super) fn leave(&self, place: &mut Place<A>) {
        if let Some(ticket) = place.ticket.take() {
            let slot = self.queue().leave(ticket);
            // Not the last reference: the caller has locked it.
            drop(slot);
        }
    }

    /// Takes out as many messages as make a round together with `own` that the caller has (none or
    /// one), the ready ones first, and adds them to `taken`. None if there are too few to be worth
    /// it, or if each is better hashed alone.
    pub(super) fn take_company(&self, own: usize, taken: &mut Vec<Taken<A>>) {
        let policy = &self.limits.policy;
        let share = self.company.share(policy, self.pending() + own);
        if share < policy.worth || self.pending() + own < 2 {
            return;
        }
        let mut queue = self.queue();
        let round = policy.round(share.min(queue.len() + own));
        if round > 1 {
            queue.take_messages(round - own, taken);
        }
    }

    /// Whether those in the queue, `own` of them not counted, are worth a round together with one
    /// more message.
    pub(super) fn has_company(&self, own: usize) -> bool {
        self.pending().saturating_sub(own) + 1 >= self.limits.policy.worth
    }

    /// Takes as many messages out as fill the lanes, or none if there are not as many ready ones.
    pub(super) fn take_full(&self, taken: &mut Vec<Taken<A>>) {
        let batch = self.limits.policy.batch;
        let mut queue = self.queue();
        if queue.ready() >= batch {
            queue.take_messages(batch, taken);
        }
    }

    /// Counts bytes that were hashed alone.
    pub(super) fn hashed_alone(&self, bytes: usize) {
        self.counters.alone(bytes as u64);
        self.company.hashed_alone(bytes);
    }

    /// Takes note of how many others a message found that looked for company.
    pub(super) fn looked_for_company(&self, found: usize) {
        self.company.looked_for_company(&self.limits.policy, found, self.hashers());
    }

    /// Whether a write of so many bytes is to be lent even if it fits. If not, the caller is going
    /// to defer it.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        bytes >= self.limits.ready
            && self.company.recent() >= self.limits.lend
            && self.company.lends(bytes)
    }

    /// Slots in the queue, buffers in use, and hashers.
    #[cfg(all(test, not(target_family = "wasm")))]
    pub(super) fn left_behind(&self) -> (usize, usize, usize) {
        (self.queue().len(), self.pool.in_use(), self.hashers())
    }
}

/// The queue locked; keeps the hint true.
struct QueueGuard<'a, A: HashFunction> {
    queue: MutexGuard<'a, Queue<Arc<Slot<A>>>>,
    pending: &'a AtomicUsize,
}

impl<A: HashFunction> QueueGuard<'_, A> {
    /// Takes out up to `count` messages and adds them to `taken`, which has room for them.
    fn take_messages(&mut self, count: usize, taken: &mut Vec<Taken<A>>) {
        debug_assert!(taken.len() + count <= taken.capacity());
        // A slot whose lock is held has its owner at work: it stays.
        let choose = |slot: &Arc<Slot<A>>| slot.try_lock()?.go_out();
        let chosen = |slot, message: Box<Message<A>>| taken.push(Taken { slot, message });
        self.queue.take(count, choose, chosen);
    }
}

impl<A: HashFunction> Deref for QueueGuard<'_, A> {
    type Target = Queue<Arc<Slot<A>>>;

    fn deref(&self) -> &Self::Target {
        &self.queue
    }
}

impl<A: HashFunction> DerefMut for QueueGuard<'_, A> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.queue
    }
}

impl<A: HashFunction> Drop for QueueGuard<'_, A> {
    fn drop(&mut self) {
        self.pending.store(self.queue.len(), Ordering::Relaxed);
    }
}
