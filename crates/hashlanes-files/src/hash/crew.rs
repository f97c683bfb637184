//! The workers of a run. One that mostly waits for files adds another.

use std::thread::Scope;

use super::share::Share;
use super::worker::{Run, Worker};

/// Starts workers.
#[derive(Clone, Copy)]
pub(super) struct Crew<'s, 'a, 'r> {
    pub(super) scope: &'s Scope<'s, 'a>,
    pub(super) run: &'a Run<'a, 'r>,
    /// The share of each worker that runs from the start.
    pub(super) share: Share,
    /// How many workers may be added.
    pub(super) most_added: usize,
}

impl Crew<'_, '_, '_> {
    /// Works on the calling thread.
    pub(super) fn work(self) {
        Worker::new(self.run, self.share, false, &|| self.add()).run();
    }

    /// Starts one of the workers that run from the start.
    pub(super) fn start(self, number: usize) {
        let work = move || self.work();
        if !hashlanes_pool::start(self.scope, format!("worker {number}"), work) {
            self.run.delivery.leave();
        }
    }

    /// Adds a worker, unless there are enough.
    fn add(self) {
        let Run { queue, delivery, .. } = *self.run;
        if delivery.is_stopped() || !queue.join(self.most_added) {
            return;
        }
        delivery.join();
        let share = self.share.of_added();
        let work = move || Worker::new(self.run, share, true, &|| self.add()).run();
        if !hashlanes_pool::start(self.scope, "reader".into(), work) {
            queue.leave();
            delivery.leave();
        }
    }
}
