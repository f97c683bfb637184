//! Who has the turn to use an object: one thread at a time.
//!
//! Unlike a mutex it knows its owner. A thread that has the turn already, and asks for it again
//! from a signal handler, a finaliser or `__eq__`, gets an error instead of waiting for itself. So
//! does a child process if the owner was another thread of its parent.

#![forbid(unsafe_code)]

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::process::Process;

/// How long to wait before signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(crate) struct Turn {
    /// Locked for moments only, never while Python code runs.
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    owner: Option<Owner>,
    waiting: usize,
}

struct Owner {
    thread: ThreadId,
    process: Process,
}

impl Turn {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the turn when it is free. Other threads run meanwhile.
    ///
    /// # Errors
    /// If it will not become free, and those of signal handlers.
    pub(crate) fn take(&self, py: Python<'_>) -> PyResult<Taken<'_>> {
        loop {
            if self.try_take()? {
                return Ok(Taken(self));
            }
            py.detach(|| self.wait());
            py.check_signals()?;
        }
    }

    fn try_take(&self) -> PyResult<bool> {
        let this = Owner { thread: thread::current().id(), process: Process::this() };
        let mut state = self.lock();
        match &state.owner {
            None => state.owner = Some(this),
            Some(owner) if owner.thread == this.thread => {
                return Err(PyRuntimeError::new_err(
                    "the object is in use by this thread: a signal handler, a finaliser or a \
                     key's __eq__ cannot use it before that call returns",
                ));
            }
            Some(owner) if !owner.process.is_this() => {
                return Err(PyRuntimeError::new_err(
                    "the object was in use by another thread when the process was forked",
                ));
            }
            Some(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Waits a moment for the turn to become free.
    fn wait(&self) {
        let mut state = self.lock();
        state.waiting += 1;
        let is_taken = |state: &mut State| state.owner.is_some();
        let waited = self.freed.wait_timeout_while(state, PATIENCE, is_taken);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiting -= 1;
    }

    fn free(&self) {
        let mut state = self.lock();
        state.owner = None;
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.freed.notify_one();
        }
    }
}

/// The turn, until this is dropped.
pub(crate) struct Taken<'a>(&'a Turn);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.free();
    }
}

/// The same for classes of Python, in a `with` block.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Turn")]
#[derive(Default)]
pub(crate) struct PyTurn(Turn);

#[pymethods]
impl PyTurn {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        // It stays taken until `__exit__`.
        self.0.take(py).map(std::mem::forget)
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyTuple>) {
        self.0.free();
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTurn>()
}
