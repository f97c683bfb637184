//! Windows through three stages: the calling thread gathers messages and makes Python objects of
//! digests, which need the interpreter. Between the two, other threads hash.
//!
//! There are at most [`AHEAD`] windows for each thread, so memory is bounded. When as many are
//! under way, the calling thread hashes too, or waits. The threads end with the call.

#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Windows under way for each thread.
const AHEAD: usize = 2;

/// How long to wait for another thread before signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Something that is hashed without the interpreter.
pub(crate) trait Work: Send {
    /// Work that takes long asks from time to time whether to go on. If not, it ends early, and
    /// nobody wants the digests.
    fn hash(&mut self, go_on: &mut dyn FnMut() -> bool);
}

/// Where windows come from and go to: the parts that need the interpreter.
pub(crate) trait Ends<W> {
    /// The next window, in memory of an old one if there is some. `None` at the end.
    fn gather(&mut self, py: Python<'_>, spare: Option<W>) -> PyResult<Option<W>>;

    /// Takes the digests of a window, which come in the order of the windows, and gives its memory
    /// back.
    fn deliver(&mut self, py: Python<'_>, window: W) -> PyResult<W>;
}

/// Brings all windows through, with `threads` threads at most, the calling one included.
///
/// # Errors
/// Those of the ends, and of a handler of signals.
pub(crate) fn run<W: Work>(
    py: Python<'_>,
    threads: usize,
    ends: &mut impl Ends<W>,
) -> PyResult<()> {
    let exchange = Exchange::new();
    thread::scope(|scope| {
        // Ends the threads also when an error is returned.
        let _closing = Closing(&exchange);
        let mut helpers = 0;
        let (mut begun, mut delivered) = (0, 0);
        let mut spare = None;
        let mut more = true;
        while more || delivered < begun {
            if more && begun - delivered < AHEAD * threads {
                match ends.gather(py, spare.take())? {
                    Some(window) => {
                        let backlog = exchange.submit(begun, window);
                        begun += 1;
                        // Each is begun when there is work for it. If the system has no more
                        // threads, there are fewer.
                        if backlog > 1 && helpers + 1 < threads {
                            let helper = thread::Builder::new();
                            if helper.spawn_scoped(scope, || exchange.help()).is_ok() {
                                helpers += 1;
                            }
                        }
                        continue;
                    }
                    None => more = false,
                }
            }
            if delivered < begun {
                let window = take(py, &exchange, delivered)?;
                spare = Some(ends.deliver(py, window)?);
                delivered += 1;
                py.check_signals()?;
            }
        }
        Ok(())
    })
}

/// The window with this number, hashed.
///
/// # Errors
/// Those of signal handlers, which run meanwhile.
fn take<W: Work>(py: Python<'_>, exchange: &Exchange<W>, number: usize) -> PyResult<W> {
    let mut checked = Ok(());
    let window = py.detach(|| {
        let mut go_on = || {
            if checked.is_ok() {
                checked = Python::attach(|py| py.check_signals());
            }
            checked.is_ok()
        };
        exchange.take(number, &mut go_on)
    });
    checked?;
    window.ok_or_else(|| PyRuntimeError::new_err("the hashing was given up"))
}

/// Windows that wait to be hashed, and those that are.
struct Exchange<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
    /// Nobody wants digests any more.
    given_up: AtomicBool,
}

struct State<W> {
    waiting: VecDeque<(usize, W)>,
    /// With what hashing it ended: whether it is complete, or a panic, which goes on in the calling
    /// thread.
    hashed: Vec<(usize, W, thread::Result<bool>)>,
    closed: bool,
}

impl<W: Work> Exchange<W> {
    fn new() -> Self {
        let state = State { waiting: VecDeque::new(), hashed: Vec::new(), closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), given_up: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<W>>) -> MutexGuard<'a, State<W>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a window. Returns how many wait.
    fn submit(&self, number: usize, window: W) -> usize {
        let mut state = self.lock();
        state.waiting.push_back((number, window));
        let backlog = state.waiting.len();
        drop(state);
        self.changed.notify_all();
        backlog
    }

    /// Hashes windows until it is closed.
    fn help(&self) {
        let mut go_on = || !self.given_up.load(Ordering::Relaxed);
        let mut state = self.lock();
        while !state.closed {
            state = match state.waiting.pop_front() {
                Some((number, window)) => self.hash(state, number, window, &mut go_on),
                None => self.wait(state),
            };
        }
    }

    /// The window with this number, which was submitted. Hashes others until it is there. `None` if
    /// it was not to go on.
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
        // A window that panicked is not used any more.
        let result = catch_unwind(AssertUnwindSafe(|| window.hash(&mut go_on)));
        let result = result.map(|()| is_complete);
        let mut state = self.lock();
        state.hashed.push((number, window, result));
        self.changed.notify_all();
        state
    }
}

/// Closes when dropped.
struct Closing<'a, W: Work>(&'a Exchange<W>);

impl<W: Work> Drop for Closing<'_, W> {
    fn drop(&mut self) {
        self.0.given_up.store(true, Ordering::Relaxed);
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}
