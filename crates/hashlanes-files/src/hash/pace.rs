//! Measures whether a worker mostly waits for files, as on a network file system.

use std::time::{Duration, Instant};

use crate::system::BusyTime;

/// The time over which a worker is judged, at least.
const LOOK: Duration = Duration::from_millis(25);

/// What a worker mostly does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mostly {
    /// It waits for files.
    Waits,
    Works,
}

/// How a worker has spent its time since it was last judged.
pub(super) struct Pace {
    busy_time: BusyTime,
    begin: Instant,
    /// Its busy time at `begin`.
    busy: Duration,
    /// Time not spent on files.
    elsewhere: Duration,
}

impl Pace {
    /// Must be called on the worker's own thread.
    pub(super) fn new() -> Self {
        let busy_time = BusyTime::of_this_thread();
        let busy = busy_time.get().unwrap_or_default();
        Self { busy_time, begin: Instant::now(), busy, elsewhere: Duration::ZERO }
    }

    /// Runs something that is not work on files, such as waiting for their names.
    pub(super) fn elsewhere<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let outcome = act();
        self.elsewhere += begin.elapsed();
        outcome
    }

    /// What the worker has mostly done since it was last judged. `None` if that was too recent, or
    /// if the system does not report busy times.
    pub(super) fn judge(&mut self) -> Option<Mostly> {
        let time = self.begin.elapsed().saturating_sub(self.elsewhere);
        if time < LOOK {
            return None;
        }
        let busy = self.busy_time.get()?;
        let waited = time.saturating_sub(busy.saturating_sub(self.busy));
        (self.begin, self.busy, self.elsewhere) = (Instant::now(), busy, Duration::ZERO);
        Some(if waited > time / 2 { Mostly::Waits } else { Mostly::Works })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_told_from_working() {
        let mut pace = Pace::new();
        std::thread::sleep(2 * LOOK);
        assert_eq!(pace.judge(), Some(Mostly::Waits));
        // Waiting for something else is not waiting for files.
        pace.elsewhere(|| std::thread::sleep(2 * LOOK));
        assert_ne!(pace.judge(), Some(Mostly::Waits));
        let begin = Instant::now();
        while begin.elapsed() < 4 * LOOK {
            std::hint::spin_loop();
        }
        assert_eq!(pace.judge(), Some(Mostly::Works));
    }
}
