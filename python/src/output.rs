//! Digests as Python wants them: `bytes`, hexadecimal `str`, a NumPy array.

use std::ptr;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::memory::Memory;

/// What digests become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Bytes,
    Hex,
    Numpy,
}

impl Out {
    /// # Errors
    /// If there is no such output, or NumPy is wanted and not there.
    pub(crate) fn from_name(py: Python<'_>, name: &str) -> PyResult<Self> {
        match name {
            "bytes" => Ok(Self::Bytes),
            "hex" => Ok(Self::Hex),
            "numpy" => py.import("numpy").map(|_| Self::Numpy),
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
    objects: Objects,
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
        Self {
            out,
            length,
            objects: Objects(Vec::with_capacity(objects)),
            flat: Vec::with_capacity(flat),
        }
    }

    /// Adds digests that lie one after the other.
    pub(crate) fn add(&mut self, py: Python<'_>, digests: &[u8]) -> PyResult<()> {
        let each = digests.chunks_exact(self.length);
        match self.out {
            // SAFETY: attached, as `py` shows. What the functions return is ours, or null.
            Out::Bytes => unsafe { self.objects.add(py, each.map(|digest| new_bytes(digest)))? },
            // SAFETY: as above.
            Out::Hex => unsafe { self.objects.add(py, each.map(|digest| new_hex(digest)))? },
            Out::Numpy => self.flat.extend_from_slice(digests),
        }
        Ok(())
    }

    /// A list, or an array of shape (digests, length).
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self.out {
            Out::Bytes | Out::Hex => self.objects.list(py),
            Out::Numpy => array(py, self.flat, self.length),
        }
    }
}

/// An array of shape (digests, `length`) over digests that lie one after the other.
fn array(py: Python<'_>, digests: Vec<u8>, length: usize) -> PyResult<Bound<'_, PyAny>> {
    let memory = Bound::new(py, Memory::new(digests))?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (memory, numpy.getattr("uint8")?))?;
    flat.call_method1("reshape", (-1, length))
}

/// References to objects that become a list.
struct Objects(Vec<*mut ffi::PyObject>);

impl Objects {
    /// Adds new references.
    ///
    /// # Safety
    /// Those that are not null are given away.
    unsafe fn add(
        &mut self,
        py: Python<'_>,
        objects: impl Iterator<Item = *mut ffi::PyObject>,
    ) -> PyResult<()> {
        for object in objects {
            if object.is_null() {
                return Err(PyErr::fetch(py));
            }
            self.0.push(object);
        }
        Ok(())
    }

    /// The list. It is made at the end, so that nobody finds one with empty places.
    fn list(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        // SAFETY: a new list, or null with the exception set, that has a place for each object.
        // Each place is filled once, with a reference that is ours to give away.
        unsafe {
            let list = ffi::PyList_New(self.0.len() as isize);
            let list = Bound::from_owned_ptr_or_err(py, list)?;
            for (place, object) in self.0.drain(..).enumerate() {
                ffi::PyList_SetItem(list.as_ptr(), place as isize, object);
            }
            Ok(list)
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            // SAFETY: the references are ours.
            Python::attach(|_| self.0.iter().for_each(|&object| unsafe { ffi::Py_DECREF(object) }));
        }
    }
}

/// A new `bytes` object, or null without memory, with the exception set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
pub(crate) unsafe fn new_bytes(digest: &[u8]) -> *mut ffi::PyObject {
    // SAFETY: so many bytes are there.
    unsafe { ffi::PyBytes_FromStringAndSize(digest.as_ptr().cast(), digest.len() as isize) }
}

/// A new `str` of a digest in hexadecimal, or null without memory, with the exception set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
pub(crate) unsafe fn new_hex(digest: &[u8]) -> *mut ffi::PyObject {
    let mut text = [0; 128];
    let text = &mut text[..2 * digest.len()];
    hex(digest, text);
    // SAFETY: so many bytes are there; a null pointer is for the default way to treat errors.
    unsafe { ffi::PyUnicode_DecodeLatin1(text.as_ptr().cast(), text.len() as isize, ptr::null()) }
}

/// Hexadecimal digits of bytes, in lower case. `text` is twice as long.
fn hex(bytes: &[u8], text: &mut [u8]) {
    // Without a table, so that it is compiled to vectors.
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}
