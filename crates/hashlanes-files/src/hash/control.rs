//! How far a run is, and how to stop it, from another thread.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hashlanes_pool::lock;

/// How long it may take until a thread that is ahead of its rate sees a stop.
const STOP_LATENCY: Duration = Duration::from_millis(50);

/// Shared with a run while it works.
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
    /// The most bytes in a second. 0 is any number.
    rate: AtomicU64,
    /// When all bytes that are counted may have been read at this rate.
    due: Mutex<Option<Instant>>,
}

impl Control {
    /// For a run that has not begun.
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

    /// Stops the run: no more files are begun, and those under way are given up. What is done is
    /// reported, in order, and then [`hash_files`](crate::hash_files) returns `Ok`.
    ///
    /// A worker that waits for the writer of a pipe, or for the source, goes on waiting, and
    /// `hash_files` does not return before that ends. See [`is_drained`](Self::is_drained).
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether `stop` was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the run was stopped and all that is done has been reported and flushed. Then the
    /// process can end, even if `hash_files` has not returned.
    pub fn is_drained(&self) -> bool {
        self.drained.load(Ordering::Acquire)
    }

    /// Bytes that have been read and hashed so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Files that are done, those that cannot be read included.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// Says that a stopped run has reported and flushed what is done. For other runs than
    /// [`hash_files`](crate::hash_files), which does it by itself.
    pub fn set_drained(&self) {
        self.drained.store(true, Ordering::Release);
    }

    /// Counts bytes that have been read and hashed. If there is a limit, waits as long as these
    /// bytes may take.
    pub fn add_bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
        if let Some(rate) = NonZeroU64::new(self.rate.load(Ordering::Relaxed)) {
            self.wait(count, rate);
        }
    }

    /// Limits the bytes that all threads together read in a second, on average.
    pub fn limit(&self, rate: NonZeroU64) {
        self.rate.store(rate.get(), Ordering::Relaxed);
    }

    /// Waits for the turn of so many bytes behind those of other threads, and as long as they may
    /// take.
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
            // A time that the clock cannot tell never comes.
            let left =
                due.map_or(STOP_LATENCY, |due| due.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(STOP_LATENCY));
        }
    }

    /// Counts files that are done.
    pub fn add_files(&self, count: usize) {
        self.files.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// How a run uses the machine, and who watches it. A number of threads is one: `2.into()`.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'c> {
    /// Threads that read and hash, the caller's included.
    pub threads: NonZeroUsize,
    /// The most large files that are read from disks at the same time. Those that are in memory do
    /// not count (on Linux, which can tell). Without it, that is one on a disk that turns, and no
    /// limit on others.
    pub readers: Option<NonZeroUsize>,
    /// The most threads that are added to those while they mostly wait for files, as they do on
    /// network file systems. They end when there is work for the cores. Only on Linux, which can
    /// tell.
    pub added_threads: usize,
    /// Who watches it.
    pub control: Option<&'c Control>,
}

impl From<NonZeroUsize> for Settings<'_> {
    fn from(threads: NonZeroUsize) -> Self {
        Self { threads, readers: None, added_threads: 0, control: None }
    }
}

/// At least one thread.
impl From<usize> for Settings<'_> {
    fn from(threads: usize) -> Self {
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN).into()
    }
}
