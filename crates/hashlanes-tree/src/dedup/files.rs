//! Cuts files on all cores, and gives their chunks to the report in the order of the files.

use std::io;
use std::path::{Path, PathBuf};

use hashlanes::Engine;
use hashlanes_files::{Control, RegularFile};
use hashlanes_pool::{Consumer, Ordered, Supply};

use super::chunker::Chunker;
use super::jobs::{Jobs, Opened, Segment};
use super::segment::{Done, work};
use super::stitch::Stitch;
use super::{Chunk, Sizes};
use crate::{Error, Settings};

/// The buffer size of each worker in bytes. There is one more buffer to join segments.
///
/// It holds 128 chunks of 64 KiB: enough to fill the lanes although lengths differ.
const BUFFER: usize = 8 << 20;

/// A segment has at least this many bytes, and at least this many average chunks, so that only a
/// small part at its beginning is cut twice.
const SEGMENT: u64 = 16 << 20;
const SEGMENT_CHUNKS: u64 = 128;

/// The number of jobs per worker that may run ahead of the next one in order.
const AHEAD: usize = 4;

/// Receives the chunks of files in order, from one thread at a time.
pub trait Report: Send {
    /// The next chunks of a file. Called several times for a large file.
    ///
    /// # Errors
    /// Any error ends the run.
    fn chunks(&mut self, path: &Path, chunks: &[Chunk]) -> io::Result<()>;

    /// The end of a file, or the error that prevents reading it further, possibly after some
    /// chunks.
    ///
    /// # Errors
    /// Any error ends the run.
    fn end(&mut self, path: &Path, outcome: io::Result<()>) -> io::Result<()>;
}

/// Cuts files into chunks and hashes the chunks, on all cores.
///
/// Memory for each thread: a buffer of 8 MiB or of two chunks of the maximum size, small files of
/// at most the same size, and the chunks of at most 4 segments, each of 16 MiB or 128 average
/// chunks.
///
/// # Errors
/// Any error that the report returns, and [`Error::Stopped`] if the settings' `Control` stops the
/// run. Errors of files go to the report.
///
/// # Examples
/// ```
/// use std::io;
/// use std::path::Path;
///
/// use hashlanes::{Algorithm, Engine};
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
/// let (sizes, engine) = (Sizes::default(), Engine::of(Algorithm::Sha256));
/// let mut count = Count(0);
/// chunk_files([path].into_iter(), sizes, engine, &mut count, &Settings::default())?;
/// assert_eq!(count.0, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chunk_files(
    paths: impl Iterator<Item = PathBuf> + Send,
    sizes: Sizes,
    engine: Engine,
    report: &mut dyn Report,
    settings: &Settings<'_>,
) -> Result<(), Error> {
    let open = |path: PathBuf| {
        let file = RegularFile::open(&path).map(|file| Box::new(file) as Opened);
        (path, file)
    };
    chunk_contents(paths.map(open), sizes, engine, report, settings)
}

/// Cuts contents as [`chunk_files`] cuts files. The iterator opens each.
///
/// # Errors
/// The same as [`chunk_files`].
pub fn chunk_contents(
    contents: impl Iterator<Item = (PathBuf, io::Result<Opened>)> + Send,
    sizes: Sizes,
    engine: Engine,
    report: &mut dyn Report,
    settings: &Settings<'_>,
) -> Result<(), Error> {
    let nobody = Control::new();
    let control = settings.control.unwrap_or(&nobody);
    let threads = settings.threads.get();
    let segment = SEGMENT.max(SEGMENT_CHUNKS * sizes.avg() as u64);
    let jobs = Supply::new(Jobs::new(contents, segment));
    let delivery = Delivery {
        report,
        stitch: Stitch::default(),
        chunker: Chunker::new(sizes, engine, 0),
        file_failed: false,
    };
    let ordered = Ordered::new(delivery, AHEAD * threads);
    hashlanes_pool::run(threads, || {
        let _guard = ordered.end_on_panic();
        let mut chunker = Chunker::new(sizes, engine, BUFFER);
        while let Some((ticket, job)) = jobs.take(&ordered, true) {
            let done = work(job, &mut chunker, control);
            if control.is_stopped() {
                // This job may be incomplete.
                return ordered.fail(Error::Stopped);
            }
            ordered.deliver([(ticket, done)]);
        }
    });
    ordered.finish()
}

struct Delivery<'r> {
    report: &'r mut dyn Report,
    stitch: Stitch,
    chunker: Chunker,
    /// The current large file could not be read, and its end was reported.
    file_failed: bool,
}

impl Consumer<Done> for Delivery<'_> {
    type Error = Error;

    fn consume(&mut self, done: Done) -> Result<(), Error> {
        self.deliver(done).map_err(Error::Sink)
    }
}

impl Delivery<'_> {
    fn deliver(&mut self, done: Done) -> io::Result<()> {
        match done {
            Done::Files(files) => {
                files.into_iter().try_for_each(|(path, chunks)| self.report(&path, chunks, true))
            }
            Done::Segment(segment, chunks) => self.segment(&segment, chunks),
        }
    }

    fn segment(&mut self, segment: &Segment, chunks: io::Result<Vec<Chunk>>) -> io::Result<()> {
        self.file_failed &= !segment.is_first();
        if self.file_failed {
            return Ok(());
        }
        let join = |chunks| self.stitch.join(segment, chunks, &mut self.chunker);
        let chunks = chunks.and_then(join);
        self.file_failed = chunks.is_err();
        self.report(&segment.path, chunks, segment.is_last())
    }

    /// Reports the next chunks of a file, and its end if they are the last or cannot be read.
    fn report(
        &mut self,
        path: &Path,
        chunks: io::Result<Vec<Chunk>>,
        is_last: bool,
    ) -> io::Result<()> {
        let outcome = match chunks {
            Ok(chunks) if chunks.is_empty() => Ok(()),
            Ok(chunks) => Ok(self.report.chunks(path, &chunks)?),
            Err(error) => Err(error),
        };
        if is_last || outcome.is_err() { self.report.end(path, outcome) } else { Ok(()) }
    }
}
