//! Hashes many files on all cores, many at a time on each core, and reports the results in order.
//!
//! A [`Source`] names the files. A [`Report`] gets the digests in the same order. *Workers*, one
//! per core, both read **and** hash: waking a thread on another core takes many times as long as
//! hashing 16 KiB.
//!
//! ```text
//!             pull a few dozen                         deliver
//!   Source ───────────────────▶ worker: small files ─────────────▶ Delivery─▶ Report
//!                                  │ large, special                  ▲
//!                                  ▼          take a fair share      │
//!                               Queue ───────────────────────▶ worker: large files
//!                                  │          one at a time          │
//!                                  └─────────────────────────▶ worker: special files
//! ```
//!
//! Before a worker opens the files that it pulled, it classifies them (`look`):
//! * `small`: it reads small files one after the other into one buffer and hashes them together.
//!   Files that are not cached in memory are read last, while the disk fetches them
//!   (`system::ahead`).
//! * `large`: large files go to a queue, from which every worker takes its share. A worker hashes
//!   its share side by side, one buffer of each file per turn. Between turns it pulls and hashes
//!   small files, so neither kind waits for the other.
//! * `parts`: a large file of BLAKE3 or KangarooTwelve is hashed by all workers, which take its
//!   parts from the queue.
//! * `special`: pipes and other special files also go to the queue. They are read one at a time,
//!   in the order of the source (`turns`). One worker reads them, and may have to wait for their
//!   writers, while the others hash regular files. A single worker reads a special file when
//!   nothing else is ready.
//!
//! When workers mostly wait for files, as on network file systems, they add more workers (`crew`,
//! `pace`).
//!
//! Memory: `delivery` bounds the files that are in progress or wait for an earlier one to be
//! reported. At that bound, no more files are pulled. Each worker's buffers are bounded too.

mod buffer;
mod control;
mod crew;
mod delivery;
mod filled;
mod helper;
mod large;
mod notes;
mod pace;
mod partial;
mod parts;
mod pending;
mod plan;
mod queue;
mod readers;
mod share;
mod small;
mod special;
mod turns;
mod way;
mod worker;

use std::io;
use std::path::Path;
use std::thread;

pub use control::{Control, Settings};
use crew::Crew;
use delivery::Delivery;
use notes::Notes;
pub use partial::{Continue, Partial};
use parts::InParts;
use pending::Pending;
pub use plan::Plan;
use plan::width;
use queue::Queue;
use share::Share;
use special::Special;
pub use way::{is_special, is_stdin, open_or_stdin};
use worker::Run;

use crate::Digest;
use crate::entry::{Entry, Input, Kind, Source, Stream};
use crate::system::Stamp;

/// A file that was hashed.
#[derive(Clone, Debug)]
pub struct Hashed {
    /// The digests, in the order of the plan's engines.
    pub digests: Vec<Digest>,
    /// The number of bytes hashed.
    pub length: u64,
    /// The stamp that a regular file had before it was read, or that of a [`Stream`].
    pub stamp: Option<Stamp>,
    /// The [tag](Stream::tag) of a stream.
    pub tag: Option<Box<str>>,
    /// Whether the file was modified while it was read. The digests may then match no state that it
    /// ever had.
    pub is_changed: bool,
}

/// The result for a file.
pub type Outcome = io::Result<Hashed>;

/// Receives the results in the order of the source, from one thread at a time.
pub trait Report<N>: Send {
    /// The outcome of a file, with the note of its entry.
    ///
    /// # Errors
    /// Any error ends the run.
    fn file(&mut self, path: &Path, note: N, outcome: Outcome) -> io::Result<()>;

    /// The note of an [`Entry::Note`]. A report whose source gives none has nothing to do.
    ///
    /// # Errors
    /// Any error ends the run.
    fn note(&mut self, _: N) -> io::Result<()> {
        Ok(())
    }

    /// Makes the reported results visible. Called when no further result is ready.
    ///
    /// # Errors
    /// Any error ends the run.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hashes the files of `source` by one or more `plans`. `settings` may be a number of threads.
///
/// The report gets the digests in the order of the source. A [`Control`] shows the progress of the
/// run and can stop it. If the source returns `None` early, the files that were pulled before are
/// still hashed.
///
/// # Errors
/// Any error that the report returns. A file that cannot be read is an [`Outcome`], not an error.
///
/// # Panics
/// If an entry has the index of a plan that does not exist.
///
/// # Examples
/// ```
/// use std::io;
/// use std::path::{Path, PathBuf};
///
/// use hashlanes_files::{
///     Engine, Entry, Function, Kind, Outcome, Report, Source, hash_files,
/// };
///
/// struct Names(std::vec::IntoIter<PathBuf>);
///
/// impl Source for Names {
///     type Note = ();
///
///     fn next(&mut self) -> Option<Entry<()>> {
///         let path = self.0.next()?;
///         Some(Entry::file(path, Kind::Unknown, 0, ()))
///     }
///
///     fn remaining(&self) -> Option<usize> {
///         Some(self.0.len())
///     }
/// }
///
/// struct Lines(Vec<String>);
///
/// impl Report<()> for Lines {
///     fn file(&mut self, path: &Path, _: (), outcome: Outcome) -> io::Result<()> {
///         self.0.push(match outcome {
///             Ok(hashed) => format!("{}  {}", hashed.digests[0], path.display()),
///             Err(error) => format!("{}: {}", path.display(), error.kind()),
///         });
///         Ok(())
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("abc");
/// std::fs::write(&path, "abc")?;
///
/// let names = Names(vec![path.clone(), folder.path().join("missing")].into_iter());
/// let plan = vec![Engine::new(Function::from_name("md5").unwrap())].into();
/// let mut lines = Lines(Vec::new());
/// hash_files(names, &[plan], &mut lines, 2)?;
/// assert_eq!(lines.0[0], format!("900150983cd24fb0d6963f7d28e17f72  {}", path.display()));
/// assert!(lines.0[1].ends_with("missing: entity not found"));
/// # Ok::<(), io::Error>(())
/// ```
pub fn hash_files<'c, S: Source, R: Report<S::Note>>(
    source: S,
    plans: &[Plan],
    report: &mut R,
    settings: impl Into<Settings<'c>>,
) -> io::Result<()> {
    let notes = Notes::new();
    let (mut source, mut report) = (notes.source(source), notes.report(report));
    drive(&mut source, plans, &mut report, size_of::<S::Note>(), settings.into())
}

/// Hashes the files of a source whose notes wait elsewhere, and have this size. The report gets the
/// numbers of the entries instead.
fn drive(
    source: &mut dyn Source<Note = ()>,
    plans: &[Plan],
    report: &mut dyn Report<u64>,
    note: usize,
    settings: Settings<'_>,
) -> io::Result<()> {
    let Settings { threads, readers, added_threads, control, partial } = settings;
    let nobody = Control::new();
    // No thread without a file: starting a thread takes longer than hashing one.
    let workers = threads.get().min(source.remaining().unwrap_or(usize::MAX)).max(1);
    let share = Share::of(workers);
    let workers = share.workers;
    let queue = Queue::new(source, workers, readers);
    let delivery = Delivery::new(report, control.unwrap_or(&nobody), workers, note);
    let most_added = Share::most_added(added_threads);
    let run = Run { queue: &queue, delivery: &delivery, plans, partial };
    thread::scope(|scope| {
        let crew = Crew { scope, run: &run, share, most_added, threads: threads.get() };
        (1..workers).for_each(|index| crew.start(index));
        crew.work();
    });
    delivery.finish()
}

/// What became of an attempt to read a regular file together with others.
enum Begun {
    /// It is being read with them.
    Taken,
    /// It turned out to be large: it has grown, or its length was unknown, as in `/proc`.
    Large(Pending),
    /// It is large, and all workers hash its parts.
    InParts(Box<InParts>),
    /// It is large, and its disk should read others first.
    Later(Pending),
    /// It is no longer a regular file, or does not behave like one.
    Special(Special),
    /// It cannot be read.
    Failed(Pending<()>, io::Error),
}
