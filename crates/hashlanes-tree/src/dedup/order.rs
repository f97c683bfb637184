//! Hands jobs to workers, and their chunks to the report in the order of the files.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use hashlanes::AnyEngine;
use hashlanes_files::Control;

use super::chunker::Chunker;
use super::jobs::{Job, Jobs};
use super::segment::{Done, work};
use super::stitch::Stitch;
use super::{Chunk, Sizes};
use crate::{Error, Settings};

/// The bytes of a worker's buffer. Each has one, and there is one more to join segments.
///
/// With chunks of 64 KiB, it holds 128: enough that lanes are full although lengths differ.
const BUFFER: usize = 8 << 20;

/// A segment has so many bytes at least, and so many times the average chunk, so that what is cut
/// twice at its beginning is little.
const SEGMENT: u64 = 16 << 20;
const SEGMENT_CHUNKS: u64 = 128;

/// How many jobs for each worker may be done before the next one in order.
const AHEAD: u64 = 4;

/// Gets the chunks of files in order, from one thread at a time. An error ends the run.
pub trait Report: Send {
    /// The next chunks of a file. A large file has several calls.
    ///
    /// # Errors
    /// Any error ends the run.
    fn chunks(&mut self, path: &Path, chunks: &[Chunk]) -> io::Result<()>;

    /// The file is done, or cannot be read any further. Then it may have had some chunks.
    ///
    /// # Errors
    /// Any error ends the run.
    fn end(&mut self, path: &Path, outcome: io::Result<()>) -> io::Result<()>;
}

/// Cuts files into chunks and hashes these, on all cores.
///
/// Memory: a buffer of 8 MiB for each thread, or two chunks of the largest size, small files of at
/// most as much, and the chunks of at most 4 segments of 16 MiB for each thread, or of 128 average
/// chunks.
///
/// # Errors
/// Those of the report, and [`Error::Stopped`] if the settings' `Control` stops the run. A file
/// that cannot be read is told to the report.
///
/// # Examples
/// ```
/// use std::io;
/// use std::path::Path;
///
/// use hashlanes::{Algorithm, AnyEngine};
/// use hashlanes_tree::Settings;
/// use hashlanes_tree::dedup::{Chunk, Report, Sizes, chunk_files};
///
/// struct Count(u64);
///
/// impl Report for Count {
///     fn chunks(&mut self, _: &Path, chunks: &[Chunk]) -> io::Result<()> {
///         self.0 += chunks.len() as u64;
///         Ok(())
///     }
///
///     fn end(&mut self, _: &Path, outcome: io::Result<()>) -> io::Result<()> {
///         outcome
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("zeros");
/// std::fs::write(&path, vec![0; 1 << 20])?;
/// let (sizes, engine) = (Sizes::default(), AnyEngine::new(Algorithm::Sha256));
/// let mut count = Count(0);
/// chunk_files([path].into_iter(), sizes, engine, &mut count, &Settings::default())?;
/// assert_eq!(count.0, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chunk_files(
    paths: impl Iterator<Item = PathBuf> + Send,
    sizes: Sizes,
    engine: AnyEngine,
    report: &mut dyn Report,
    settings: &Settings<'_>,
) -> Result<(), Error> {
    let nobody = Control::new();
    let segment = SEGMENT.max(SEGMENT_CHUNKS * sizes.avg() as u64);
    let run = Run {
        state: Mutex::new(State {
            jobs: Jobs::new(paths, segment),
            taken: 0,
            delivered: 0,
            waiting: BTreeMap::new(),
            outcome: Ok(()),
        }),
        delivery: Mutex::new(Delivery {
            report,
            stitch: Stitch::default(),
            chunker: Chunker::new(sizes, engine, 0),
            file_failed: false,
        }),
        room: Condvar::new(),
        ahead: AHEAD * settings.threads.get() as u64,
        control: settings.control.unwrap_or(&nobody),
    };
    let worker = || run.work(Chunker::new(sizes, engine, BUFFER));
    thread::scope(|scope| {
        for index in 1..settings.threads.get() {
            // If the system refuses a thread, the others do its work.
            let builder = thread::Builder::new().name(format!("worker {index}"));
            let _ = builder.spawn_scoped(scope, worker);
        }
        worker();
    });
    if run.control.is_stopped() {
        return Err(Error::Stopped);
    }
    run.state.into_inner().unwrap_or_else(PoisonError::into_inner).outcome.map_err(Error::Sink)
}

struct Run<'r, I> {
    state: Mutex<State<I>>,
    /// Who delivers holds this, and not the state: others go on meanwhile. It is locked first.
    delivery: Mutex<Delivery<'r>>,
    /// Jobs were delivered, or the run ends.
    room: Condvar,
    ahead: u64,
    control: &'r Control,
}

struct State<I> {
    jobs: Jobs<I>,
    /// Jobs that were handed out.
    taken: u64,
    /// Jobs that the report has got.
    delivered: u64,
    /// Jobs that are done and wait for earlier ones.
    waiting: BTreeMap<u64, Done>,
    outcome: io::Result<()>,
}

impl<I: Iterator<Item = PathBuf> + Send> Run<'_, I> {
    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut chunker: Chunker) {
        let _guard = FailOnPanic(self);
        while let Some((number, job)) = self.take() {
            let done = work(job, &mut chunker, self.control);
            if self.control.is_stopped() {
                // Chunks of a file that was given up are not those of the file.
                self.room.notify_all();
                return;
            }
            self.lock().waiting.insert(number, done);
            self.deliver();
        }
    }

    fn take(&self) -> Option<(u64, Job)> {
        let mut state = self.lock();
        loop {
            if state.outcome.is_err() || self.control.is_stopped() {
                return None;
            }
            if state.taken - state.delivered < self.ahead {
                let job = state.jobs.next()?;
                state.taken += 1;
                return Some((state.taken - 1, job));
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives the report all jobs that are next in order, unless another worker is about it: that
    /// one looks again.
    fn deliver(&self) {
        loop {
            let Ok(mut delivery) = self.delivery.try_lock() else { return };
            while let Some(done) = self.next_done() {
                let outcome = delivery.deliver(done);
                let mut state = self.lock();
                state.delivered += 1;
                if outcome.is_err() && state.outcome.is_ok() {
                    state.outcome = outcome;
                }
                drop(state);
                self.room.notify_all();
            }
            drop(delivery);
            // Another one may have tried meanwhile, and left it to this one.
            let state = self.lock();
            if state.outcome.is_err() || !state.waiting.contains_key(&state.delivered) {
                return;
            }
        }
    }

    fn next_done(&self) -> Option<Done> {
        let mut state = self.lock();
        let next = state.delivered;
        if state.outcome.is_err() { None } else { state.waiting.remove(&next) }
    }
}

/// Ends the run if a worker panics, as it may in the report.
struct FailOnPanic<'a, 'r, I: Iterator<Item = PathBuf> + Send>(&'a Run<'r, I>);

impl<I: Iterator<Item = PathBuf> + Send> Drop for FailOnPanic<'_, '_, I> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().outcome = Err(io::Error::other("a worker panicked"));
            self.0.room.notify_all();
        }
    }
}

struct Delivery<'r> {
    report: &'r mut dyn Report,
    stitch: Stitch,
    chunker: Chunker,
    /// The large file under way could not be read, and its end was told.
    file_failed: bool,
}

impl Delivery<'_> {
    fn deliver(&mut self, done: Done) -> io::Result<()> {
        let (segment, chunks) = match done {
            Done::Files(files) => {
                return files.into_iter().try_for_each(|(path, chunks)| self.file(&path, chunks));
            }
            Done::Segment(segment, chunks) => (segment, chunks),
        };
        self.file_failed &= !segment.is_first();
        if self.file_failed {
            return Ok(());
        }
        let path = segment.path.clone();
        let joined =
            chunks.and_then(|chunks| self.stitch.join(&segment, chunks, &mut self.chunker));
        let outcome = match joined {
            Ok(chunks) => {
                if !chunks.is_empty() {
                    self.report.chunks(&path, &chunks)?;
                }
                if !segment.is_last() {
                    return Ok(());
                }
                Ok(())
            }
            Err(error) => {
                self.file_failed = true;
                Err(error)
            }
        };
        self.report.end(&path, outcome)
    }

    fn file(&mut self, path: &Path, chunks: io::Result<Vec<Chunk>>) -> io::Result<()> {
        let outcome = match chunks {
            Ok(chunks) => {
                if !chunks.is_empty() {
                    self.report.chunks(path, &chunks)?;
                }
                Ok(())
            }
            Err(error) => Err(error),
        };
        self.report.end(path, outcome)
    }
}
