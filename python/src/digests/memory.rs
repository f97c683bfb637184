//! Memory allocated in Rust and exported as a Python buffer. It backs a NumPy array of digests.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Bytes that are accessed only through the buffer protocol.
#[pyclass(frozen, module = "hashlanes")]
pub(crate) struct Memory {
    data: *mut u8,
    length: usize,
    capacity: usize,
}

// SAFETY: Rust code never accesses the bytes after construction. Python accesses them through the
// buffer protocol, with the same rules as for a `bytearray`.
unsafe impl Send for Memory {}
// SAFETY: as for `Send`.
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
            return Err(PyBufferError::new_err("no Py_buffer to fill"));
        }
        let (data, length) = (slf.get().data.cast::<c_void>(), slf.get().length as isize);
        // SAFETY: `data` and `length` describe the vector's bytes, which live as long as the
        // object. The buffer holds a reference to the object.
        match unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data, length, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `new` took these three parts from a vector. Each buffer holds a reference to this
        // object, so none is left.
        drop(unsafe { Vec::from_raw_parts(self.data, self.length, self.capacity) });
    }
}
