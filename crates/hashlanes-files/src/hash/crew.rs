//! The workers of a run. One that mostly waits for files adds another.

use std::thread::Scope;

use super::helper::Helper;
use super::share::Share;
use super::worker::{Need, Run, Worker};

/// Starts workers.
#[derive(Clone, Copy)]
pub(super) struct Crew<'s, 'a, 'r> {
    pub(super) scope: &'s Scope<'s, 'a>,
    pub(super) run: &'a Run<'a, 'r>,
    /// The share of each worker that runs from the start.
    pub(super) share: Share,
    /// How many workers may be added.
    pub(super) most_added: usize,
    /// The threads that may work, besides those that were added.
    pub(super) threads: usize,
}

impl Crew<'_, '_, '_> {
    /// Works on the calling thread.
    pub(super) fn work(self) {
        Worker::new(self.run, self.share, false, &|need| self.supply(need)).run();
    }

    /// Starts one of the workers that run from the start.
    pub(super) fn start(self, number: usize) {
        let work = move || self.work();
        if !hashlanes_pool::start(self.scope, format!("worker {number}"), work) {
            self.run.delivery.leave();
        }
    }

    fn supply(self, need: Need) {
        match need {
            Need::Worker => self.add(),
            Need::Helpers(parts) => self.help(parts),
        }
    }

    /// Starts threads that hash parts of files, unless there are enough that work.
    fn help(self, parts: u64) {
        for number in 1..parts {
            if !self.run.delivery.join_below(self.threads) {
                return;
            }
            let work = move || Helper::default().run(self.run.queue, self.run.delivery);
            if !hashlanes_pool::start(self.scope, format!("helper {number}"), work) {
                self.run.delivery.leave();
                return;
            }
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
        let work = move || Worker::new(self.run, share, true, &|need| self.supply(need)).run();
        if !hashlanes_pool::start(self.scope, "reader".into(), work) {
            queue.leave();
            delivery.leave();
        }
    }
}
