//! Detection of forks: a child has copies of its parent's objects, but not its threads.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The number of forks between the original process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Called in the child after a fork.
#[pyfunction]
pub(crate) fn _forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which an object was created.
#[derive(Clone, Copy)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn this() -> Self {
        Self(FORKS.load(Ordering::Relaxed))
    }

    pub(crate) fn is_this(self) -> bool {
        self.0 == Self::this().0
    }

    /// # Errors
    /// If this is another process: locks that threads of the parent held would never be released.
    pub(crate) fn check(self, object: &str) -> PyResult<()> {
        if self.is_this() {
            return Ok(());
        }
        let message =
            format!("the {object} was created in the parent process; create one after the fork");
        Err(PyRuntimeError::new_err(message))
    }
}
