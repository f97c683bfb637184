//! Tells whether a worker mostly waits for files, as on a network file system.

use std::time::{Duration, Instant};

use crate::system::BusyTime;

/// A worker is judged by so much time, or a little more.
const LOOK: Duration = Duration::from_millis(25);

/// What a worker mostly does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mostly {
    /// It waits for files.
    Waits,
    Works,
}

/// The time of a worker since it was judged last.
pub(super) struct Pace {
    busy_time: BusyTime,
    begin: Instant,
    /// How long it had been busy then.
    busy: Duration,
    /// Time that it has spent on something else than files.
    elsewhere: Duration,
}

impl Pace {
    /// To be made by the worker's own thread.
    pub(super) fn new() -> Self {
        let busy_time = BusyTime::of_this_thread();
        let busy = busy_time.get().unwrap_or_default();
        Self { busy_time, begin: Instant::now(), busy, elsewhere: Duration::ZERO }
    }

    /// Does what is no work on files, such as waiting for their names.
    pub(super) fn elsewhere<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let outcome = act();
        self.elsewhere += begin.elapsed();
        outcome
    }

    /// What the worker has mostly done since it was judged last. `None` if it is too early to say,
    /// or if the system does not tell.
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
        // Somewhere else, this is no waiting for files.
        pace.elsewhere(|| std::thread::sleep(2 * LOOK));
        assert_ne!(pace.judge(), Some(Mostly::Waits));
        let begin = Instant::now();
        while begin.elapsed() < 4 * LOOK {
            std::hint::spin_loop();
        }
        assert_eq!(pace.judge(), Some(Mostly::Works));
    }
}
