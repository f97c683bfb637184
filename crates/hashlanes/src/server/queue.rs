//! What the hashers of a server share: who has bytes deferred, the pool of buffers, and the
//! thresholds.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::vec::Vec;

use super::options::Limits;
use super::slot::{Message, Place, Slot};
use super::stats::Counters;
use super::sync::{self, Arc, AtomicUsize, Hint, Mutex, MutexGuard, Ordering};
use crate::api::engine::Engine;
use crate::function::HashFunction;

/// Rounds in a row without company after which it is not looked for any more.
const LONELY: usize = 2;

/// Bytes that are hashed alone before company is looked for again. A search in vain costs a copy of
/// one buffer and a yield: some percent of the time to hash as much, so less than one percent of
/// these bytes. Each doubles them, up to 4 times as many.
const SOLO: usize = 256 << 10;

/// Bytes of writes that are deferred after one was lent in vain, as in an event loop: the yield
/// costs less than a percent of them.
const UNLENT: usize = 1 << 20;

/// A message that is out, with the place to bring it home to.
pub(super) struct Taken<A: HashFunction> {
    pub(super) slot: Arc<Slot<A>>,
    pub(super) message: Box<Message<A>>,
}

pub(super) struct Shared<A: HashFunction> {
    pub(super) engine: Engine<A>,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    /// Hashers that exist.
    pub(super) hashers: AtomicUsize,
    /// Slots in the queue. A hint: read without the lock.
    pending: AtomicUsize,
    /// Entries to the queue so far.
    entered: Hint,
    /// Rounds in a row in which a message had no company.
    lonely: Hint,
    /// Bytes to be hashed alone before company is looked for again.
    solo: Hint,
    /// Bytes to be deferred before a write that fits is lent again.
    unlent: Hint,
    /// Messages of a round, the mean of about the last four, times four.
    recent: Hint,
    queue: Mutex<Queue<A>>,
}

/// Slots whose message has bytes deferred or lent, the oldest first. A slot has a ticket if and
/// only if it is here.
struct Queue<A: HashFunction> {
    /// Those with enough bytes to make a good round.
    ready: BTreeMap<u64, Arc<Slot<A>>>,
    /// The others, of which a round takes some if it has lanes to spare.
    started: BTreeMap<u64, Arc<Slot<A>>>,
    next_ticket: u64,
    /// Buffers that nobody uses.
    spare: Vec<Vec<u8>>,
    /// Buffers that exist, used or spare.
    buffers: usize,
}

impl<A: HashFunction> Shared<A> {
    pub(super) fn new(engine: Engine<A>, limits: Limits) -> Self {
        let queue = Queue {
            ready: BTreeMap::new(),
            started: BTreeMap::new(),
            next_ticket: 0,
            spare: Vec::new(),
            buffers: 0,
        };
        Self {
            engine,
            limits,
            counters: Counters::default(),
            hashers: AtomicUsize::new(0),
            pending: AtomicUsize::new(0),
            entered: Hint::new(0),
            lonely: Hint::new(0),
            solo: Hint::new(0),
            unlent: Hint::new(0),
            recent: Hint::new(0),
            queue: Mutex::new(queue),
        }
    }

    fn queue(&self) -> QueueGuard<'_, A> {
        QueueGuard { queue: sync::lock(&self.queue), pending: &self.pending }
    }

    /// How many slots are in the queue; may be out of date when it returns.
    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// How many entries to the queue there have been; changes when somebody else is at work.
    pub(super) fn entered(&self) -> usize {
        self.entered.load(Ordering::Relaxed)
    }

    /// Enters a slot whose message is home and has something to hash, or moves it from the started
    /// ones to the ready ones. Returns whether there are enough ready ones to fill the lanes.
    pub(super) fn enter(&self, slot: &Arc<Slot<A>>, place: &mut Place<A>) -> bool {
        let message = place.message.as_ref().expect("only a message at home is entered");
        let ready = message.loan.is_some() || message.deferred() >= self.limits.ready;
        let mut queue = self.queue();
        if let Some(ticket) = place.ticket {
            if ready && let Some(slot) = queue.queue.started.remove(&ticket) {
                queue.queue.ready.insert(ticket, slot);
            }
        } else {
            self.entered.fetch_add(1, Ordering::Relaxed);
            let ticket = queue.queue.next_ticket;
            queue.queue.next_ticket += 1;
            place.ticket = Some(ticket);
            let set = if ready { &mut queue.queue.ready } else { &mut queue.queue.started };
            set.insert(ticket, Arc::clone(slot));
        }
        queue.queue.ready.len() >= self.limits.batch
    }

    /// Takes a slot out of the queue, if it is there.
    pub(super) fn leave(&self, place: &mut Place<A>) {
        if let Some(ticket) = place.ticket.take() {
            let mut queue = self.queue();
            if queue.queue.ready.remove(&ticket).is_none() {
                queue.queue.started.remove(&ticket);
            }
        }
    }

    /// Takes out as many messages as make company for one more, the ready ones first, and adds them
    /// to `taken`. None if there are too few to be worth it.
    pub(super) fn take_company(&self, taken: &mut Vec<Taken<A>>) {
        if self.has_company(0) {
            let mut queue = self.queue();
            let messages = queue.queue.len() + 1;
            if messages >= self.limits.worth {
                queue.queue.take(self.limits.round(messages) - 1, taken);
            }
        }
    }

    /// Whether those in the queue, `own` of them not counted, are worth a round together with one
    /// more message.
    pub(super) fn has_company(&self, own: usize) -> bool {
        self.pending().saturating_sub(own) + 1 >= self.limits.worth
    }

    /// Takes as many messages out as fill the lanes, or none if there are not as many ready ones.
    pub(super) fn take_full(&self, taken: &mut Vec<Taken<A>>) {
        let mut queue = self.queue();
        if queue.queue.ready.len() >= self.limits.batch {
            taken.reserve_exact(self.limits.batch);
            queue.queue.take(self.limits.batch, taken);
        }
    }

    /// An empty buffer of the pool, unless the server's memory is used up.
    pub(super) fn buffer(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue();
        if let Some(buffer) = queue.queue.spare.pop() {
            return Some(buffer);
        }
        if queue.queue.buffers == self.limits.buffers {
            return None;
        }
        queue.queue.buffers += 1;
        drop(queue);
        Some(Vec::with_capacity(self.limits.staging))
    }

    /// Gives buffers back to the pool.
    pub(super) fn give_back(&self, buffers: impl IntoIterator<Item = Vec<u8>>) {
        let mut buffers = buffers.into_iter().peekable();
        if buffers.peek().is_some() {
            self.queue().queue.spare.extend(buffers);
        }
    }

    /// Whether company is not to be looked for at the moment.
    pub(super) fn is_solo(&self) -> bool {
        self.solo.load(Ordering::Relaxed) > 0
    }

    /// Counts bytes that were hashed alone.
    pub(super) fn hashed_alone(&self, bytes: usize) {
        self.counters.alone(bytes as u64);
        // Threads that race here make the time alone a little longer or shorter, which does not
        // matter.
        let solo = self.solo.load(Ordering::Relaxed);
        if solo > 0 {
            self.solo.store(solo.saturating_sub(bytes), Ordering::Relaxed);
        }
    }

    /// Takes note of how many others a message found that looked for company.
    pub(super) fn looked_for_company(&self, found: usize) {
        let recent = self.recent.load(Ordering::Relaxed);
        self.recent.store(recent - recent / 4 + found + 1, Ordering::Relaxed);
        if found > 0 {
            self.lonely.store(0, Ordering::Relaxed);
            self.solo.store(0, Ordering::Relaxed);
        } else {
            let lonely = self.lonely.fetch_add(1, Ordering::Relaxed).saturating_add(1);
            if let Some(times) = lonely.checked_sub(LONELY) {
                self.solo.store(SOLO << times.min(2), Ordering::Relaxed);
            }
        }
    }

    /// Whether a write of so many bytes is to be lent even if it fits; if not, it is going to be
    /// deferred.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        if bytes < self.limits.ready || self.recent.load(Ordering::Relaxed) < 4 * self.limits.lend {
            return false;
        }
        let unlent = self.unlent.load(Ordering::Relaxed);
        if unlent > 0 {
            self.unlent.store(unlent.saturating_sub(bytes), Ordering::Relaxed);
        }
        unlent == 0
    }

    /// Takes note of whether others came while bytes were lent.
    pub(super) fn lent(&self, met: bool) {
        self.unlent.store(if met { 0 } else { UNLENT }, Ordering::Relaxed);
    }

    /// Slots in the queue, buffers in use, and hashers.
    #[cfg(all(loom, test))]
    pub(super) fn left_behind(&self) -> (usize, usize, usize) {
        let queue = self.queue();
        (
            queue.queue.len(),
            queue.queue.buffers - queue.queue.spare.len(),
            self.hashers.load(Ordering::Relaxed),
        )
    }
}

impl<A: HashFunction> Queue<A> {
    fn len(&self) -> usize {
        self.ready.len() + self.started.len()
    }

    fn take(&mut self, count: usize, taken: &mut Vec<Taken<A>>) {
        let end = taken.len() + count;
        for set in [&mut self.ready, &mut self.started] {
            // A slot whose lock is held has its owner at work: it stays. Not many are looked at.
            let mut busy = Vec::new();
            while taken.len() < end && busy.len() < count {
                let Some((ticket, slot)) = set.pop_first() else { break };
                match slot.try_lock().and_then(|mut place| place.go_out()) {
                    Some(message) => taken.push(Taken { slot, message }),
                    None => busy.push((ticket, slot)),
                }
            }
            set.extend(busy);
        }
    }
}

/// The queue locked; keeps the hint true.
struct QueueGuard<'a, A: HashFunction> {
    queue: MutexGuard<'a, Queue<A>>,
    pending: &'a AtomicUsize,
}

impl<A: HashFunction> Drop for QueueGuard<'_, A> {
    fn drop(&mut self) {
        self.pending.store(self.queue.len(), Ordering::Relaxed);
    }
}
