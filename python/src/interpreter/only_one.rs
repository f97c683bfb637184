//! One interpreter of the process may have the module.
//!
//! Its types and constants exist once. From 3.12 on the interpreter asks whether a module can be
//! imported by others, and PyO3 answers that it cannot. Before that nobody asks.

use std::sync::atomic::{AtomicI64, Ordering};

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The interpreter that imported the module first. No interpreter has the number -1.
static FIRST: AtomicI64 = AtomicI64::new(-1);

/// # Errors
/// If another interpreter has the module.
pub(crate) fn check(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the thread is attached to an interpreter.
    let this = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match FIRST.compare_exchange(-1, this, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != this => {
            let message = "hashlanes does not support subinterpreters: another interpreter of \
                           this process has imported it";
            Err(PyImportError::new_err(message))
        }
        _ => Ok(()),
    }
}
