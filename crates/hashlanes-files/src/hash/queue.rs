//! The remaining work: the source, from which workers pull, and the large and special files that no
//! worker has started.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use hashlanes_pool::{Ticket, lock};

use super::delivery::{Delivery, Done};
use super::parts::InParts;
use super::pending::Pending;
use super::readers::Readers;
use super::special::Special;
use super::turns::Turns;
use super::{Entry, Plan, Source};

/// The maximum number of entries pulled at a time: enough small files to fill the lanes of any
/// kernel.
const PULL: usize = 64;

/// How long an idle worker may take to notice that the run was stopped.
const STOP_LATENCY: Duration = Duration::from_millis(100);

pub(super) struct Queue<'s> {
    readers: Readers,
    /// The workers that run from the start.
    base: usize,
    /// Workers that were added and have not left.
    added: AtomicUsize,
    /// Locked while the source produces entries, which may take long. Always locked before `state`.
    source: Mutex<Numbered<'s>>,
    state: Mutex<State>,
    /// Wakes idle workers when `state` changes, or the room in `Delivery`.
    changed: Condvar,
}

struct Numbered<'s> {
    source: &'s mut dyn Source<Note = ()>,
    /// The number of the next entry.
    next: u64,
    /// The size of the latest pull, while the sizes grow.
    ramp: usize,
    exhausted: bool,
}

struct State {
    /// Large files that no worker has started.
    large: VecDeque<Pending>,
    /// The first of them must wait until its disk has finished another.
    held_back: bool,
    /// Large files with parts that no worker has taken.
    in_parts: VecDeque<Arc<InParts>>,
    /// Large files in progress in all workers.
    under_way: usize,
    special: Turns,
    /// Workers with files that may still turn out to be large or special.
    sorting: usize,
    /// The source has no more entries.
    exhausted: bool,
    /// The source was not ready, so nothing is pulled until all special files are finished.
    withheld: bool,
    /// Workers that wait for `changed`.
    idle: usize,
}

/// Entries that a worker pulled.
///
/// The worker calls [`Queue::looked_at`] after it has pushed the special ones, and then
/// [`Queue::sorted`] after it has pushed the large ones.
pub(super) struct Pull {
    /// The number of the first entry.
    first: u64,
}

impl<'s> Queue<'s> {
    /// The notes of the source wait elsewhere.
    pub(super) fn new(
        source: &'s mut dyn Source<Note = ()>,
        workers: usize,
        readers: Option<NonZeroUsize>,
    ) -> Self {
        Self {
            readers: Readers::new(readers),
            base: workers,
            added: AtomicUsize::new(0),
            source: Mutex::new(Numbered { source, next: 0, ramp: 4, exhausted: false }),
            state: Mutex::new(State {
                large: VecDeque::new(),
                held_back: false,
                in_parts: VecDeque::new(),
                under_way: 0,
                special: Turns::new(),
                sorting: 0,
                exhausted: false,
                withheld: false,
                idle: 0,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn readers(&self) -> &Readers {
        &self.readers
    }

    pub(super) fn workers(&self) -> usize {
        self.base + self.added.load(Ordering::Relaxed)
    }

    /// Counts one more worker, unless `most` have been added already.
    pub(super) fn join(&self, most: usize) -> bool {
        let join = |added| (added < most).then_some(added + 1);
        self.added.fetch_update(Ordering::Relaxed, Ordering::Relaxed, join).is_ok()
    }

    /// A worker that was added leaves.
    pub(super) fn leave(&self) {
        self.added.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether there is work for one more worker.
    pub(super) fn has_more(&self) -> bool {
        let state = lock(&self.state);
        !state.exhausted && !state.withheld
            || !state.large.is_empty() && !state.held_back
            || state.has_part()
    }

    /// Pulls the next entries. Files go to `files`. Notes go to `done`, since they need no work.
    /// Returns `None` if there is nothing to pull now. Waits for the source only if `may_wait`.
    pub(super) fn pull(
        &self,
        delivery: &Delivery<'_>,
        plans: &[Plan],
        may_wait: bool,
        files: &mut VecDeque<Pending>,
        done: &mut Vec<(Ticket, Done)>,
    ) -> Option<Pull> {
        let mut source = if may_wait {
            lock(&self.source)
        } else {
            match self.source.try_lock() {
                Ok(source) => source,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            }
        };
        let pull = self.begin_pull(&source, may_wait)?;
        let mut left = source.share(self.base, self.workers());
        while left > 0 && delivery.has_room() && !delivery.is_stopped() {
            if files.len() + done.len() > 0 && !source.source.is_ready() {
                break;
            }
            let Some(entry) = source.source.next() else {
                source.exhausted = true;
                break;
            };
            let number = source.next;
            source.next += 1;
            left -= 1;
            let (path, input, plan) = match entry {
                Entry::Named { path, input, plan, note: () } => (path, input, plan),
                Entry::Note(()) => {
                    done.push((delivery.ticket(number, 0, 0), Done::Note(number)));
                    continue;
                }
            };
            let ticket = delivery.ticket(number, path.as_os_str().len(), plans[plan].len());
            let (stamp, is_before, is_counted) = (None, false, false);
            files.push_back(Pending { ticket, path, input, stamp, is_before, is_counted, plan });
        }
        let exhausted = source.exhausted;
        drop(source);
        if exhausted {
            lock(&self.state).exhausted = true;
        }
        if files.is_empty() && done.is_empty() {
            self.looked_at(&pull);
            self.sorted(pull);
            return None;
        }
        Some(pull)
    }

    /// Starts a pull, if the source may be read now.
    ///
    /// A source that is not ready may wait for the writer of a pipe, or may be reading a pipe that
    /// it has itself listed as a file. So it is read only after all earlier special files are
    /// finished.
    fn begin_pull(&self, source: &Numbered<'_>, may_wait: bool) -> Option<Pull> {
        if source.exhausted {
            return None;
        }
        let is_ready = source.source.is_ready();
        let mut state = lock(&self.state);
        state.withheld = !is_ready && !state.special.all_done();
        if state.withheld || !is_ready && !may_wait {
            return None;
        }
        state.special.pulled(source.next);
        state.sorting += 1;
        Some(Pull { first: source.next })
    }

    /// The special files of `pull` have been pushed.
    pub(super) fn looked_at(&self, pull: &Pull) {
        let mut state = lock(&self.state);
        state.special.looked_at(pull.first);
        if state.idle > 0 && (state.withheld || state.special.next().is_some()) {
            self.changed.notify_all();
        }
    }

    /// The large files of `pull` have been pushed.
    pub(super) fn sorted(&self, _: Pull) {
        let mut state = lock(&self.state);
        state.sorting -= 1;
        if state.exhausted && state.sorting == 0 && state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Adds a file that turned out to be special.
    pub(super) fn push_special(&self, special: Special) {
        let mut state = lock(&self.state);
        state.special.push(special);
        if state.idle > 0 {
            self.changed.notify_one();
        }
    }

    /// The next special file, if its turn has come.
    pub(super) fn take_special(&self) -> Option<Special> {
        lock(&self.state).special.take()
    }

    /// Records that the special file that was taken is finished.
    pub(super) fn finished_special(&self) {
        let mut state = lock(&self.state);
        state.special.finished();
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Adds a file that turned out to be large.
    pub(super) fn push_large(&self, file: Pending) {
        let mut state = lock(&self.state);
        state.large.push_back(file);
        if state.idle > 0 {
            self.changed.notify_one();
        }
    }

    /// Adds a large file whose parts all workers hash.
    pub(super) fn push_parts(&self, file: Box<InParts>) {
        let mut state = lock(&self.state);
        state.in_parts.push_back(file.into());
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// The next part of the first file that has one.
    pub(super) fn take_part(&self) -> Option<(Arc<InParts>, Ticket)> {
        let mut state = lock(&self.state);
        state.in_parts.retain(|file| file.is_open());
        state.in_parts.iter().find_map(|file| Some((file.clone(), file.take()?)))
    }

    /// Whether a part can be taken.
    pub(super) fn has_part(&self) -> bool {
        lock(&self.state).has_part()
    }

    /// The next large file, for a worker with `own` large files in progress, if it `suits`, which
    /// also gets whether parts of another can be taken. `None` if the worker has its share already:
    /// all workers get about equally many.
    pub(super) fn take_large(
        &self,
        own: usize,
        suits: impl FnOnce(&Pending, bool) -> bool,
    ) -> Option<Pending> {
        let mut state = lock(&self.state);
        // The worker that reads a special file takes no large ones.
        let workers = self.workers() - usize::from(state.special.is_under_way());
        let share = (state.under_way + state.large.len()).div_ceil(workers.max(1));
        if own >= share || state.held_back || !suits(state.large.front()?, state.has_part()) {
            return None;
        }
        state.under_way += 1;
        state.large.pop_front()
    }

    /// Records that a large file that was taken is finished.
    pub(super) fn finished_large<I>(&self, file: &Pending<I>) {
        if file.is_counted {
            self.readers.finished();
        }
        let mut state = lock(&self.state);
        state.under_way -= 1;
        if file.is_counted && state.held_back {
            state.held_back = false;
            self.changed.notify_all();
        }
    }

    /// Returns a large file that was taken but must wait for others.
    pub(super) fn hold_back(&self, file: Pending) {
        let mut state = lock(&self.state);
        state.under_way -= 1;
        state.large.push_front(file);
        // The last of the others may have finished in the meantime.
        state.held_back = self.readers.reading() > 0;
    }

    /// Wakes idle workers after entries were reported: there may be room, or the run may be over.
    pub(super) fn wake(&self) {
        let state = lock(&self.state);
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until there is work, for a worker that has none in progress. `false` if there will be
    /// no more.
    pub(super) fn wait(&self, delivery: &Delivery<'_>) -> bool {
        let mut state: MutexGuard<'_, State> = lock(&self.state);
        loop {
            if delivery.is_stopped() {
                return false;
            }
            let withheld = state.withheld && !state.special.all_done();
            let can_pull = !state.exhausted && !withheld && delivery.has_room();
            let can_take = !state.large.is_empty() && !state.held_back;
            if can_pull || can_take || state.has_part() || state.special.next().is_some() {
                return true;
            }
            // The reader of a special file may wait forever. Another worker must notice a stop.
            let special = !state.special.is_empty() || state.special.is_under_way();
            let done = state.exhausted && state.large.is_empty();
            if done && state.sorting == 0 && !special {
                return false;
            }
            state.idle += 1;
            // `Control::stop` wakes nobody, so look again from time to time.
            let woken = self.changed.wait_timeout(state, STOP_LATENCY);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
            state.idle -= 1;
        }
    }
}

impl State {
    /// Whether a part of a large file can be taken.
    fn has_part(&self) -> bool {
        self.in_parts.iter().any(|file| file.has_part())
    }
}

impl Numbered<'_> {
    /// The number of entries that a worker pulls now.
    ///
    /// If workers were added, files are slow, and one worker must not keep many of them.
    fn share(&mut self, base: usize, workers: usize) -> usize {
        let most = (PULL * base / workers).max(4);
        match self.source.remaining() {
            // Decreasing towards the end, so that all workers finish at about the same time.
            Some(remaining) => (remaining / (2 * workers)).clamp(1, most),
            // There may be few in total, so the first pulls are small.
            None => {
                self.ramp = (2 * self.ramp).min(PULL);
                self.ramp.min(most)
            }
        }
    }
}
