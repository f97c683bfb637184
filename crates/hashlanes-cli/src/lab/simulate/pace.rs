//! The target speed of a producer.

use std::thread;
use std::time::{Duration, Instant};

/// When chunks are due at a producer's target speed.
pub(super) struct Pace {
    bytes_per_second: f64,
    due: Instant,
}

impl Pace {
    /// How much time a producer can catch up after it had to wait, as a source could from its own
    /// buffer. With more, a source would be faster than its target speed.
    const SLACK: Duration = Duration::from_millis(10);

    pub(super) fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second as f64, due: Instant::now() }
    }

    /// Sleeps until a chunk of this many bytes is due.
    pub(super) fn wait(&mut self, bytes: usize) {
        let now = Instant::now();
        let due = self.due + Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
        self.due = now.checked_sub(Self::SLACK).map_or(due, |earliest| due.max(earliest));
        thread::sleep(self.due.saturating_duration_since(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_kept_and_little_is_caught_up() {
        let mut pace = Pace::new(1_000_000);
        let begin = Instant::now();
        for _ in 0..10 {
            pace.wait(2000);
        }
        assert!(begin.elapsed() >= Duration::from_millis(20));
        thread::sleep(Duration::from_millis(50));
        let begin = Instant::now();
        for _ in 0..15 {
            pace.wait(2000);
        }
        // This is 30 ms of data, of which at most the slack may be caught up.
        assert!(begin.elapsed() >= Duration::from_millis(18));
    }
}
