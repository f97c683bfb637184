//! Hashes many files on all cores, many at a time on each core, and reports the results in order.
//!
//! A [`Source`] names the files. A [`Report`] gets the digests in the same order. Between them are
//! *workers*, one per core, which both read **and** hash: to wake a thread on another core takes
//! many times as long as to hash 16 KiB.
//!
//! ```text
//!             pull a few dozen                         deliver
//!   Source ───────────────────▶ worker: small files ─────────────▶ Delivery─▶ Report
//!                                  │ large, special                  ▲
//!                                  ▼          take a fair share      │
//!                               Queue ───────────────────────▶ worker: streams
//!                                  │          one at a time          │
//!                                  └─────────────────────────▶ worker: special
//! ```
//!
//! A worker looks at the files that it pulled before it opens any (`look`), and sorts them:
//! * `batch`: it reads small files whole, one behind the other, into one buffer and hashes them
//!   together. Those that are not in memory are read last, while a disk fetches them
//!   (`system::ahead`).
//! * `streams`: large files go to a queue, from which every worker takes its share. A worker
//!   hashes its share side by side, one buffer of each file a turn. Between two turns it pulls and
//!   hashes small files, so neither kind waits for the other.
//! * `special`: pipes and other special files also go to the queue. They are read one at a time,
//!   in the order of the source (`turns`). One worker reads them, and may have to wait for their
//!   writers. The others hash regular files meanwhile. A single worker reads a special file when
//!   nothing else is ready.
//!
//! While workers mostly wait for files, as on network file systems, they add others (`crew`,
//! `pace`).
//!
//! Memory: `delivery` bounds the files that are under way or wait for an earlier one to be reported.
//! Each worker's buffers are bounded too. At the bound, no more files are pulled.

mod batch;
mod buffer;
mod control;
mod crew;
mod delivery;
mod look;
mod pace;
mod pending;
mod plan;
mod queue;
mod readers;
mod share;
mod special;
mod streams;
mod turns;
mod worker;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;

pub use control::{Control, Settings};
use crew::Crew;
use delivery::Delivery;
pub use look::{is_special, is_stdin};
use pending::Pending;
pub use plan::Plan;
use plan::width;
use queue::Queue;
use share::Share;
use special::Special;
use worker::Run;

use crate::Digest;
use crate::system::Stamp;

/// What a source gives next.
pub enum Entry<N> {
    /// A file to hash.
    File {
        /// Where it is. The path `-` is the standard input.
        path: PathBuf,
        /// What is known of it.
        kind: Kind,
        /// The index of its plan among those that [`hash_files`] gets.
        plan: usize,
        /// What the report gets with the digests.
        note: N,
    },
    /// Nothing to hash: a note that the report gets in its turn.
    Note(N),
}

/// What a source knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing. The system is asked before the file is opened.
    Unknown,
    /// It is a regular file.
    Regular,
    /// Nothing, and who named it may not be trusted: a manifest did. A regular file or a block
    /// device is read. Anything else is an error, for reading it may never end.
    Listed,
}

/// Where the names of files come from.
pub trait Source: Send {
    /// What the source tells the report about an entry.
    type Note: Send;

    /// The next entry. May wait for input.
    fn next(&mut self) -> Option<Entry<Self::Note>>;

    /// How many entries are left, if that is known.
    fn remaining(&self) -> Option<usize> {
        None
    }

    /// Whether `next` returns without waiting for another process, such as the writer of a pipe,
    /// and without reading from what may also be one of the source's files.
    fn is_ready(&self) -> bool {
        true
    }
}

/// What is known of a file that was hashed.
#[derive(Clone, Debug)]
pub struct Hashed {
    /// Its digests, in the order of its plan's engines.
    pub digests: Vec<Digest>,
    /// How many bytes were hashed.
    pub length: u64,
    /// The file's stamp before it was read, if it is a regular file.
    pub stamp: Option<Stamp>,
    /// The file was written while it was read. So the digests may be of no state that it ever had.
    pub is_changed: bool,
}

/// The result for a file.
pub type Outcome = io::Result<Hashed>;

/// Gets the results in the order of the source, from one thread at a time. An error ends the run.
pub trait Report<N>: Send {
    /// The outcome of a file, with the note of its entry.
    ///
    /// # Errors
    /// Any error ends the run.
    fn file(&mut self, path: &Path, note: N, outcome: Outcome) -> io::Result<()>;

    /// The note of an [`Entry::Note`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn note(&mut self, note: N) -> io::Result<()>;

    /// Called when nothing more is ready for now: shows what has been reported.
    ///
    /// # Errors
    /// Any error ends the run.
    fn flush(&mut self) -> io::Result<()>;
}

/// Hashes the files of `source`. The settings may be the number of threads.
///
/// The report gets the digests in the order of the source. A [`Control`] tells how far the run is,
/// and stops it. The source can end it too, by returning `None`: then the files that are pulled are
/// still hashed.
///
/// # Errors
/// Those of the report. A file that cannot be read is an [`Outcome`], not an error.
///
/// # Panics
/// If an entry names a plan that is not there.
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
///         Some(Entry::File { path, kind: Kind::Unknown, plan: 0, note: () })
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
///
///     fn note(&mut self, (): ()) -> io::Result<()> {
///         Ok(())
///     }
///
///     fn flush(&mut self) -> io::Result<()> {
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
    let Settings { threads, readers, added_threads, control } = settings.into();
    let nobody = Control::new();
    // Starting a thread takes longer than hashing a file.
    let workers = threads.get().min(source.remaining().unwrap_or(usize::MAX)).max(1);
    let share = Share::of(workers);
    let workers = share.workers;
    let queue = Queue::new(source, workers, readers);
    let delivery = Delivery::new(report, control.unwrap_or(&nobody), workers);
    let most_added = Share::most_added(added_threads);
    let run = Run { queue: &queue, delivery: &delivery, plans };
    thread::scope(|scope| {
        let crew = Crew { scope, run: &run, share, most_added };
        (1..workers).for_each(|index| crew.start(index));
        crew.work();
    });
    delivery.finish()
}

/// The outcome of the attempt to read a regular file together with others.
enum Begun<N> {
    /// It is being read with them.
    Taken,
    /// It is large after all: it has grown, or its length was not known, as in `/proc`.
    Large(Pending<N>),
    /// It is large, and the disk is to read others first.
    Later(Pending<N>),
    /// It is not a regular file any more, or does not behave like one.
    Special(Special<N>),
    /// It cannot be read.
    Failed(Pending<N>, io::Error),
}

/// Calls `read` until the buffer is full or the file ends, and returns how many bytes were read.
/// `read` gets the rest of the buffer, and how many bytes are already read.
///
/// A read may return less than was asked for before the end (in `/proc`, from a pipe). Only a read
/// that returns nothing is the end.
fn read_full(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(&mut buffer[filled..], filled) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
