//! Digests as Python wants them: `bytes`, hexadecimal `str`, a NumPy array.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// What digests become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Bytes,
    Hex,
    Numpy,
}

impl Out {
    pub(crate) fn from_name(name: &str) -> PyResult<Self> {
        match name {
            "bytes" => Ok(Self::Bytes),
            "hex" => Ok(Self::Hex),
            "numpy" => Ok(Self::Numpy),
            _ => {
                let message = format!("out must be 'bytes', 'hex' or 'numpy', not {name:?}");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// The digests of a call, of one length, as they come.
pub(crate) struct Digests {
    out: Out,
    length: usize,
    /// `bytes` or `str` objects.
    objects: Vec<Py<PyAny>>,
    /// For a NumPy array: the digests, one after the other.
    flat: Vec<u8>,
}

impl Digests {
    /// `expected` of them, or about as many.
    pub(crate) fn new(out: Out, length: usize, expected: usize) -> Self {
        let (objects, flat) = match out {
            Out::Numpy => (0, expected.saturating_mul(length)),
            _ => (expected, 0),
        };
        Self { out, length, objects: Vec::with_capacity(objects), flat: Vec::with_capacity(flat) }
    }

    /// Adds digests that lie one after the other.
    pub(crate) fn add(&mut self, py: Python<'_>, digests: &[u8]) -> PyResult<()> {
        let each = digests.chunks_exact(self.length);
        match self.out {
            Out::Bytes => {
                self.objects.extend(each.map(|digest| PyBytes::new(py, digest).into_any().unbind()))
            }
            Out::Hex => self.objects.extend(each.map(|digest| hex(py, digest).into_any().unbind())),
            Out::Numpy => self.flat.extend_from_slice(digests),
        }
        Ok(())
    }

    /// A list, or an array of shape (digests, length).
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self.out {
            Out::Bytes | Out::Hex => list(py, self.objects),
            Out::Numpy => Ok(PyBytes::new(py, &self.flat).into_any()),
        }
    }
}

/// A list of objects that are given away.
fn list(py: Python<'_>, objects: Vec<Py<PyAny>>) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyList::new(py, objects)?.into_any())
}

/// A digest in hexadecimal, as a `str`.
pub(crate) fn hex<'py>(py: Python<'py>, digest: &[u8]) -> Bound<'py, PyString> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 128];
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(digest) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    let text = &text[..2 * digest.len()];
    // SAFETY: ASCII digits; a new string is returned, or null without memory, which panics.
    unsafe {
        let string = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize);
        Bound::from_owned_ptr(py, string).cast_into_unchecked()
    }
}
