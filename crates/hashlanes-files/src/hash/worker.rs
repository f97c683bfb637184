//! A worker: reads and hashes on one core.

use std::collections::VecDeque;

use super::batch::Batch;
use super::look::{Way, way};
use super::order::{Done, Order, Ticket};
use super::queue::{Pending, Pull, Queue};
use super::special::Special;
use super::streams::Streams;
use super::{Begun, Kind, Plan, Report, Share, Source};
use crate::regular::not_regular;

pub(super) struct Worker<'a, 'r, S: Source, R> {
    queue: &'a Queue<S>,
    order: &'a Order<'r, S::Note, R>,
    plans: &'a [Plan],
    /// Files that were pulled. Once they have been looked at, only the small ones are left.
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
        share: Share,
    ) -> Self {
        Self {
            queue,
            order,
            plans,
            files: VecDeque::new(),
            batch: Batch::new(plans, share),
            streams: Streams::new(plans, share),
            done: Vec::new(),
        }
    }

    /// Works until all is done or the run is stopped.
    pub(super) fn run(mut self) {
        let _guard = StopOnPanic { queue: self.queue, order: self.order };
        while !self.order.is_stopped() {
            // Reading a special file may take forever. So a worker does this first only if there
            // are others for the regular files. A single worker does it last (below).
            if self.queue.workers() > 1 && self.streams.active() == 0 && self.hash_special() {
                continue;
            }
            self.take_large();
            let pulled = self.pull();
            let nothing = pulled.is_none();
            if let Some(pull) = pulled {
                self.look_at_files();
                self.queue.looked_at(&pull);
                self.hash_small();
                self.queue.sorted(pull);
            }
            if self.streams.active() > 0 {
                self.turn_streams();
            } else if nothing && !self.hash_special() && !self.queue.wait(self.order) {
                break;
            }
        }
        self.order.leave();
        self.queue.wake();
    }

    /// Pulls files. Waits for the source only if nothing is under way.
    fn pull(&mut self) -> Option<Pull> {
        let may_wait = self.streams.active() == 0;
        let Self { queue, order, plans, files, done, .. } = self;
        let mut pull = || queue.pull(order, plans, may_wait, files, done);
        if may_wait { order.wait_outside(pull) } else { pull() }
    }

    fn deliver(&mut self) {
        if !self.done.is_empty() {
            self.order.deliver(&mut self.done);
            self.queue.wake();
        }
    }

    /// Sorts the files that were pulled: large and special ones go to the queue, small ones stay.
    fn look_at_files(&mut self) {
        for _ in 0..self.files.len() {
            let Some(mut file) = self.files.pop_front() else { return };
            let way = match file.kind {
                // `Batch::read` asks when the file is open, which is faster.
                Kind::Regular => {
                    self.files.push_back(file);
                    continue;
                }
                Kind::Unknown | Kind::Listed => way(&file.path),
            };
            match way {
                Ok(Way::Small(stamp)) => {
                    file.stamp = Some(stamp);
                    self.files.push_back(file);
                }
                Ok(Way::Large(stamp)) => {
                    file.stamp = Some(stamp);
                    self.settle(Begun::Large(file));
                }
                Ok(Way::Special) => self.settle(Begun::Special(Special { file, opened: None })),
                Err(error) => self.settle(Begun::Failed(file, error)),
            }
        }
    }

    /// Passes on a file that is not hashed here and now.
    fn settle(&mut self, begun: Begun<S::Note>) {
        match begun {
            Begun::Taken => {}
            Begun::Large(file) | Begun::Later(file) => self.queue.push_large(file),
            Begun::Special(special) if special.is_refused() => {
                self.done.push(special.file.done(Err(not_regular())));
            }
            Begun::Special(special) => self.queue.push_special(special),
            Begun::Failed(file, error) => self.done.push(file.done(Err(error))),
        }
    }

    /// Reads and hashes the small files.
    fn hash_small(&mut self) {
        while !self.order.is_stopped() {
            let begun = match self.files.pop_front() {
                Some(file) => Some(self.batch.read(file)),
                None => self.batch.read_fetched(),
            };
            let Some(begun) = begun else { return self.hash_batch() };
            self.settle(begun);
            if self.batch.is_full() {
                self.hash_batch();
            }
        }
    }

    /// Reads and hashes the special file whose turn it is. False if there is none.
    fn hash_special(&mut self) -> bool {
        let Some(special) = self.queue.take_special() else { return false };
        let order = self.order;
        let (file, outcome) = order.wait_outside(|| special.hash(self.plans, order));
        self.queue.finished_special();
        if let Some(outcome) = outcome {
            self.done.push(file.done(outcome));
        }
        self.deliver();
        true
    }

    fn hash_batch(&mut self) {
        if !self.batch.is_empty() {
            self.order.control().add_bytes(self.batch.bytes());
            self.batch.hash(self.plans, |file, outcome| self.done.push(file.done(outcome)));
        }
        self.deliver();
    }

    /// Begins with this worker's share of the large files.
    fn take_large(&mut self) {
        while let Some(file) =
            self.queue.take_large(self.streams.active(), |file| self.streams.has_place(file.plan))
        {
            match self.streams.begin(self.plans, file, self.queue.readers()) {
                Begun::Taken => {}
                Begun::Later(file) => self.queue.hold_back(file),
                // It cannot be: it was taken for large.
                Begun::Large(file) => self.queue.hold_back(file),
                Begun::Special(special) => {
                    self.queue.finished_large(&special.file);
                    self.settle(Begun::Special(special));
                }
                Begun::Failed(file, error) => {
                    self.queue.finished_large(&file);
                    self.done.push(file.done(Err(error)));
                }
            }
        }
        self.deliver();
    }

    fn turn_streams(&mut self) {
        let control = self.order.control();
        self.streams.turn(control, |file, outcome| {
            self.queue.finished_large(&file);
            self.done.push(file.done(outcome));
        });
        self.deliver();
    }
}

/// Stops the other workers when one panics. They would wait for it forever.
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
