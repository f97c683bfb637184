//! What the hashers of a server share: the queue, the pool of buffers, the thresholds, and how many
//! peers they have met recently.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};
use std::vec::Vec;

use super::function::Served;
use super::options::Limits;
use super::peers::Peers;
use super::pool::{self, Pool};
use super::queue::{Line, Queue};
use super::slot::{Home, Slot, Taken};
use super::stats::{Counters, ServerStats};
use super::sync::{self, Arc, AtomicUsize, Hint, Mutex, MutexGuard, Ordering};

pub(super) struct Shared {
    pub(super) function: Box<dyn Served>,
    /// The row of the kernel that was chosen by name.
    pub(super) forced: Option<usize>,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    pub(super) pool: Pool,
    /// Hashers that exist.
    hashers: AtomicUsize,
    /// Seats in the queue: at least one for each hasher that is complete. The number never falls,
    /// so an outdated value is harmless: it makes a hasher check again.
    seats: Hint,
    /// Slots in the queue. A hint that is read without the lock.
    pending: AtomicUsize,
    pub(super) peers: Peers,
    /// Slots whose message has bytes deferred or lent. A message has a ticket if and only if its
    /// slot is here.
    queue: Mutex<Queue<Arc<Slot>>>,
}

impl Shared {
    #[cfg(all(test, feature = "all", not(target_family = "wasm")))]
    pub(super) fn new<A: crate::function::Function>(
        engine: crate::Engine<A>,
        limits: Limits,
    ) -> Self {
        Self::of(super::function::served(engine.function()), engine.forced(), limits)
    }

    pub(super) fn of(function: Box<dyn Served>, forced: Option<usize>, limits: Limits) -> Self {
        Self {
            function,
            forced,
            limits,
            counters: Counters::default(),
            pool: Pool::new(limits.staging, limits.buffers),
            hashers: AtomicUsize::new(0),
            seats: Hint::new(0),
            pending: AtomicUsize::new(0),
            peers: Peers::new(limits.cores),
            queue: Mutex::new(Queue::new()),
        }
    }

    fn queue(&self) -> QueueGuard<'_> {
        QueueGuard { queue: sync::lock(&self.queue), pending: &self.pending }
    }

    /// Counts one more hasher and reserves a seat for it. Fails without counting it if there is no
    /// memory for a seat.
    pub(super) fn join(&self) -> Result<(), TryReserveError> {
        let hashers = self.hashers.fetch_add(1, Ordering::Relaxed) + 1;
        if hashers > self.seats.load(Ordering::Relaxed) {
            let mut room = Queue::room(hashers).inspect_err(|_| self.part())?;
            // The guard is dropped before `room`, which then holds the old memory: none is
            // allocated or freed while the lock is held.
            let mut queue = self.queue();
            self.seats.store(queue.grow(&mut room), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Counts one hasher less. It must have left the queue.
    pub(super) fn part(&self) {
        self.hashers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Hashers that exist.
    pub(super) fn hashers(&self) -> usize {
        self.hashers.load(Ordering::Relaxed)
    }

    /// Whether there are fewer hashers than are worth a round.
    pub(super) fn are_few(&self) -> bool {
        self.hashers() < self.limits.policy.worth
    }

    /// How many slots are in the queue. This may be out of date when it returns.
    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Enters a slot that has something to hash. If it is in the queue already and has become
    /// ready, moves it to the ready ones. Returns whether enough are ready to fill the lanes.
    pub(super) fn enter(&self, home: &mut Home<'_>) -> bool {
        let ready = home.loan.is_some() || home.deferred() >= self.limits.ready;
        let mut queue = self.queue();
        match home.ticket {
            Some(ticket) if ready => queue.make_ready(ticket),
            Some(_) => {}
            None => {
                self.peers.enter();
                let line = if ready { Line::Ready } else { Line::Started };
                home.ticket = Some(queue.enter(Arc::clone(home.slot()), line));
            }
        }
        queue.ready() >= self.limits.policy.batch
    }

    /// Takes a slot out of the queue, if it is there.
    pub(super) fn leave(&self, home: &mut Home<'_>) {
        if let Some(ticket) = home.ticket.take() {
            let slot = self.queue().leave(ticket);
            // Not the last reference, since the caller has locked the slot.
            drop(slot);
        }
    }

    /// How many messages a round should have at most, including `own` (zero or one) of the caller.
    /// `None` if the queue has too few to be worth a round, or if each is better hashed by itself.
    pub(super) fn share(&self, own: usize) -> Option<usize> {
        let policy = &self.limits.policy;
        let here = self.pending() + own;
        let share = self.peers.share(policy, here);
        (share >= policy.worth && here >= 2).then_some(share)
    }

    /// Takes messages out for a round of at most `share`, of which the caller has `own`, the ready
    /// ones first, and adds them to `taken`.
    pub(super) fn take_share(&self, share: usize, own: usize, taken: &mut Vec<Taken>) {
        let mut queue = self.queue();
        let round = self.limits.policy.round(share.min(queue.len() + own));
        if round > 1 {
            queue.take_messages(round - own, taken);
        }
    }

    /// Whether the messages in the queue, except for `own` of them, are worth a round together with
    /// one more.
    pub(super) fn has_peers(&self, own: usize) -> bool {
        self.pending().saturating_sub(own) + 1 >= self.limits.policy.worth
    }

    /// Takes out as many ready messages as fill the lanes, or none if there are fewer.
    pub(super) fn take_full(&self, taken: &mut Vec<Taken>) {
        let batch = self.limits.policy.batch;
        let mut queue = self.queue();
        if queue.ready() >= batch {
            queue.take_messages(batch, taken);
        }
    }

    /// Memory for one `T` for each message of the largest round.
    pub(super) fn room<T>(&self) -> Option<Vec<T>> {
        pool::with_capacity(self.limits.policy.batch)
    }

    /// Counts the bytes that the slot's owner has hashed without peers since its last report.
    pub(super) fn report(&self, slot: &Slot) {
        let bytes = slot.unreported.swap(0, Ordering::Relaxed);
        if bytes > 0 {
            self.counters.single(bytes as u64);
            self.peers.hashed_singly(bytes);
            if self.peers.trial.is_apart() {
                self.peers.trial.look(sync::now(), || self.counters.bytes());
            }
        }
    }

    pub(super) fn stats(&self) -> ServerStats {
        let single_row = self.function.row(1, self.forced);
        let counted = self.counters.stats(&*self.function, single_row, self.limits.policy.full);
        ServerStats { hashers: self.hashers(), waiting: self.pending(), ..counted }
    }

    /// Records how many peers a message found that searched for some.
    pub(super) fn searched(&self, found: usize) {
        self.peers.searched(&self.limits.policy, found, self.hashers());
    }

    /// Whether to lend a write of this many bytes even if it fits. If not, the caller will defer
    /// it.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        bytes >= self.limits.ready
            && self.peers.recent() >= self.limits.lend
            && self.peers.lends(bytes)
    }

    /// Slots in the queue, buffers in use, and hashers that exist.
    #[cfg(all(test, feature = "all", not(target_family = "wasm")))]
    pub(super) fn left_behind(&self) -> (usize, usize, usize) {
        (self.queue().len(), self.pool.in_use(), self.hashers())
    }
}

/// The locked queue. Dropping it updates the hint.
struct QueueGuard<'a> {
    queue: MutexGuard<'a, Queue<Arc<Slot>>>,
    pending: &'a AtomicUsize,
}

impl QueueGuard<'_> {
    /// Takes out up to `count` messages and adds them to `taken`, which has capacity for them.
    fn take_messages(&mut self, count: usize, taken: &mut Vec<Taken>) {
        debug_assert!(taken.len() + count <= taken.capacity());
        // If a slot is locked, its owner is working on it, so it stays.
        let choose = |slot: &Arc<Slot>| Slot::try_lock(slot)?.home().ok().map(Home::take);
        self.queue.take(count, choose, |slot, message| taken.push(Taken { slot, message }));
    }
}

impl Deref for QueueGuard<'_> {
    type Target = Queue<Arc<Slot>>;

    fn deref(&self) -> &Self::Target {
        &self.queue
    }
}

impl DerefMut for QueueGuard<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.queue
    }
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        self.pending.store(self.queue.len(), Ordering::Relaxed);
    }
}
