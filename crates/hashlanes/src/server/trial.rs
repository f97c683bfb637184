//! Whether messages share lanes or are hashed apart while other threads want the cores.
//!
//! A thread that lends its bytes yields its core. If a thread is ready there that never yields,
//! Linux 6.18 charges each yield as a whole slice: lanes save CPU time, but the writers get so
//! little of it that they take longer. Clocks do not tell such a thread from writers with much to
//! do between their writes. So while yields are late, the server tries both ways from time to time,
//! and stays with the one that hashes more bytes per second.

use std::time::Duration;

use super::sync::{self, Hint, Mutex, Ordering};

/// How long the bytes of one way are counted: some turns of all threads of a core.
const WINDOW: Duration = Duration::from_millis(50);

/// The shortest slice of Linux. A yield that takes as long is late.
const SLICE: Duration = Duration::from_micros(700);

/// Windows with late yields until messages are hashed apart for the first time.
const FEW: usize = 4;

/// Windows until the other way is tried again: at first, and at most. They double while it loses.
const PAUSE: usize = 8;
const LONG_PAUSE: usize = 64;

pub(super) struct Trial {
    /// Not 0 while messages are hashed apart.
    apart: Hint,
    /// Microseconds that late yields of all threads took in this window.
    late: Hint,
    judge: Mutex<Judge>,
}

#[derive(Default)]
struct Judge {
    /// When this window began.
    began: Duration,
    /// Bytes hashed before this window.
    bytes: u64,
    /// Bytes per second in recent windows without a trial.
    rate: f64,
    /// Whether this window is a trial.
    trying: bool,
    /// Windows until the next trial.
    left: usize,
    /// Windows between the last two trials.
    pause: usize,
}

impl Trial {
    pub(super) fn new() -> Self {
        let judge = Mutex::new(Judge { left: FEW, ..Judge::default() });
        Self { apart: Hint::new(0), late: Hint::new(0), judge }
    }

    /// Whether messages are hashed apart at the moment.
    pub(super) fn is_apart(&self) -> bool {
        self.apart.load(Ordering::Relaxed) > 0
    }

    /// Lets other threads run.
    pub(super) fn yield_now(&self, bytes: impl FnOnce() -> u64) {
        let before = sync::now();
        sync::yield_now();
        let now = sync::now();
        // Where there is no clock, no time passes.
        if now > before {
            self.yielded(now - before);
            self.look(now, bytes);
        }
    }

    /// Records how long a yield took.
    pub(super) fn yielded(&self, time: Duration) {
        if time >= SLICE {
            self.late.fetch_add(time.as_micros() as usize, Ordering::Relaxed);
        }
    }

    /// If the window is over, decides about the next one by all `bytes` that the server has hashed.
    pub(super) fn look(&self, now: Duration, bytes: impl FnOnce() -> u64) {
        // If another thread has the lock, it does the same.
        let Some(mut judge) = sync::try_lock(&self.judge) else { return };
        let time = now.saturating_sub(judge.began);
        if time >= WINDOW {
            judge.began = now;
            let late = Duration::from_micros(self.late.swap(0, Ordering::Relaxed) as u64);
            let apart = judge.window(self.is_apart(), time, bytes(), late);
            self.apart.store(usize::from(apart), Ordering::Relaxed);
        }
    }
}

impl Judge {
    /// A window ends, which took this `time`; the server has hashed `bytes` in total. Returns
    /// whether messages are hashed apart in the next one.
    fn window(&mut self, apart: bool, time: Duration, bytes: u64, late: Duration) -> bool {
        let rate = (bytes - core::mem::replace(&mut self.bytes, bytes)) as f64 / time.as_secs_f64();
        if time > 4 * WINDOW {
            // The server was idle for a part of it, so its rate says nothing. If there are only
            // such windows, messages are not hashed apart for ever.
            self.left = self.left.saturating_sub(usize::from(apart));
            if apart && self.left == 0 {
                (self.trying, self.rate, self.left) = (false, 0.0, FEW);
                return false;
            }
            return apart;
        }
        if self.trying {
            self.trying = false;
            let (alone, shared) = if apart { (rate, self.rate) } else { (self.rate, rate) };
            // A tie goes to the way that takes less CPU time.
            let faster_apart = alone > 1.05 * shared;
            let won = faster_apart == apart;
            self.pause = if won { PAUSE } else { (2 * self.pause).clamp(PAUSE, LONG_PAUSE) };
            self.left = self.pause;
            return faster_apart;
        }
        self.rate = if self.rate == 0.0 { rate } else { (self.rate + rate) / 2.0 };
        // After windows without late yields, the rate must first show what these cost.
        let least = if apart || late >= time { 0 } else { FEW };
        self.left = self.left.saturating_sub(1).max(least);
        self.trying = self.left == 0;
        apart != self.trying
    }
}

#[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
mod tests {
    use std::vec::Vec;

    use super::*;

    struct Server {
        trial: Trial,
        now: Duration,
        bytes: u64,
    }

    impl Server {
        fn new() -> Self {
            let server = Self { trial: Trial::new(), now: Duration::from_secs(9), bytes: 0 };
            // The first window begins here.
            server.trial.look(server.now, || 0);
            server
        }

        /// Runs for this many windows, and hashes `shared` or `apart` bytes in each. Returns the
        /// lengths of its phases in windows: the first shares lanes, the next hashes apart, and so
        /// on.
        fn run(&mut self, windows: usize, [shared, apart]: [u64; 2], late: bool) -> Vec<usize> {
            let mut runs = std::vec![0];
            let mut before = self.trial.is_apart();
            for _ in 0..windows {
                let now = self.trial.is_apart();
                if now != before {
                    runs.push(0);
                }
                before = now;
                *runs.last_mut().unwrap() += 1;
                self.now += WINDOW;
                self.bytes += if now { apart } else { shared };
                let time = if late { SLICE } else { SLICE - Duration::from_micros(1) };
                (0..WINDOW.div_duration_f64(SLICE).ceil() as usize)
                    .for_each(|_| self.trial.yielded(time));
                self.trial.look(self.now, || self.bytes);
            }
            runs
        }
    }

    #[test]
    fn without_late_yields_nothing_is_tried() {
        assert_eq!(Server::new().run(300, [10, 100], false), [300]);
    }

    #[test]
    fn with_late_yields_the_faster_way_is_kept_and_the_other_one_is_tried_less_and_less() {
        let apart = [4, 9, 1, 16, 1, 32, 1, 64, 1, 64, 1, 6];
        assert_eq!(Server::new().run(200, [100, 106], true), apart);
        let shared = [4, 1, 8, 1, 16, 1, 32, 1, 64, 1, 64, 1, 6];
        assert_eq!(Server::new().run(200, [100, 104], true), shared);
    }

    #[test]
    fn when_the_cores_are_free_again_lanes_are_shared_again() {
        let mut server = Server::new();
        assert_eq!(server.run(30, [100, 500], true), [4, 9, 1, 16]);
        assert_eq!(server.run(100, [900, 500], false), [100]);
        assert_eq!(server.run(20, [100, 500], true), [4, 9, 1, 6]);
    }

    #[test]
    fn a_window_in_which_the_server_was_idle_says_nothing() {
        let mut server = Server::new();
        assert_eq!(server.run(4, [100, 1], true), [4]);
        assert!(server.trial.is_apart());
        server.now += 3 * WINDOW;
        assert_eq!(server.run(2, [100, 150], true), [1, 1]);
        server.now += 4 * WINDOW;
        assert_eq!(server.run(9, [100, 150], true), [8, 1]);
    }

    #[test]
    fn with_pauses_only_lanes_are_shared_again() {
        let mut server = Server::new();
        assert_eq!(server.run(6, [100, 150], true), [4, 2]);
        // One window has ended since the trial.
        for _ in 1..PAUSE {
            assert!(server.trial.is_apart());
            server.now += 5 * WINDOW;
            server.trial.look(server.now, || server.bytes);
        }
        assert!(!server.trial.is_apart());
    }

    #[test]
    fn a_window_ends_in_time_and_once() {
        let mut server = Server::new();
        server.run(3, [100, 1], true);
        server.trial.yielded(2 * WINDOW);
        for early in [WINDOW - Duration::from_millis(1), Duration::ZERO] {
            server.trial.look(server.now + early, || unreachable!("the window is not over"));
        }
        assert!(!server.trial.is_apart());
        server.trial.look(server.now + WINDOW, || 400);
        assert!(server.trial.is_apart());
    }
}
