//! Errors of columns as Python exceptions.

use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The Python exception for a column that cannot be hashed.
pub(super) fn wrong_type(error: hashlanes_arrow::Error) -> PyErr {
    use hashlanes_arrow::Error::{NoMemory, NotBytes, NotFramed};
    match error {
        NoMemory { .. } => PyMemoryError::new_err(error.to_string()),
        NotBytes(_) | NotFramed(_) => PyTypeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
