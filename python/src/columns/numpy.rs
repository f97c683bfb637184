//! Digests of NumPy arrays.

use arrow_array::ArrayRef;
use hashlanes_arrow::{ColumnHasher, DigestBuilder};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::error::wrong_type;
use crate::messages::input::Buffer;

/// Bytes copied at a time. Other threads may write to a NumPy array while it is hashed, so its rows
/// are copied first.
const WINDOW: usize = 1 << 20;

/// The digests of the values of an array of type S or V, or of the rows of a uint8 array.
pub(super) fn digest(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    hasher: &ColumnHasher,
) -> PyResult<ArrayRef> {
    let layout = Layout::of(array)?;
    if is_masked(array)? {
        return Err(PyTypeError::new_err(
            "digest_array does not take masked NumPy arrays; use an Arrow array with nulls",
        ));
    }
    let buffer = Buffer::new(array).map_err(|_| {
        let reason = "digest_array requires a contiguous NumPy array; use numpy.ascontiguousarray";
        PyValueError::new_err(reason)
    })?;
    if buffer.len() != layout.rows * layout.length {
        return Err(PyValueError::new_err("the shape of the NumPy array changed during the call"));
    }
    py.detach(|| layout.digest(&buffer, hasher))
}

fn is_masked(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let masked = array.py().import("numpy.ma")?.getattr("MaskedArray")?;
    array.is_instance(&masked)
}

/// Rows of equal length.
struct Layout {
    rows: usize,
    length: usize,
    /// NumPy pads values of type S with zeros, and strips trailing zeros when it reads them.
    strips_zeros: bool,
}

impl Layout {
    fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let not_numpy = |_| {
            let name =
                array.get_type().name().map_or_else(|_| "this".to_owned(), |n| n.to_string());
            PyTypeError::new_err(format!(
                "digest_array takes an object with the Arrow PyCapsule interface, or a NumPy \
                 array, not {name}; digest_many takes a list"
            ))
        };
        let dtype = array.getattr("dtype").map_err(not_numpy)?;
        let kind: String = dtype.getattr("kind").and_then(|k| k.extract()).map_err(not_numpy)?;
        let item: usize = dtype.getattr("itemsize").and_then(|i| i.extract()).map_err(not_numpy)?;
        let shape: Vec<usize> =
            array.getattr("shape").and_then(|shape| shape.extract()).map_err(not_numpy)?;
        match (kind.as_str(), item, shape.as_slice()) {
            ("S", length, &[rows]) => Ok(Self { rows, length, strips_zeros: true }),
            ("V", length, &[rows]) => Ok(Self { rows, length, strips_zeros: false }),
            ("u", 1, &[rows, length]) => Ok(Self { rows, length, strips_zeros: false }),
            _ => Err(PyTypeError::new_err(format!(
                "digest_array takes NumPy arrays of type S or V with one dimension, or uint8 with \
                 two, not {dtype} with {}",
                shape.len()
            ))),
        }
    }

    /// Copies and hashes a window of rows at a time.
    fn digest(&self, buffer: &Buffer, hasher: &ColumnHasher) -> PyResult<ArrayRef> {
        let mut digests = DigestBuilder::new(hasher.algorithm(), hasher.output_kind());
        digests.reserve(self.rows).map_err(wrong_type)?;
        let step = (WINDOW / self.length.max(1)).max(1);
        let mut window = Vec::new();
        for start in (0..self.rows).step_by(step) {
            let rows = step.min(self.rows - start);
            window.resize(rows * self.length, 0);
            buffer.read(start * self.length, &mut window);
            let messages: Vec<_> = (0..rows)
                .map(|row| self.message(&window[row * self.length..(row + 1) * self.length]))
                .collect();
            digests.append(&messages);
        }
        digests.finish().map_err(wrong_type)
    }

    fn message<'a>(&self, value: &'a [u8]) -> &'a [u8] {
        if !self.strips_zeros {
            return value;
        }
        let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        &value[..end]
    }
}
