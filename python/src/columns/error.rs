//! Errors of columns as Python exceptions.

use arrow_schema::DataType;
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

/// Fails for Python objects of polars. It exports their addresses, in bytes of a type that no other
/// column of its own has.
pub(super) fn refuse_objects(of: &Bound<'_, PyAny>, data_type: &DataType) -> PyResult<()> {
    let is_polars = |class: Bound<'_, PyAny>| {
        class.getattr("__module__").is_ok_and(|name| name.to_string().starts_with("polars."))
    };
    if matches!(data_type, DataType::FixedSizeBinary(_))
        && of.get_type().mro().iter().any(is_polars)
    {
        return Err(PyTypeError::new_err(
            "a column of polars' type Object has no bytes to hash, only addresses of objects of \
             Python: expected a type such as String or Binary",
        ));
    }
    Ok(())
}
