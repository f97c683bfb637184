//! The `threads` argument.

use std::thread;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Number of threads that an argument requests. The default is the parallelism available to the
/// process.
///
/// # Errors
/// If it is not positive.
pub(crate) fn count(argument: Option<isize>) -> PyResult<usize> {
    match argument {
        None => Ok(thread::available_parallelism().map_or(1, usize::from)),
        Some(threads @ 1..) => Ok(threads.unsigned_abs()),
        Some(threads) => {
            let message = format!("threads must be at least 1, not {threads}");
            Err(PyValueError::new_err(message))
        }
    }
}
