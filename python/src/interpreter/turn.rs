//! A mutex that knows its owner.
//!
//! A thread that already holds it, and asks for it again from a signal handler, a finaliser or
//! `__eq__`, gets an error instead of a deadlock. So does a child process, if the owner is another
//! thread of its parent.

#![forbid(unsafe_code)]

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::process::Process;
use super::steps::PATIENCE;

#[derive(Default)]
pub(crate) struct Turn {
    /// Held only briefly, never while Python code runs.
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
        // A poisoned lock is still consistent: nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the turn is free, and takes it. Other threads run in the meantime.
    ///
    /// # Errors
    /// If the turn will never become free, and exceptions of signal handlers.
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

    /// Waits until the turn is free, for at most [`PATIENCE`].
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

/// A guard that frees the turn when dropped.
pub(crate) struct Taken<'a>(&'a Turn);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.free();
    }
}

/// The same mutex for Python classes, as a context manager.
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
        // The guard is forgotten; `__exit__` frees the turn.
        self.0.take(py).map(std::mem::forget)
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyTuple>) {
        self.0.free();
    }
}
