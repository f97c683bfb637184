//! Reads content once and hashes its leaves by several plans, on all cores.
//!
//! ```text
//!              take the next                               deliver
//!   Segments ───────────────▶ worker: cursors ───▶ Streams ─────▶ Ordered ──▶ sinks
//!                                       (read)    (one per plan)
//! ```
//!
//! * `segments` divides the content into segments. A segment stands for all leaves, of every plan,
//!   that *begin* in it.
//! * `worker`: one per core, with a number of *cursors*, each in its own segment. In each turn it
//!   reads a buffer from each cursor, and all plans hash these buffers. So each plan has as many
//!   streams side by side as there are cursors, and its lanes are full even if a leaf has
//!   gigabytes. If all leaves are small, a buffer of one cursor has enough of them.
//! * `streams` hashes the buffers of all cursors by one plan: leaves that lie entirely in a buffer
//!   as messages, others one buffer at a time.
//! * `many` has one content per cursor instead, for files that are too small to be divided.
//! * [`hashlanes_pool`] hands out segments and passes the digests to the sinks in order. It bounds
//!   how far workers may run ahead, and with it the memory.
//!
//! If the sizes of all leaves divide the segment size, each byte is read once. Otherwise a cursor
//! reads beyond its segment until the leaves that began in it end, by at most one leaf of the
//! largest plan. That part is read twice, the second time usually from the system's cache.

mod buffer;
mod many;
mod reader;
mod segments;
mod streams;
mod worker;

use std::num::NonZeroUsize;
use std::thread;

use hashlanes_files::Control;
use hashlanes_pool::{Ordered, Supply};
pub use many::{Task, hash_many};
pub use reader::hash_reader;

use crate::{Content, Error, Medium, Plan, Sink};
use segments::{Region, Segments};
use worker::{Run, Sinks, Worker};

/// A plan, and the sink of its digests.
pub struct Job<'a> {
    plan: &'a Plan,
    sink: &'a mut dyn Sink,
}

impl<'a> Job<'a> {
    /// Gives the digests of the plan's leaves to the sink.
    pub fn new(plan: &'a Plan, sink: &'a mut dyn Sink) -> Self {
        Self { plan, sink }
    }
}

/// How a run uses the machine, and what watches it.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'c> {
    /// Threads that read and hash, including the caller's. By default one per core.
    pub threads: NonZeroUsize,
    /// The maximum number of places of the content that are read at the same time, unless it is in
    /// memory. By default one on rotational disks, and no limit elsewhere.
    pub readers: Option<NonZeroUsize>,
    /// Bytes for buffers, and for digests that wait for earlier ones. By default 256 MiB, of which
    /// a run takes only what it needs: usually 16 MiB for two threads. A few MiB are always used.
    pub memory: usize,
    /// Watches the run, and may stop it.
    pub control: Option<&'c Control>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { threads, readers: None, memory: 256 << 20, control: None }
    }
}

/// Reads the content once and gives the digests of the leaves to the sinks of all jobs.
///
/// Each sink gets its digests in order, from one thread at a time, while the rest is still being
/// read. Memory is bounded by the settings, whatever the length of the content and the size of a
/// leaf. If the leaves of some jobs differ too much in size for that, as with leaves of 4 KiB and
/// parts of 5 GiB, these jobs are done one after the other, and each reads the content again.
///
/// The [`Control`] of the settings counts bytes as they are hashed, and can stop the run.
///
/// # Errors
/// The first error of the content or of a sink. By then, sinks may have received some digests.
///
/// # Examples
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_tree::{Job, Plan, Settings, hash_content};
///
/// let content = vec![7; 100_000];
/// let (parts, blocks) = (Plan::new(Algorithm::Md5, 70_000), Plan::new(Algorithm::Sha256, 4096));
/// let (mut md5s, mut sha256s) = (Vec::new(), Vec::new());
/// let mut jobs = [Job::new(&parts, &mut md5s), Job::new(&blocks, &mut sha256s)];
/// hash_content(content.as_slice(), &mut jobs, &Settings::default())?;
/// assert_eq!(md5s[16..], *Algorithm::Md5.digest(&content[70_000..]).as_bytes());
/// assert_eq!(sha256s.len(), 25 * 32);
/// # Ok::<(), hashlanes_tree::Error>(())
/// ```
pub fn hash_content(
    content: &(impl Content + ?Sized),
    jobs: &mut [Job<'_>],
    settings: &Settings<'_>,
) -> Result<(), Error> {
    hash_passes(&content, jobs, settings)
}

fn hash_passes(
    content: &dyn Content,
    jobs: &mut [Job<'_>],
    settings: &Settings<'_>,
) -> Result<(), Error> {
    let readers = match content.medium() {
        Medium::Memory => None,
        Medium::RotationalDisk => settings.readers.or(Some(NonZeroUsize::MIN)),
        Medium::Network(places) => settings.readers.or(Some(places)),
        Medium::Other => settings.readers,
    };
    let settings = &Settings { readers, ..*settings };
    let length = content.length();
    let mut left: Vec<&mut Job<'_>> = jobs.iter_mut().collect();
    left.sort_by_key(|job| std::cmp::Reverse(job.plan.leaf));
    let mut pass = 0;
    while !left.is_empty() {
        let plans: Vec<&Plan> = left.iter().map(|job| job.plan).collect();
        let together = segments::together(&plans, settings);
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for (job, together) in left.into_iter().zip(together) {
            if together { now.push(job) } else { later.push(job) }
        }
        let plans = now.iter().map(|job| job.plan).collect();
        // Only the first pass over the content counts as progress.
        let control = if pass == 0 { Progress::Count } else { Progress::OnlyStop };
        hash_region(content, Region::whole(plans, length), &mut now, settings, control)?;
        left = later;
        pass += 1;
    }
    Ok(())
}

fn sink_of<'s>(job: &'s mut &mut Job<'_>) -> &'s mut (dyn Sink + 's) {
    &mut *job.sink
}

/// Whether a run counts bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Count,
    OnlyStop,
}

/// Hashes the leaves of a region. The jobs are those of its plans.
fn hash_region(
    content: &dyn Content,
    region: Region<'_>,
    jobs: &mut [&mut Job<'_>],
    settings: &Settings<'_>,
    progress: Progress,
) -> Result<(), Error> {
    let segments = Segments::new(region, settings);
    if segments.count == 0 {
        return Ok(());
    }
    let nobody = Control::new();
    let control = settings.control.unwrap_or(&nobody);
    let sinks = Sinks(jobs.iter_mut().map(sink_of).collect());
    let run = Run {
        content,
        segments: &segments,
        numbers: Supply::new(0..segments.count),
        ordered: Ordered::new(sinks, segments.ahead),
        control,
        progress,
    };
    hashlanes_pool::run(segments.workers, || Worker::new(&run).run());
    run.ordered.finish()
}
