//! Hashing many files: on all cores, many at a time on each, results in order.
//!
//! A [`Source`] names the files, a [`Report`] is told the digests in the same order. Between them
//! work *workers*, one per core, that each read **and** hash: to hand 16 KiB to a sleeping thread
//! on another core would cost many times what it takes to hash them.
//!
//! ```text
//!             pull a few dozen                         deliver
//!   Source ───────────────────▶ worker: small files ─────────────▶ Order ──▶ Report
//!                                  │ large, special                  ▲
//!                                  ▼          take a fair share      │
//!                               Queue ───────────────────────▶ worker: streams
//!                                  │          one at a time          │
//!                                  └─────────────────────────▶ worker: special
//! ```
//!
//! A worker looks at the files that it pulled, before it opens any, and sorts them:
//! * [`batch`]: it reads small files whole, one behind the other, into one buffer and hashes them
//!   together.
//! * [`streams`]: large files go to a queue from which every worker takes its share. Those of a
//!   worker go on side by side, each by one buffer a turn. In between the worker pulls and hashes
//!   small files, so neither kind waits for the other.
//! * [`special`]: pipes and other special files go to the queue too, and are read one at a time, in
//!   the order of the source. While one worker reads them, and perhaps waits for whoever writes
//!   them, the others hash regular files. A single worker reads one when nothing else is ready.
//!
//! Memory: [`order`] bounds the files that are under way or wait for an earlier one to be reported;
//! buffers are bounded per worker. When the bound is reached, no more files are pulled.

mod batch;
mod look;
mod order;
mod queue;
mod special;
mod streams;
mod turns;
mod worker;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use hashlanes::{AnyDigest, AnyEngine};

pub(crate) use look::{is_special, is_stdin};
use order::Order;
use queue::{Pending, Queue};
use special::Special;
use worker::Worker;

/// The engines that one file is hashed with. It is read once for all of them.
pub(crate) type Plan = Vec<AnyEngine>;

/// The next thing of a source.
pub(crate) enum Entry<N> {
    /// Hash the file of this name (`-`: the standard input) as the plan of this number says.
    File { path: PathBuf, kind: Kind, plan: usize, note: N },
    /// Nothing to hash: a note that comes to the report in its turn.
    Note(N),
}

/// What a source knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unknown,
    Regular,
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
    /// pipe, and without reading what a file of the source may be too.
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

/// What came of a file that should be read with others.
enum Begun<N> {
    /// It is among them.
    Taken,
    /// It is large: it has grown since it was looked at, or has no length, as in `/proc`.
    Large(Pending<N>),
    /// It is no regular file any more, or behaves like none.
    Special(Special<N>),
    /// It cannot be read.
    Failed(Pending<N>, io::Error),
}

/// Fills the buffer by `read`, which is told how far it has come, or until the end of the file; how
/// many bytes there are.
///
/// A read may return less than was asked for before the end (in `/proc`, from a pipe). Only one
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
