//! Hashing many files: on all cores, many at a time on each, results in order.
//!
//! A [`Source`] names the files, a [`Report`] is told the digests in the same order. Between them
//! work *workers*, one per core, that each read **and** hash: to hand 16 KiB to a sleeping thread
//! on another core would cost many times what it takes to hash them.
//!
//! ```text
//!             pull a few dozen                         deliver
//!   Source ───────────────────▶ worker: small files ─────────────▶ Order ──▶ Report
//!                                  │ large                           ▲
//!                                  ▼          take a fair share      │
//!                               Queue ───────────────────────▶ worker: streams
//! ```
//!
//! A worker takes turns between its two kinds of work, so neither waits for the other:
//! * [`batch`]: small files are read whole, one behind the other, into one buffer and hashed
//!   together.
//! * [`streams`]: large files go on side by side, each by one buffer a turn. A large file is known
//!   when it does not fit the buffer for small ones; it then goes to a queue from which every
//!   worker takes its share.
//!
//! Memory: [`order`] bounds the files that are under way or wait for an earlier one to be reported;
//! buffers are bounded per worker. When the bound is reached, no more files are pulled.

mod batch;
mod order;
mod queue;
mod streams;
mod worker;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;

use hashlanes::{AnyDigest, AnyEngine};

use order::Order;
use queue::Queue;
use worker::Worker;

/// The engines that one file is hashed with. It is read once for all of them.
pub(crate) type Plan = Vec<AnyEngine>;

/// The next thing of a source.
pub(crate) enum Entry<N> {
    /// Hash the file of this name (`-`: the standard input) as the plan of this number says.
    File { path: PathBuf, plan: usize, note: N },
    /// Nothing to hash: a note that comes to the report in its turn.
    Note(N),
}

/// Where the names of files come from.
pub(crate) trait Source: Send {
    /// What the source knows of an entry and the report wants to know.
    type Note: Send;

    /// The next entry. May wait for input.
    fn next(&mut self) -> Option<Entry<Self::Note>>;

    /// How many entries are left, if that is known.
    fn remaining(&self) -> Option<usize> {
        None
    }

    /// Whether `next` comes back without waiting for somebody outside, such as the writer of a
    /// pipe.
    fn is_ready(&self) -> bool {
        true
    }
}

/// What came of a file: the digests in the order of its plan's engines.
pub(crate) type Outcome = io::Result<Vec<AnyDigest>>;

/// Who is told the results, in the order of the source, by one thread at a time. An error ends the
/// run.
pub(crate) trait Report<N>: Send {
    fn file(&mut self, path: &Path, note: N, outcome: Outcome) -> io::Result<()>;

    fn note(&mut self, note: N) -> io::Result<()>;

    /// Nothing more is ready for now: show what has been reported.
    fn flush(&mut self) -> io::Result<()>;
}

/// Hashes the files of `source` on `threads` threads, this one included.
///
/// # Errors
/// Those of the report. A file that cannot be read is no error here but an [`Outcome`].
pub(crate) fn hash_files<S: Source, R: Report<S::Note>>(
    source: S,
    plans: &[Plan],
    report: &mut R,
    threads: usize,
) -> io::Result<()> {
    // A thread takes longer to start than a file to hash.
    let workers = threads.min(source.remaining().unwrap_or(usize::MAX)).max(1);
    let queue = Queue::new(source, workers);
    let order = Order::new(report);
    let work = || Worker::new(&queue, &order, plans).run();
    thread::scope(|scope| {
        for index in 1..workers {
            // If the system refuses a thread, the others do its work.
            let builder = thread::Builder::new().name(format!("worker {index}"));
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    order.into_result()
}

/// Opens the file; `-` is the standard input.
fn open(path: &Path) -> io::Result<File> {
    if is_stdin(path) {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    } else {
        File::open(path)
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads until `buffer` is full or the file ends; how much that is.
///
/// A read may return less than was asked for before the end (in `/proc`, from a pipe); only one
/// that returns nothing is the end.
fn read_full(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    use std::io::Read;

    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
