//! Restricts the module to one interpreter per process.
//!
//! Its types and constants exist only once. Since Python 3.12 the interpreter asks whether a module
//! supports subinterpreters, and PyO3 answers that it does not. Older versions do not ask.

use std::sync::atomic::{AtomicI64, Ordering};

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The ID of the first interpreter that imported the module, or -1.
static FIRST: AtomicI64 = AtomicI64::new(-1);

/// # Errors
/// If another interpreter has imported the module.
pub(crate) fn check(_: Python<'_>) -> PyResult<()> {
    // SAFETY: `Python` shows that the thread is attached to an interpreter.
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
