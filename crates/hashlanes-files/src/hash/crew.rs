//! The workers of a run. One that mostly waits for files adds another.

use std::thread::{Builder, Scope};

use super::share::Share;
use super::worker::{Run, Worker};
use super::{Report, Source};

/// Starts workers.
pub(super) struct Crew<'s, 'a, 'r, S: Source, R> {
    pub(super) scope: &'s Scope<'s, 'a>,
    pub(super) run: &'a Run<'a, 'r, S, R>,
    /// The share of a worker from the begin on.
    pub(super) share: Share,
    /// The most workers that are added.
    pub(super) most_added: usize,
}

// Derived, it would need a source and a report that can be copied.
impl<S: Source, R> Clone for Crew<'_, '_, '_, S, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Source, R> Copy for Crew<'_, '_, '_, S, R> {}

impl<S: Source, R: Report<S::Note>> Crew<'_, '_, '_, S, R> {
    /// Works on the calling thread.
    pub(super) fn work(self) {
        Worker::new(self.run, self.share, false, &|| self.add()).run();
    }

    /// Starts one of the workers from the begin on.
    pub(super) fn start(self, index: usize) {
        let builder = Builder::new().name(format!("worker {index}"));
        // If the system refuses a thread, the others do its work.
        if builder.spawn_scoped(self.scope, move || self.work()).is_err() {
            self.run.order.leave();
        }
    }

    /// Adds a worker, unless there are enough.
    fn add(self) {
        let Run { queue, order, .. } = *self.run;
        if order.is_stopped() || !queue.join(self.most_added) {
            return;
        }
        order.join();
        let share = self.share.of_added();
        let work = move || Worker::new(self.run, share, true, &|| self.add()).run();
        if Builder::new().name("reader".into()).spawn_scoped(self.scope, work).is_err() {
            queue.leave();
            order.leave();
        }
    }
}
