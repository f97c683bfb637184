//! Which process this is: after a fork, a child has the objects of its parent but not its threads.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often this process was forked off another.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Called in the child after a fork.
#[pyfunction]
fn _forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which an object was made.
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
    /// If it is not this process. What threads of the parent held is never given back.
    pub(crate) fn check(self, object: &str) -> PyResult<()> {
        if self.is_this() {
            return Ok(());
        }
        let message =
            format!("the {object} was made in the parent process: make one after the fork");
        Err(PyRuntimeError::new_err(message))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_forked, module)?)
}
