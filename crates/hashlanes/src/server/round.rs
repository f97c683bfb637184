//! One round: messages of several hashers that are out with this thread, which hashes them side by
//! side until the lanes begin to run empty.
//!
//! The owner of each message may be waiting for it, so all come home, whatever happens: a kernel
//! may panic, and foreign code may panic, wait or use the server. Dropping a round brings them home
//! in this order:
//!
//! 1. Every message goes home, and enters the queue if enough of it is left to hash. This step runs
//!    no foreign code and allocates nothing.
//! 2. Buffers go back to the pool, and sleeping threads are woken.
//! 3. Waiting tasks are woken. Their wakers are foreign code, which may now do anything.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::Vec;

use super::message::Message;
use super::shared::Shared;
use super::slot::{Home, Leftovers, Slot, Taken};
use super::sync::Arc;
use super::task::Task;
use crate::wipe;

/// Messages that are out with this thread, and all memory for their round. Dropping it brings them
/// home.
pub(super) struct Round<'s> {
    shared: &'s Shared,
    out: Vec<Taken>,
    /// The slots whose messages have come home, with capacity for all.
    home: Vec<(Arc<Slot>, Leftovers)>,
    tasks: Vec<Task<'static>>,
    /// Tasks that wait for a lane.
    waiting: Vec<usize>,
}

impl<'s> Round<'s> {
    /// A round without messages so far. `None` if there is no memory for it.
    fn new(shared: &'s Shared) -> Option<Self> {
        Some(Self {
            shared,
            out: shared.room()?,
            home: shared.room()?,
            tasks: shared.room()?,
            waiting: shared.room()?,
        })
    }

    /// A round of as many ready messages as fill the lanes. `None` if there are fewer.
    pub(super) fn full(shared: &'s Shared) -> Option<Self> {
        let mut round = Self::new(shared)?;
        shared.take_full(&mut round.out);
        round.unless_empty()
    }

    /// A round of this thread's share of the queue, with room for `own` messages (zero or one) of
    /// the caller. `None` if it is not worthwhile.
    pub(super) fn of_others(shared: &'s Shared, own: usize) -> Option<Self> {
        let share = shared.share(own)?;
        let mut round = Self::new(shared)?;
        shared.take_share(share, own, &mut round.out);
        round.unless_empty()
    }

    fn unless_empty(self) -> Option<Self> {
        (!self.out.is_empty()).then_some(self)
    }

    /// The number of messages.
    #[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Runs the round.
    pub(super) fn run(mut self) {
        self.hash(&[]);
        self.end();
    }

    /// Runs a round of this thread's own messages, each with the bytes of the same place in `own`
    /// after what it has deferred, and tells `hashed` how many of these were hashed. Returns false
    /// and does nothing if there is no memory.
    pub(super) fn run_own<'h>(
        shared: &'s Shared,
        homes: impl Iterator<Item = Home<'h>>,
        own: &[&[u8]],
        mut hashed: impl FnMut(usize, usize),
    ) -> bool {
        let Some(mut round) = Self::new(shared) else { return false };
        for mut home in homes {
            shared.leave(&mut home);
            round.out.push(Taken { slot: Arc::clone(home.slot()), message: home.take() });
        }
        round.hash(own);
        for (i, taken) in round.out.iter().enumerate() {
            hashed(i, taken.message.consumed[2]);
        }
        round.end();
        true
    }

    /// Runs the round with one more message, whose deferred bytes are followed by `bytes`. Returns
    /// how many of these were hashed.
    pub(super) fn run_with(mut self, own: Home<'_>, bytes: &[u8]) -> usize {
        let (slot, message) = (Arc::clone(own.slot()), own.take());
        self.out.push(Taken { slot, message });
        self.hash(&[bytes]);
        let hashed = self.out.last().map_or(0, |own| own.message.consumed[2]);
        self.end();
        hashed
    }

    /// Brings the messages home.
    fn end(self) {
        drop(self);
        wipe::stack::<{ wipe::MANY }>();
    }

    /// Hashes the messages side by side. The bytes `own` belong to the last ones.
    fn hash(&mut self, own: &[&[u8]]) {
        let shared = self.shared;
        let (last, others) = (self.out.len() - 1, self.out.len() - own.len());
        let mut tasks = core::mem::take(&mut self.tasks);
        tasks.extend(self.out.iter_mut().enumerate().map(|(i, taken)| {
            let own = i.checked_sub(others).map_or(&[][..], |i| own[i]);
            Task::new(&mut *taken.message, own, shared.limits.slice)
        }));
        let underway = shared.peers.begin(tasks.len());
        shared.function.hash(&mut tasks, &mut self.waiting, shared.forced);
        drop(underway);
        drop(tasks);
        self.count();
        self.out.iter_mut().for_each(|taken| taken.message.hashed());
        shared.searched(last);
    }

    /// Counts what was hashed.
    fn count(&self) {
        let counters = &self.shared.counters;
        let bytes = |message: &Message| message.consumed.iter().sum::<usize>() as u64;
        let sizes = self.out.iter().map(|taken| bytes(&taken.message));
        let total: u64 = sizes.clone().sum();
        if self.out.len() == 1 {
            return counters.single(total);
        }
        let Shared { function, forced, .. } = self.shared;
        let row = function.row(self.out.len(), *forced);
        // The lanes were busy for at least as long as the longest message takes, and as long as all
        // messages take if no lane is ever idle.
        let lanes = function.kernel(row).map_or(1, |(_, lanes)| lanes as u64);
        let longest = sizes.max().unwrap_or(0).max(total.div_ceil(lanes));
        counters.round(row, total, longest);
    }

    fn bring_home(&mut self) {
        debug_assert!(self.out.len() <= self.home.capacity());
        for Taken { slot, message } in self.out.drain(..) {
            let mut place = Slot::lock(&slot);
            let leftovers = place.come_home(message);
            if let Ok(mut home) = place.home()
                && home.is_worth_a_round()
            {
                self.shared.enter(&mut home);
            }
            self.home.push((slot, leftovers));
        }
    }
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.bring_home();
        let spare = self.home.iter_mut().flat_map(|(_, leftovers)| &mut leftovers.spare);
        self.shared.pool.give_back(spare.filter_map(Option::take));
        // Only after all are home, so that whoever wakes up finds all its peers in the queue.
        for (slot, leftovers) in &self.home {
            if leftovers.out.sleeping {
                slot.wake();
            }
        }
        for waker in self.home.iter_mut().filter_map(|(_, leftovers)| leftovers.out.waker.take()) {
            contain(|| waker.wake());
        }
    }
}

/// Runs foreign code that does not belong to this thread. If it panics, which the panic hook has
/// reported, this thread continues.
fn contain(foreign: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(foreign)) {
        // Dropping the payload runs foreign code again. If that panics too, its payload is leaked.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            core::mem::forget(payload);
        }
    }
}
