//! How many threads may work.

use std::thread;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The number of threads that an argument asks for: by default as many as the process may use.
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
