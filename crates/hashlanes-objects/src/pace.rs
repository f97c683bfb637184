//! How many requests are in progress, and when the next one may begin.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hashlanes_pool::lock;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Options;

/// The longest pause that a store may ask for.
const LONGEST: Duration = Duration::from_secs(30);

/// How long nothing is said after a notice.
const QUIET: Duration = Duration::from_secs(10);

/// Limits requests.
pub(crate) struct Pace {
    requests: Semaphore,
    state: Mutex<State>,
    notice: Arc<dyn Fn(&str) + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// No request begins before this.
    until: Option<Instant>,
    /// The latest notice that requests are slower, and the latest that one is repeated.
    said: Option<Instant>,
    repeated: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            requests: Semaphore::new(options.requests.min(Semaphore::MAX_PERMITS)),
            state: Mutex::default(),
            notice: Arc::clone(&options.notice),
        }
    }

    /// A place for one request, until it is dropped.
    pub(crate) async fn place(&self) -> io::Result<SemaphorePermit<'_>> {
        self.requests.acquire().await.map_err(io::Error::other)
    }

    /// Waits while the store wants no requests.
    pub(crate) async fn wait(&self) {
        loop {
            let until = lock(&self.state).until;
            match until.and_then(|until| until.checked_duration_since(Instant::now())) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    /// The store has refused a request because there are too many. All requests pause.
    pub(crate) fn slow_down(&self, pause: Duration, status: u16) {
        let now = Instant::now();
        let mut state = lock(&self.state);
        let until = now + pause.min(LONGEST);
        state.until = state.until.max(Some(until));
        if state.said.is_none_or(|said| now.duration_since(said) >= QUIET) {
            state.said = Some(now);
            drop(state);
            self.say(&format!("the store asks for fewer requests (HTTP {status}); slowing down"));
        }
    }

    /// A request is made again because the store did not answer it in time.
    pub(crate) fn repeats(&self, why: &str) {
        let now = Instant::now();
        let mut state = lock(&self.state);
        if state.repeated.is_none_or(|said| now.duration_since(said) >= QUIET) {
            state.repeated = Some(now);
            drop(state);
            self.say(&format!("{why}; retrying"));
        }
    }

    pub(crate) fn say(&self, notice: &str) {
        (self.notice)(notice);
    }
}
