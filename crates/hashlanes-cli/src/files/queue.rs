//! What is to be done: the source, of which workers pull, and the large files that nobody has
//! begun.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use super::order::{Done, Order, Ticket, lock};
use super::{Entry, Plan, Report, Source};

/// Entries that are pulled at a time, at most. Enough small files to fill the lanes of any kernel.
const PULL: usize = 64;

/// A file that is to be hashed.
pub(super) struct Pending<N> {
    pub(super) ticket: Ticket,
    pub(super) path: PathBuf,
    pub(super) plan: usize,
    pub(super) note: N,
}

impl<N> Pending<N> {
    pub(super) fn done(self, outcome: super::Outcome) -> (Ticket, Done<N>) {
        (self.ticket, Done::File { path: self.path, note: self.note, outcome })
    }
}

pub(super) struct Queue<S: Source> {
    workers: usize,
    /// Held while the source is asked, which may take long; so it is locked before `state` and
    /// never after.
    source: Mutex<Numbered<S>>,
    state: Mutex<State<S::Note>>,
    /// For workers that have nothing to do: something in `state` or the room in `Order` has
    /// changed.
    changed: Condvar,
}

struct Numbered<S> {
    source: S,
    next: u64,
    /// How many entries the next pull may take, while that is growing.
    ramp: usize,
    exhausted: bool,
}

struct State<N> {
    /// Large files that nobody has begun.
    large: VecDeque<Pending<N>>,
    /// Large files under way in all workers.
    under_way: usize,
    /// Workers with files of which it is not known yet whether they are large.
    sorting: usize,
    /// The source has nothing more.
    exhausted: bool,
    /// Workers that wait for a change.
    idle: usize,
}

/// What a worker pulled.
#[derive(PartialEq, Eq)]
pub(super) enum Pulled {
    /// Something; `sorted` must be called when it has been looked through.
    Entries,
    /// Nothing for now.
    Nothing,
}

impl<S: Source> Queue<S> {
    pub(super) fn new(source: S, workers: usize) -> Self {
        Self {
            workers,
            source: Mutex::new(Numbered { source, next: 0, ramp: 4, exhausted: false }),
            state: Mutex::new(State {
                large: VecDeque::new(),
                under_way: 0,
                sorting: 0,
                exhausted: false,
                idle: 0,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    /// Pulls the next entries: files to `files`, notes, which are done at once, to `done`. A worker
    /// with large files under way does not wait here.
    pub(super) fn pull<R: Report<S::Note>>(
        &self,
        order: &Order<'_, S::Note, R>,
        plans: &[Plan],
        may_wait: bool,
        files: &mut VecDeque<Pending<S::Note>>,
        done: &mut Vec<(Ticket, Done<S::Note>)>,
    ) -> Pulled {
        let mut source = if may_wait {
            lock(&self.source)
        } else {
            match self.source.try_lock() {
                Ok(source) => source,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Pulled::Nothing,
            }
        };
        if source.exhausted || !(may_wait || source.source.is_ready()) {
            return Pulled::Nothing;
        }
        let mut left = match source.source.remaining() {
            // Towards the end the rest is cut so that all workers end at about the same time.
            Some(remaining) => (remaining / (2 * self.workers)).clamp(1, PULL),
            // It may be little: begin with few.
            None => {
                source.ramp = (2 * source.ramp).min(PULL);
                source.ramp
            }
        };
        lock(&self.state).sorting += 1;
        while left > 0 && order.has_room() && !order.is_stopped() {
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
            match entry {
                Entry::File { path, plan, note } => {
                    let ticket = order.ticket(number, path.as_os_str().len(), plans[plan].len());
                    files.push_back(Pending { ticket, path, plan, note });
                }
                Entry::Note(note) => done.push((order.ticket(number, 0, 0), Done::Note(note))),
            }
        }
        let exhausted = source.exhausted;
        drop(source);
        if exhausted {
            lock(&self.state).exhausted = true;
        }
        if files.is_empty() && done.is_empty() {
            self.sorted();
            return Pulled::Nothing;
        }
        Pulled::Entries
    }

    /// What the caller pulled last has been looked through.
    pub(super) fn sorted(&self) {
        let mut state = lock(&self.state);
        state.sorting -= 1;
        if state.exhausted && state.sorting == 0 && state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// A file has turned out to be large.
    pub(super) fn push_large(&self, file: Pending<S::Note>) {
        let mut state = lock(&self.state);
        state.large.push_back(file);
        if state.idle > 0 {
            self.changed.notify_one();
        }
    }

    /// The next large file for a worker that has `own` under way, if `has_place` for it: unless the
    /// others should take it, so that every worker gets as many.
    pub(super) fn take_large(
        &self,
        own: usize,
        has_place: impl FnOnce(&Pending<S::Note>) -> bool,
    ) -> Option<Pending<S::Note>> {
        let mut state = lock(&self.state);
        let share = (state.under_way + state.large.len()).div_ceil(self.workers);
        if own >= share || !has_place(state.large.front()?) {
            return None;
        }
        state.under_way += 1;
        state.large.pop_front()
    }

    /// A large file that was taken is finished.
    pub(super) fn finished_large(&self) {
        lock(&self.state).under_way -= 1;
    }

    /// Entries have been reported, so there may be room for others. Or all is to stop.
    pub(super) fn wake(&self) {
        let state = lock(&self.state);
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits, without anything under way, until there is something to do; false if there will be
    /// nothing any more.
    pub(super) fn wait<R: Report<S::Note>>(&self, order: &Order<'_, S::Note, R>) -> bool {
        let mut state: MutexGuard<'_, State<S::Note>> = lock(&self.state);
        loop {
            if order.is_stopped() {
                return false;
            }
            if !state.large.is_empty() || !state.exhausted && order.has_room() {
                return true;
            }
            if state.exhausted && state.sorting == 0 {
                return false;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}
