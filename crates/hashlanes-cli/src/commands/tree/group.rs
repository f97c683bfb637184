//! Small files side by side, sharing the lanes of each core.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hashlanes_files::{Control, Kind, RegularFile, system};
use hashlanes_tree::{Content, Digester, Error, Medium, Plan, Settings, Sink, Task, hash_many};

use super::one::{Digests, Failure, begin, finish};
use super::opened::may_hide_content;
use super::options::Wanted;

/// Files of up to this length are small.
const SMALL: u64 = 8 << 20;

/// Bytes of a file that [`hash_many`] reads in a turn. A hard disk seeks for each turn.
const TURN: u64 = 128 << 10;

/// Total length of files to take before the first is reported.
const MOST: u64 = 256 << 20;

/// How long to take files before the first is reported: they may be on a slow disk.
const LONGEST: Duration = Duration::from_millis(500);

/// The result for a file.
pub(super) enum Outcome {
    Done(Result<Digests, Failure>),
    /// It was not read: it is large, or the system does not know its length.
    Alone,
}

/// Reads files side by side: all, or as many from the first on as have [`MOST`] bytes or are read
/// within [`LONGEST`]. At least one, unless the run is stopped. The order is kept.
pub(super) fn side_by_side(
    files: &[(PathBuf, Kind)],
    wanted: &Wanted,
    settings: &Settings<'_>,
) -> Vec<Outcome> {
    let outcomes = files.iter().map(|_| OnceLock::new()).collect();
    let (next, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (begin, readers) = (Instant::now(), settings.readers);
    let group = Group { files, wanted, readers, begin, next, bytes, outcomes };
    let nobody = Control::new();
    let control = settings.control.unwrap_or(&nobody);
    let descriptors = system::free_descriptors();
    let threads = settings.threads.get().min(files.len()).min(descriptors / 2).max(1);
    let most = (descriptors / threads - 1).max(1);
    let work = || {
        let open = Cell::new(0);
        let next = || {
            let file = if open.get() < most { group.next() } else { None };
            open.update(|open| open + usize::from(file.is_some()));
            file
        };
        let done = |file: Small, outcome| {
            open.update(|open| open - 1);
            let number = file.number;
            group.set(number, Outcome::Done(file.finish(outcome)));
        };
        hash_many(next, done, control);
    };
    hashlanes_pool::run(threads, work);
    let taken = group.next.into_inner().min(files.len());
    let outcomes = group.outcomes.into_iter().take(taken);
    // Files without a result were not reached before the run was stopped.
    outcomes.map(|o| o.into_inner().unwrap_or(Outcome::Done(Err(Failure::Stopped)))).collect()
}

struct Group<'g> {
    files: &'g [(PathBuf, Kind)],
    wanted: &'g Wanted,
    readers: Option<NonZeroUsize>,
    begin: Instant,
    /// The index of the next file to take.
    next: AtomicUsize,
    /// Total length of the files taken so far.
    bytes: AtomicU64,
    outcomes: Vec<OnceLock<Outcome>>,
}

impl Group<'_> {
    /// Opens the next small file.
    fn next(&self) -> Option<Small> {
        loop {
            let is_long = self.begin.elapsed() > LONGEST && self.next.load(Ordering::Relaxed) > 0;
            if is_long || self.bytes.load(Ordering::Relaxed) >= MOST {
                return None;
            }
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let (path, kind) = self.files.get(number)?;
            match Small::open((path, kind), number, self.wanted, self.readers) {
                Ok(Some(small)) => {
                    self.bytes.fetch_add(small.length, Ordering::Relaxed);
                    return Some(small);
                }
                Ok(None) => self.set(number, Outcome::Alone),
                Err(failure) => self.set(number, Outcome::Done(Err(failure))),
            }
        }
    }

    fn set(&self, number: usize, outcome: Outcome) {
        // Each file is taken once.
        let _ = self.outcomes[number].set(outcome);
    }
}

/// An open small file.
struct Small {
    number: usize,
    file: RegularFile,
    length: u64,
    digesters: Vec<Digester>,
    plans: Vec<Plan>,
}

impl Small {
    /// `None` if the file has to be read by itself.
    fn open(
        (path, kind): (&Path, &Kind),
        number: usize,
        wanted: &Wanted,
        readers: Option<NonZeroUsize>,
    ) -> Result<Option<Self>, Failure> {
        let file = RegularFile::open_as(path, kind)?;
        let length = file.stamp().size;
        let has_seeks = || match file.medium() {
            Medium::Memory => false,
            Medium::RotationalDisk => true,
            Medium::Network(_) | Medium::Other => readers.is_some(),
        };
        if length > TURN && has_seeks() {
            return Ok(None);
        }
        if length > SMALL || may_hide_content(&file) {
            return Ok(None);
        }
        let digesters = begin(wanted, Some(length))?;
        let plans = digesters.iter().map(Digester::plan).collect();
        Ok(Some(Self { number, file, length, digesters, plans }))
    }

    fn finish(self, outcome: Result<(), Error>) -> Result<Digests, Failure> {
        outcome?;
        let (length, is_changed) = (self.length, self.file.is_changed());
        Ok(Digests { length, finished: finish(self.digesters, length)?, is_changed })
    }
}

impl Task for Small {
    fn content(&self) -> &dyn Content {
        &self.file
    }

    fn plans(&self) -> &[Plan] {
        &self.plans
    }

    fn sink(&mut self, plan: usize) -> &mut dyn Sink {
        &mut self.digesters[plan]
    }
}
