//! A worker: reads and hashes on one core.

use std::collections::VecDeque;
use std::sync::Arc;

use hashlanes_pool::Ticket;

use super::delivery::{Delivery, Done};
use super::helper::Helper;
use super::large::LargeFiles;
use super::pace::{Mostly, Pace};
use super::parts::suit;
use super::pending::Pending;
use super::queue::{Pull, Queue};
use super::small::SmallFiles;
use super::special::Special;
use super::way::{Way, way};
use super::{Begun, Input, Kind, Partial, Plan, Share};
use crate::regular::not_regular;

/// What all workers of a run share.
pub(super) struct Run<'a, 'r> {
    pub(super) queue: &'a Queue<'r>,
    pub(super) delivery: &'a Delivery<'r>,
    pub(super) plans: &'a [Plan],
    pub(super) partial: Option<Arc<dyn Partial>>,
}

/// What a worker needs from the crew.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// Another worker, since this one mostly waits for files.
    Worker,
    /// Threads for the parts of a file, of which there are this many. One part needs none.
    Helpers(u64),
}

pub(super) struct Worker<'w, 'a, 'r> {
    /// Starts threads.
    supply: &'w dyn Fn(Need),
    queue: &'a Queue<'r>,
    delivery: &'a Delivery<'r>,
    plans: &'a [Plan],
    /// It was added later, and leaves when the cores are busy.
    is_added: bool,
    pace: Pace,
    /// Files that were pulled. After `look_at_files`, only small ones are left.
    files: VecDeque<Pending>,
    small: SmallFiles,
    large: LargeFiles,
    helper: Helper,
    done: Vec<(Ticket, Done)>,
}

impl<'w, 'a, 'r> Worker<'w, 'a, 'r> {
    /// Must be called on the worker's own thread.
    pub(super) fn new(
        run: &'a Run<'a, 'r>,
        share: Share,
        is_added: bool,
        supply: &'w dyn Fn(Need),
    ) -> Self {
        let &Run { queue, delivery, plans, ref partial } = run;
        Self {
            supply,
            queue,
            delivery,
            plans,
            is_added,
            pace: Pace::new(),
            files: VecDeque::new(),
            small: SmallFiles::new(plans, share),
            large: LargeFiles::new(plans, share, partial.clone()),
            helper: Helper::default(),
            done: Vec::new(),
        }
    }

    /// Works until all files are finished or the run is stopped.
    pub(super) fn run(mut self) {
        let _guard = self.delivery.end_on_panic();
        while !self.delivery.is_stopped() {
            // Reading a special file may take forever. A worker does this first only if others read
            // the regular files. A single worker does it last (below).
            if self.queue.workers() > 1 && self.large.active() == 0 && self.hash_special() {
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
            let has_hashed = self.helper.hash_next(self.queue, self.delivery, &mut self.done);
            if self.large.active() > 0 {
                self.turn_large();
            } else if has_hashed {
                self.deliver();
            } else if nothing && !self.hash_special() && !self.wait() {
                break;
            }
            if self.judge() == Some(Mostly::Works) && self.is_added && self.large.active() == 0 {
                break;
            }
        }
        if self.is_added {
            self.queue.leave();
        }
        self.delivery.leave();
        self.queue.wake();
    }

    /// Adds a worker if this one mostly waits for files.
    fn judge(&mut self) -> Option<Mostly> {
        let mostly = self.pace.judge();
        if mostly == Some(Mostly::Waits) && self.queue.has_more() {
            (self.supply)(Need::Worker);
        }
        mostly
    }

    fn wait(&mut self) -> bool {
        let Self { pace, queue, delivery, .. } = self;
        pace.elsewhere(|| queue.wait(delivery))
    }

    /// Pulls files. Waits for the source only if this worker has no large file in progress.
    fn pull(&mut self) -> Option<Pull> {
        let may_wait = self.large.active() == 0 && !self.queue.has_part();
        let Self { queue, delivery, plans, files, done, pace, .. } = self;
        let mut pull = || queue.pull(delivery, plans, may_wait, files, done);
        pace.elsewhere(|| if may_wait { delivery.wait_outside(pull) } else { pull() })
    }

    fn deliver(&mut self) {
        if !self.done.is_empty() {
            self.delivery.deliver(&mut self.done);
            self.queue.wake();
        }
    }

    /// Classifies the files that were pulled: large and special ones go to the queue, small ones
    /// stay.
    fn look_at_files(&mut self) {
        for _ in 0..self.files.len() {
            let Some(mut file) = self.files.pop_front() else { return };
            // `SmallFiles::read` classifies these after opening them, which is faster.
            let kind = match &file.input {
                Input::File(kind @ (Kind::Unknown | Kind::Listed)) => kind.clone(),
                Input::File(Kind::Walked(_)) | Input::Stream(_) => {
                    self.files.push_back(file);
                    continue;
                }
            };
            match way(&file.path) {
                // Another file may take the place of either until it is opened.
                Ok((Way::Small, stamp)) => {
                    (file.stamp, file.is_before) = (stamp, stamp.is_some());
                    self.files.push_back(file);
                }
                Ok((Way::Large, _)) => self.settle(Begun::Large(file)),
                Ok((Way::Special, _)) => {
                    let (file, _) = file.with(kind);
                    self.settle(Begun::Special(Special { file, opened: None }));
                }
                Err(error) => self.settle(Begun::Failed(file.with(()).0, error)),
            }
        }
    }

    /// Passes on a file that this worker does not hash now.
    fn settle(&mut self, begun: Begun) {
        match begun {
            Begun::Taken => {}
            Begun::Large(file) | Begun::Later(file) => self.queue.push_large(file),
            Begun::InParts(file) => {
                let count = file.count();
                self.queue.push_parts(file);
                (self.supply)(Need::Helpers(count));
            }
            Begun::Special(special) if special.is_refused() => {
                self.done.push(special.file.done(Err(not_regular())));
            }
            Begun::Special(special) => self.queue.push_special(special),
            Begun::Failed(file, error) => self.done.push(file.done(Err(error))),
        }
    }

    /// Reads and hashes the small files.
    fn hash_small(&mut self) {
        while !self.delivery.is_stopped() {
            let begun = match self.files.pop_front() {
                Some(file) => Some(self.small.read(file)),
                None => self.small.read_fetched(),
            };
            let Some(begun) = begun else { return self.hash_read() };
            self.settle(begun);
            self.judge();
            if self.small.is_full() {
                self.hash_read();
            }
        }
    }

    /// Reads and hashes the special file whose turn it is. `false` if there is none.
    fn hash_special(&mut self) -> bool {
        let Some(special) = self.queue.take_special() else { return false };
        let (delivery, plans) = (self.delivery, self.plans);
        let (file, outcome) =
            self.pace.elsewhere(|| delivery.wait_outside(|| special.hash(plans, delivery)));
        self.queue.finished_special();
        if let Some(outcome) = outcome {
            self.done.push(file.done(outcome));
        }
        self.deliver();
        true
    }

    fn hash_read(&mut self) {
        if !self.small.is_empty() {
            self.delivery.control().add_bytes(self.small.bytes());
            self.small.hash(self.plans, |file, outcome| self.done.push(file.done(outcome)));
        }
        self.deliver();
    }

    /// Starts this worker's share of the large files.
    fn take_large(&mut self) {
        while let Some(file) = self.queue.take_large(self.large.active(), |file, has_part| {
            // All parts of one file come before those of another.
            let waits = has_part && suit(&self.plans[file.plan]);
            !waits && self.large.has_place(file.plan)
        }) {
            match self.large.begin(self.plans, file, self.queue.readers()) {
                Begun::Taken => {}
                begun @ Begun::InParts(_) => self.settle(begun),
                // `begin` never returns `Large`.
                Begun::Later(file) | Begun::Large(file) => self.queue.hold_back(file),
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

    fn turn_large(&mut self) {
        let control = self.delivery.control();
        self.large.turn(control, |file, outcome| {
            self.queue.finished_large(&file);
            self.done.push(file.done(outcome));
        });
        self.deliver();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::io::{self, Write};
    use std::path::Path;
    use std::process::Command;
    use std::thread;

    use hashlanes::Algorithm;

    use super::super::readers::Readers;
    use super::super::{Control, Entry, Hashed, Outcome, Report, Source};
    use super::*;
    use crate::Engine;
    use crate::system::Stamp;

    struct Nobody;

    impl Report<u64> for Nobody {
        fn file(&mut self, _: &Path, _: u64, _: Outcome) -> io::Result<()> {
            Ok(())
        }
    }

    /// The FIFO replaced a regular file after `way` had looked at it.
    #[test]
    fn a_fifo_in_the_place_of_a_regular_file_is_read_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let plans = [vec![Engine::new(Algorithm::Sha256.into())].into()];
        let check = |begun: Begun, content: &[u8]| {
            let Begun::Special(special) = begun else { panic!("it was not taken for special") };
            thread::scope(|scope| {
                scope.spawn(|| File::options().write(true).open(&path)?.write_all(content));
                let mut nobody = Nobody;
                let control = Control::new();
                let delivery = Delivery::new(&mut nobody, &control, 1, 0);
                let (_, outcome) = special.hash(&plans, &delivery);
                assert_eq!(outcome.unwrap().unwrap().digests, [Algorithm::Sha256.digest(content)]);
            });
        };
        for length in [0, 10, 1 << 20] {
            let content = vec![1; length];
            let file = || Pending::numbered(0, &path);
            // No writer yet: neither waits.
            let small = SmallFiles::new(&plans, Share::of(1)).read(file());
            check(small, &content);
            let large = LargeFiles::new(&plans, Share::of(1), None).begin(
                &plans,
                file(),
                &Readers::new(None),
            );
            check(large, &content);
        }
    }

    struct Nothing;

    impl Source for Nothing {
        type Note = ();

        fn next(&mut self) -> Option<Entry<()>> {
            None
        }
    }

    #[derive(Default)]
    struct Last(Option<Hashed>);

    impl Report<u64> for Last {
        fn file(&mut self, _: &Path, _: u64, outcome: Outcome) -> io::Result<()> {
            outcome.map(|hashed| self.0 = Some(hashed))
        }
    }

    /// Another file replaces one after `way` has looked at it.
    #[test]
    fn a_stamp_is_that_of_the_file_that_was_read() {
        let dir = tempfile::tempdir().unwrap();
        let (path, new) = (dir.path().join("file"), dir.path().join("new"));
        for length in [10, 1 << 20] {
            fs::write(&path, vec![1; length]).unwrap();
            fs::write(&new, vec![2; length]).unwrap();
            let (mut last, control) = (Last::default(), Control::new());
            let plans = [vec![Engine::new(Algorithm::Sha256.into())].into()];
            let mut nothing = Nothing;
            let queue = Queue::new(&mut nothing, 1, None);
            let delivery = Delivery::new(&mut last, &control, 1, 0);
            let run = Run { queue: &queue, delivery: &delivery, plans: &plans, partial: None };
            let mut worker = Worker::new(&run, Share::of(1), false, &|_| {});
            worker.files.push_back(Pending::numbered(0, &path));
            worker.look_at_files();
            fs::rename(&new, &path).unwrap();
            worker.hash_small();
            worker.take_large();
            while worker.large.active() > 0 {
                worker.turn_large();
            }
            delivery.finish().unwrap();
            let hashed = last.0.unwrap();
            assert_eq!(hashed.digests, [Algorithm::Sha256.digest(vec![2; length])]);
            assert_eq!(hashed.stamp, Some(Stamp::from(&fs::metadata(&path).unwrap())));
        }
    }
}
