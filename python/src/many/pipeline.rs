//! A pipeline of windows. The calling thread gathers messages and turns digests into Python
//! objects, which needs the interpreter. In between, other threads hash.
//!
//! At most [`AHEAD`] windows per thread are in flight, so memory is bounded. At that limit, the
//! calling thread hashes too, or waits. The threads end with the call.

#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::interpreter::steps::{PATIENCE, while_unsignalled};

/// Windows in flight per thread.
const AHEAD: usize = 2;

/// A unit of work that needs no interpreter.
pub(crate) trait Work: Send {
    /// Hashes the window. Long work calls `go_on` from time to time. If that returns `false`, the
    /// work ends early and its digests are discarded.
    fn hash(&mut self, go_on: &mut dyn FnMut() -> bool);
}

/// The stages that need the interpreter: the source and the sink of windows.
pub(crate) trait Ends<W> {
    /// The next window, which may reuse the memory of `spare`. `None` at the end.
    fn gather(&mut self, py: Python<'_>, spare: Option<W>) -> PyResult<Option<W>>;

    /// Takes the digests of a window and returns the window for reuse. Windows arrive in order.
    fn deliver(&mut self, py: Python<'_>, window: W) -> PyResult<W>;
}

/// Runs all windows through the pipeline, with at most `threads` threads including the calling one.
///
/// # Errors
/// Those of `ends`, and exceptions of signal handlers.
pub(crate) fn run<W: Work>(
    py: Python<'_>,
    threads: usize,
    ends: &mut impl Ends<W>,
) -> PyResult<()> {
    let exchange = Exchange::new();
    thread::scope(|scope| {
        // Ends the threads on every return path.
        let _closing = Closing(&exchange);
        let mut helpers = 0;
        let (mut submitted, mut delivered) = (0, 0);
        let mut spare = None;
        let mut more = true;
        while more || delivered < submitted {
            if more && submitted - delivered < AHEAD * threads {
                match ends.gather(py, spare.take())? {
                    Some(window) => {
                        let backlog = exchange.submit(submitted, window);
                        submitted += 1;
                        // A helper is started when there is work for it.
                        let wants_help = backlog > 1 && helpers + 1 < threads;
                        let help = || exchange.help();
                        if wants_help && hashlanes_pool::start(scope, "helper".into(), help) {
                            helpers += 1;
                        }
                        continue;
                    }
                    None => more = false,
                }
            }
            if delivered < submitted {
                let window = take(py, &exchange, delivered)?;
                spare = Some(ends.deliver(py, window)?);
                delivered += 1;
                py.check_signals()?;
            }
        }
        Ok(())
    })
}

/// Window `number`, hashed. Signal handlers run while it waits.
///
/// # Errors
/// Exceptions of signal handlers.
fn take<W: Work>(py: Python<'_>, exchange: &Exchange<W>, number: usize) -> PyResult<W> {
    let window = while_unsignalled(py, |go_on| exchange.take(number, go_on))?;
    window.ok_or_else(|| PyRuntimeError::new_err("hashing was cancelled"))
}

/// Windows that wait to be hashed, and hashed ones.
struct Exchange<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
    /// The digests are no longer wanted.
    cancelled: AtomicBool,
}

struct State<W> {
    waiting: VecDeque<(usize, W)>,
    /// Each with its result: whether the hash is complete, or a panic to resume in the calling
    /// thread.
    hashed: Vec<(usize, W, thread::Result<bool>)>,
    closed: bool,
}

impl<W: Work> Exchange<W> {
    fn new() -> Self {
        let state = State { waiting: VecDeque::new(), hashed: Vec::new(), closed: false };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // A poisoned lock is still consistent: nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<W>>) -> MutexGuard<'a, State<W>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a window. Returns the number of waiting windows.
    fn submit(&self, number: usize, window: W) -> usize {
        let mut state = self.lock();
        state.waiting.push_back((number, window));
        let backlog = state.waiting.len();
        drop(state);
        self.changed.notify_all();
        backlog
    }

    /// Hashes windows until the exchange is closed.
    fn help(&self) {
        let mut go_on = || !self.cancelled.load(Ordering::Relaxed);
        let mut state = self.lock();
        while !state.closed {
            state = match state.waiting.pop_front() {
                Some((number, window)) => self.hash(state, number, window, &mut go_on),
                None => self.wait(state),
            };
        }
    }

    /// Takes window `number`, which has been submitted, and hashes others until it is ready. `None`
    /// if `go_on` returned `false`.
    fn take(&self, number: usize, go_on: &mut dyn FnMut() -> bool) -> Option<W> {
        let mut state = self.lock();
        loop {
            if let Some(place) = state.hashed.iter().position(|hashed| hashed.0 == number) {
                let (_, window, result) = state.hashed.swap_remove(place);
                drop(state);
                return result.map_or_else(
                    |panic| resume_unwind(panic),
                    |is_complete| is_complete.then_some(window),
                );
            }
            if let Some((number, window)) = state.waiting.pop_front() {
                state = self.hash(state, number, window, go_on);
                continue;
            }
            let waited = self.changed.wait_timeout(state, PATIENCE);
            let timeout;
            (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() {
                drop(state);
                if !go_on() {
                    return None;
                }
                state = self.lock();
            }
        }
    }

    fn hash<'a>(
        &'a self,
        state: MutexGuard<'a, State<W>>,
        number: usize,
        mut window: W,
        go_on: &mut dyn FnMut() -> bool,
    ) -> MutexGuard<'a, State<W>> {
        drop(state);
        let mut is_complete = true;
        let mut go_on = || {
            is_complete = is_complete && go_on();
            is_complete
        };
        // Unwind safe, because a window that panicked is not used again.
        let result = catch_unwind(AssertUnwindSafe(|| window.hash(&mut go_on)));
        let result = result.map(|()| is_complete);
        let mut state = self.lock();
        state.hashed.push((number, window, result));
        self.changed.notify_all();
        state
    }
}

/// Closes the exchange when dropped.
struct Closing<'a, W: Work>(&'a Exchange<W>);

impl<W: Work> Drop for Closing<'_, W> {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}
