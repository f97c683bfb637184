//! A worker: reads and hashes on one core.

use std::collections::VecDeque;

use super::batch::{Batch, Begun};
use super::order::{Done, Order, Ticket};
use super::queue::{Pending, Pulled, Queue};
use super::streams::{Streams, hash_alone};
use super::{Plan, Report, Source, is_stdin};

pub(super) struct Worker<'a, 'r, S: Source, R> {
    queue: &'a Queue<S>,
    order: &'a Order<'r, S::Note, R>,
    plans: &'a [Plan],
    /// Pulled, and not looked at yet.
    files: VecDeque<Pending<S::Note>>,
    batch: Batch<S::Note>,
    streams: Streams<S::Note>,
    done: Vec<(Ticket, Done<S::Note>)>,
}

impl<'a, 'r, S: Source, R: Report<S::Note>> Worker<'a, 'r, S, R> {
    pub(super) fn new(
        queue: &'a Queue<S>,
        order: &'a Order<'r, S::Note, R>,
        plans: &'a [Plan],
    ) -> Self {
        Self {
            queue,
            order,
            plans,
            files: VecDeque::new(),
            batch: Batch::new(),
            streams: Streams::new(plans, queue.workers()),
            done: Vec::new(),
        }
    }

    /// Works until all is done or the run is stopped.
    pub(super) fn run(mut self) {
        let _guard = StopOnPanic { queue: self.queue, order: self.order };
        while !self.order.is_stopped() {
            self.take_large();
            let may_wait = self.streams.active() == 0;
            let pulled =
                self.queue.pull(self.order, self.plans, may_wait, &mut self.files, &mut self.done);
            if pulled == Pulled::Entries {
                self.hash_small();
                self.queue.sorted();
            }
            if self.streams.active() > 0 {
                self.turn_streams();
            } else if pulled == Pulled::Nothing && !self.queue.wait(self.order) {
                break;
            }
        }
        self.queue.wake();
    }

    fn deliver(&mut self) {
        if !self.done.is_empty() {
            self.order.deliver(&mut self.done);
            self.queue.wake();
        }
    }

    /// Reads and hashes what was pulled; large files go to the queue.
    fn hash_small(&mut self) {
        while let Some(file) = self.files.pop_front() {
            if is_stdin(&file.path) {
                // It may be long in coming. What is ready shall not wait.
                self.hash_batch();
            }
            match self.batch.read(file) {
                Begun::Small => {}
                Begun::Large(file) => self.queue.push_large(file),
                Begun::Failed(file, error) => self.done.push(file.done(Err(error))),
                Begun::Special(file, opened) => {
                    // As above.
                    let head = self.batch.head().to_vec();
                    self.hash_batch();
                    let outcome = hash_alone(&self.plans[file.plan], &head, opened, || {
                        self.order.is_stopped()
                    });
                    self.done.push(file.done(outcome));
                }
            }
            if self.batch.is_full() {
                self.hash_batch();
            }
        }
        self.hash_batch();
    }

    fn hash_batch(&mut self) {
        if !self.batch.is_empty() {
            self.batch.hash(self.plans, |file, outcome| self.done.push(file.done(outcome)));
        }
        self.deliver();
    }

    /// Begins with a fair share of the large files.
    fn take_large(&mut self) {
        while let Some(file) =
            self.queue.take_large(self.streams.active(), |file| self.streams.has_place(file.plan))
        {
            if let Err((file, error)) = self.streams.begin(self.plans, file) {
                self.queue.finished_large();
                self.done.push(file.done(Err(error)));
            }
        }
        self.deliver();
    }

    fn turn_streams(&mut self) {
        self.streams.turn(|file, outcome| {
            self.queue.finished_large();
            self.done.push(file.done(outcome));
        });
        self.deliver();
    }
}

/// Lets the other workers end when one panics; they would wait for it for ever.
struct StopOnPanic<'a, 'r, S: Source, R: Report<S::Note>> {
    queue: &'a Queue<S>,
    order: &'a Order<'r, S::Note, R>,
}

impl<S: Source, R: Report<S::Note>> Drop for StopOnPanic<'_, '_, S, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.order.stop();
            self.queue.wake();
        }
    }
}
