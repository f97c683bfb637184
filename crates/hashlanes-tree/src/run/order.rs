//! Hands out segments, and gives the digests to the sinks in order.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hashlanes_files::Control;

use crate::{Error, Sink};

/// The digests of a segment, for each plan.
type Digests = Vec<Vec<u8>>;

pub(super) struct Order<'s> {
    state: Mutex<State>,
    /// Somebody may go on: a segment was delivered, or the run has failed.
    changed: Condvar,
    /// Used by the worker that delivers.
    sinks: Mutex<Vec<&'s mut dyn Sink>>,
    count: u64,
    /// Segments that may be handed out and not delivered.
    ahead: u64,
    control: &'s Control,
}

struct State {
    /// The next segment that is handed out.
    next: u64,
    /// The next segment that the sinks get.
    due: u64,
    /// Those that are done before their turn.
    waiting: BTreeMap<u64, Digests>,
    /// A worker is giving digests to the sinks.
    is_delivering: bool,
    error: Option<Error>,
}

impl<'s> Order<'s> {
    pub(super) fn new(
        sinks: Vec<&'s mut dyn Sink>,
        count: u64,
        ahead: u64,
        control: &'s Control,
    ) -> Self {
        let waiting = BTreeMap::new();
        let state = State { next: 0, due: 0, waiting, is_delivering: false, error: None };
        let (state, sinks) = (Mutex::new(state), Mutex::new(sinks));
        Self { state, changed: Condvar::new(), sinks, count, ahead, control }
    }

    pub(super) fn control(&self) -> &Control {
        self.control
    }

    /// Up to `most` segments.
    pub(super) fn take(&self, most: u64) -> Range<u64> {
        let mut state = self.lock();
        let end = self.count.min(state.due + self.ahead).max(state.next);
        let taken = state.next..end.min(state.next + most);
        state.next = taken.end;
        taken
    }

    /// Waits until a segment may be taken. False if there will be none.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.lock();
        loop {
            if state.error.is_some() || state.next == self.count {
                return false;
            }
            if state.next < state.due + self.ahead {
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the run has failed or was stopped.
    pub(super) fn is_over(&self) -> bool {
        if self.control.is_stopped() {
            self.fail(Error::Stopped);
        }
        self.lock().error.is_some()
    }

    /// Ends the run. The first error counts.
    pub(super) fn fail(&self, error: Error) {
        self.lock().error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// A segment is done. Gives what is due to the sinks, unless another worker does.
    pub(super) fn deliver(&self, number: u64, digests: Digests) {
        let mut state = self.lock();
        state.waiting.insert(number, digests);
        if state.is_delivering {
            return;
        }
        state.is_delivering = true;
        while state.error.is_none() {
            let due = state.due;
            let Some(digests) = state.waiting.remove(&due) else { break };
            drop(state);
            let outcome = self.give(&digests);
            state = self.lock();
            state.due += 1;
            if let Err(error) = outcome {
                state.error.get_or_insert(Error::Sink(error));
            }
            self.changed.notify_all();
        }
        state.is_delivering = false;
    }

    fn give(&self, digests: &Digests) -> io::Result<()> {
        let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
        for (sink, digests) in sinks.iter_mut().zip(digests).filter(|(_, d)| !d.is_empty()) {
            sink.leaves(digests)?;
        }
        Ok(())
    }

    /// How the run ended, once all workers have.
    pub(super) fn into_result(self) -> Result<(), Error> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.error {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
