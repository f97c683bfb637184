//! What the hashers of a server share: who has bytes deferred, the pool of buffers, and the thresholds.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::thread::ThreadId;
use std::time::Duration;
use std::vec::Vec;

use super::options::Limits;
use super::slot::{Message, Place, Slot};
use super::stats::Counters;
use super::sync::{self, Arc, AtomicBool, AtomicI32, AtomicUsize, Mutex, MutexGuard, Ordering};
use crate::engine::Engine;
use crate::function::HashFunction;

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
    /// Whether of the last two hashers that entered the queue one after the other, both were used by the same thread, as in
    /// an event loop.
    event_loop: AtomicBool,
    /// Chances to be let pass because giving up the processor took long the last time.
    slow_yields: AtomicI32,
    /// Chances to be let pass because giving up the processor brought nobody the last time.
    vain_yields: AtomicI32,
    queue: Mutex<Queue<A>>,
}

/// Slots whose message has bytes deferred or lent, the oldest first. A slot has a ticket if and only if it is here.
struct Queue<A: HashFunction> {
    /// Those with enough bytes to make a good round.
    ready: BTreeMap<u64, Arc<Slot<A>>>,
    /// The others, of which a round takes some if it has lanes to spare.
    started: BTreeMap<u64, Arc<Slot<A>>>,
    next_ticket: u64,
    /// The address of the slot that entered last, and the thread that did it.
    last: Option<(usize, ThreadId)>,
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
            last: None,
            spare: Vec::new(),
            buffers: 0,
        };
        Self {
            engine,
            limits,
            counters: Counters::default(),
            hashers: AtomicUsize::new(0),
            pending: AtomicUsize::new(0),
            event_loop: AtomicBool::new(true),
            slow_yields: AtomicI32::new(0),
            vain_yields: AtomicI32::new(0),
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

    /// Whether a write of so many bytes is worth to be copied, so that it can be hashed side by side with others.
    pub(super) fn copy_pays(&self, bytes: usize) -> bool {
        // In an event loop the copies stay in the near caches. Between threads they seldom do, a yield comes on top, and small
        // writes are copied entirely: then lanes that save little more than a cycle per byte do not make up for it.
        const LARGE: usize = 16 << 10;
        self.limits.saved >= 2 * self.limits.block as u64 || bytes >= LARGE || self.event_loop.load(Ordering::Relaxed)
    }

    /// Enters a slot whose message is home and has something to hash, or moves it from the started ones to the ready ones.
    /// Returns whether there are enough ready ones to fill the lanes.
    pub(super) fn enter(&self, slot: &Arc<Slot<A>>, place: &mut Place<A>) -> bool {
        let message = place.message.as_ref().expect("only a message at home is entered");
        let ready = message.loan.is_some() || message.deferred() >= self.limits.ready;
        let mut queue = self.queue();
        if let Some(ticket) = place.ticket {
            if ready && let Some(slot) = queue.queue.started.remove(&ticket) {
                queue.queue.ready.insert(ticket, slot);
            }
        } else {
            let ticket = queue.queue.next_ticket;
            queue.queue.next_ticket += 1;
            place.ticket = Some(ticket);
            let (this, thread) = (Arc::as_ptr(slot).addr(), std::thread::current().id());
            if let Some((last, last_thread)) = queue.queue.last.replace((this, thread))
                && last != this
            {
                self.event_loop.store(last_thread == thread, Ordering::Relaxed);
            }
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

    /// Takes out as many messages as make company for one more, the ready ones first, and adds them to `taken`. None if
    /// there are too few to be worth it.
    pub(super) fn take_company(&self, taken: &mut Vec<Taken<A>>) {
        if self.has_company(0) {
            let mut queue = self.queue();
            if queue.queue.len() + 1 >= self.limits.worth {
                queue.queue.take(self.limits.batch - 1, taken);
            }
        }
    }

    /// Whether those in the queue, `own` of them not counted, are worth a round together with one more message.
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

    /// Gives the processor to another thread, if that is likely to bring company for a round and if company would save more
    /// than it costs; `bytes` are to be hashed. False if other programs keep the processor so busy that it is better not even
    /// to look for company.
    pub(super) fn let_others_write(&self, bytes: usize) -> bool {
        // Cycles that it costs to go to another thread and back.
        const COST: u64 = 10_000;
        // The same with other programs in between, who leave the caches cold: what is copied and hashed then waits for memory.
        const COST_SLOW: u64 = 80_000;
        // So long a yield went to other programs.
        const SLOW: Duration = Duration::from_millis(1);
        // Chances that are let pass after a slow yield, and after one that brought nobody.
        const PASS: i32 = 16;

        let saves = self.limits.saved_cycles(bytes);
        if saves < COST_SLOW && pass(&self.slow_yields) {
            return false;
        }
        if saves < COST || pass(&self.vain_yields) {
            return true;
        }
        let before = self.tickets();
        let took = sync::yield_now();
        self.slow_yields.store(if took >= SLOW { PASS } else { 0 }, Ordering::Relaxed);
        self.vain_yields.store(if self.tickets() == before { PASS } else { 0 }, Ordering::Relaxed);
        true
    }

    /// Slots in the queue, buffers in use, and hashers.
    #[cfg(all(loom, test))]
    pub(super) fn left_behind(&self) -> (usize, usize, usize) {
        let queue = self.queue();
        (queue.queue.len(), queue.queue.buffers - queue.queue.spare.len(), self.hashers.load(Ordering::Relaxed))
    }

    /// Tickets given so far: changes when anybody enters the queue.
    fn tickets(&self) -> u64 {
        self.queue().queue.next_ticket
    }
}

/// Lets one of `chances` pass, if there are any to be let pass.
fn pass(chances: &AtomicI32) -> bool {
    // Threads that race here let one too many or too few pass, which does not matter.
    chances.load(Ordering::Relaxed) > 0 && chances.fetch_sub(1, Ordering::Relaxed) > 0
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
