//! The current rate of a run: over the last seconds, not since its beginning.

use std::collections::VecDeque;
use std::time::Duration;

/// The rate is measured over this time.
const WINDOW: Duration = Duration::from_secs(5);

/// Bytes hashed at several moments, the first of which is at least as old as the window.
pub(crate) struct Rate(VecDeque<(Duration, u64)>);

impl Rate {
    /// The rate of a run that has just begun.
    pub(crate) fn new() -> Self {
        Self(VecDeque::from([(Duration::ZERO, 0)]))
    }

    /// Records the bytes hashed at this time of the run.
    pub(crate) fn add(&mut self, time: Duration, bytes: u64) {
        self.0.push_back((time, bytes));
        while self.0.get(1).is_some_and(|(second, _)| *second + WINDOW <= time) {
            self.0.pop_front();
        }
    }

    /// Bytes per second.
    pub(crate) fn per_second(&self) -> f64 {
        match (self.0.front(), self.0.back()) {
            (Some((begin, before)), Some((end, after))) if end > begin => {
                (after - before) as f64 / (*end - *begin).as_secs_f64()
            }
            _ => 0.0,
        }
    }

    /// How long the rest takes at this rate. `None` if there is no progress.
    pub(crate) fn left(&self, total: u64) -> Option<Duration> {
        let done = self.0.back().map_or(0, |(_, bytes)| *bytes);
        let seconds = total.saturating_sub(done) as f64 / self.per_second();
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_first_second_counts_whole() {
        let mut rate = Rate::new();
        assert_eq!((rate.per_second(), rate.left(1)), (0.0, None));
        rate.add(Duration::from_secs(1), 62 * MIB);
        assert_eq!(rate.per_second(), (62 * MIB) as f64);
        assert_eq!(rate.left(310 * MIB), Some(Duration::from_secs(4)));
    }

    #[test]
    fn old_bytes_do_not_count() {
        let mut rate = Rate::new();
        for tenth in 1..=300 {
            // Fast for ten seconds, and then slow.
            let bytes = 1000 * MIB * tenth.min(100) + MIB * tenth.saturating_sub(100);
            rate.add(Duration::from_millis(100 * tenth), bytes);
        }
        assert!((rate.per_second() / (10 * MIB) as f64 - 1.0).abs() < 1e-9);
        assert!(rate.0.len() < 60);
    }
}
