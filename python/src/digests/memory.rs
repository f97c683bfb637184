//! Bytes that were made here, as a buffer for Python: what a NumPy array of digests lies in.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Bytes that may be read and written through the buffer, and by nothing else.
#[pyclass(frozen, module = "hashlanes")]
pub(crate) struct Memory {
    data: *mut u8,
    length: usize,
    capacity: usize,
}

// SAFETY: the bytes are reached by the buffer protocol only, as those of a `bytearray` are.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        let (data, length, capacity) = (bytes.as_mut_ptr(), bytes.len(), bytes.capacity());
        Self { data, length, capacity }
    }
}

#[pymethods]
impl Memory {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no place for the buffer"));
        }
        let (data, length) = (slf.get().data.cast::<c_void>(), slf.get().length as isize);
        // SAFETY: so many bytes are there as long as the object, to which the buffer refers.
        match unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data, length, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the parts of a vector that was taken apart, and no buffer refers to it any more.
        drop(unsafe { Vec::from_raw_parts(self.data, self.length, self.capacity) });
    }
}
