//! Digests in an array as Python objects.

use arrow_array::cast::AsArray;
use arrow_array::{Array, downcast_dictionary_array};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The digest in row `row`: `bytes`, `str` or None.
pub(super) fn value<'py>(
    py: Python<'py>,
    array: &dyn Array,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    downcast_dictionary_array!(
        array => match array.key(row) {
            Some(key) => value(py, array.values(), key),
            None => Ok(py.None().into_bound(py)),
        },
        DataType::FixedSizeBinary(_) => {
            Ok(PyBytes::new(py, array.as_fixed_size_binary().value(row)).into_any())
        }
        DataType::Utf8 => Ok(PyString::new(py, array.as_string::<i32>().value(row)).into_any()),
        other => Err(PyTypeError::new_err(format!("not a type of digests: {other}"))),
    )
}

/// The Arrow name of a digest type: `fixed_size_binary[32]`, `string`.
pub(super) fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::FixedSizeBinary(length) => format!("fixed_size_binary[{length}]"),
        DataType::Utf8 => "string".to_owned(),
        DataType::Dictionary(keys, values) => {
            let keys = keys.to_string().to_lowercase();
            format!("dictionary<values={}, indices={keys}>", type_name(values))
        }
        other => other.to_string(),
    }
}
