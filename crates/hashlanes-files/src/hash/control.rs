//! Shows the progress of a run to other threads, and lets them stop it.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hashlanes_pool::lock;

use super::Partial;

/// How long a thread that is ahead of the rate limit may take to notice a stop.
const STOP_LATENCY: Duration = Duration::from_millis(50);

/// Watches and stops a run from another thread.
///
/// # Examples
/// ```
/// use hashlanes_files::Control;
///
/// let control = Control::new();
/// assert_eq!(control.bytes(), 0);
/// control.stop();
/// assert!(control.is_stopped());
/// ```
#[derive(Debug, Default)]
pub struct Control {
    stopped: AtomicBool,
    drained: AtomicBool,
    files: AtomicU64,
    bytes: AtomicU64,
    /// The limit in bytes per second. 0 means no limit.
    rate: AtomicU64,
    /// When the bytes counted so far are due at this rate.
    due: Mutex<Option<Instant>>,
}

impl Control {
    /// Creates the control of a run that has not started.
    pub const fn new() -> Self {
        Self {
            stopped: AtomicBool::new(false),
            drained: AtomicBool::new(false),
            files: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            rate: AtomicU64::new(0),
            due: Mutex::new(None),
        }
    }

    /// Stops the run: no more files are started, and those in progress are abandoned. Finished
    /// files are reported in order, and then [`hash_files`](crate::hash_files) returns `Ok`.
    ///
    /// A worker that waits for the source or for the writer of a pipe continues to wait, and
    /// `hash_files` does not return before that ends. See [`is_drained`](Self::is_drained).
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether `stop` was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the run was stopped and all finished files have been reported and flushed. The
    /// process can then exit, even if `hash_files` has not returned.
    pub fn is_drained(&self) -> bool {
        self.drained.load(Ordering::Acquire)
    }

    /// The number of bytes read and hashed so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The number of finished files, including those that cannot be read.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// Records that a stopped run has reported and flushed its finished files.
    /// [`hash_files`](crate::hash_files) calls this itself; other kinds of runs must call it.
    pub fn set_drained(&self) {
        self.drained.store(true, Ordering::Release);
    }

    /// Counts bytes that have been read and hashed. With a rate limit, waits until they are due.
    pub fn add_bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
        if let Some(rate) = NonZeroU64::new(self.rate.load(Ordering::Relaxed)) {
            self.wait(count, rate);
        }
    }

    /// Limits the average number of bytes that all threads together read per second.
    pub fn limit(&self, rate: NonZeroU64) {
        self.rate.store(rate.get(), Ordering::Relaxed);
    }

    /// Waits until `count` bytes are due after those of other threads.
    fn wait(&self, count: u64, rate: NonZeroU64) {
        let time = Duration::from_secs_f64(count as f64 / rate.get() as f64);
        let due = {
            let now = Instant::now();
            let mut due = lock(&self.due);
            let end = due.map_or(now, |due| due.max(now)).checked_add(time);
            *due = end;
            end
        };
        while !self.is_stopped() {
            // `None` is later than the clock can represent.
            let left =
                due.map_or(STOP_LATENCY, |due| due.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(STOP_LATENCY));
        }
    }

    /// Counts finished files.
    pub fn add_files(&self, count: usize) {
        self.files.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// How a run uses the machine, and what watches it. A number converts to settings with that number
/// of threads: `2.into()`.
#[derive(Clone, Debug)]
pub struct Settings<'c> {
    /// Threads that read and hash, including the caller's.
    pub threads: NonZeroUsize,
    /// The maximum number of large files read from disks at the same time. On Linux, files cached
    /// in memory do not count. `None` means one for rotational disks, and no limit for others.
    pub readers: Option<NonZeroUsize>,
    /// The maximum number of threads added while the others mostly wait for files, as on network
    /// file systems. They end when the cores are busy. Linux only: other systems do not report how
    /// long a thread has waited.
    pub added_threads: usize,
    /// Watches the run, and may stop it.
    pub control: Option<&'c Control>,
    /// Keeps the states of large files, so that a later run continues them.
    pub partial: Option<Arc<dyn Partial>>,
}

impl From<NonZeroUsize> for Settings<'_> {
    fn from(threads: NonZeroUsize) -> Self {
        Self { threads, readers: None, added_threads: 0, control: None, partial: None }
    }
}

/// 0 counts as 1.
impl From<usize> for Settings<'_> {
    fn from(threads: usize) -> Self {
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN).into()
    }
}
