//! Digests as Python wants them: `bytes`, hexadecimal `str`, a NumPy array.

use std::collections::TryReserveError;
use std::ptr;

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::memory::Memory;

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
    /// Bytes of a digest, or digits.
    length: usize,
    to: To,
}

enum To {
    Bytes(List),
    Hex(List),
    /// The digests, one after the other.
    Array(Vec<u8>),
}

impl Digests {
    /// `expected` of them, or about as many, of `length` bytes.
    ///
    /// # Errors
    /// Without memory for as many.
    pub(crate) fn new(py: Python<'_>, out: Out, length: usize, expected: usize) -> PyResult<Self> {
        Ok(match out {
            Out::Bytes => Self { length, to: To::Bytes(List::new(py, expected)?) },
            Out::Hex => Self { length: 2 * length, to: To::Hex(List::new(py, expected)?) },
            Out::Numpy => {
                let mut flat = Vec::new();
                flat.try_reserve(expected.saturating_mul(length)).map_err(no_memory)?;
                Self { length, to: To::Array(flat) }
            }
        })
    }

    /// Adds digests, or digits of them, that lie one after the other.
    pub(crate) fn add(&mut self, py: Python<'_>, digests: &[u8]) -> PyResult<()> {
        let mut each = digests.chunks_exact(self.length);
        // SAFETY: attached, as `py` shows. What the functions return is ours, or null.
        unsafe {
            match &mut self.to {
                To::Bytes(list) => each.try_for_each(|digest| list.add(py, new_bytes(digest))),
                To::Hex(list) => each.try_for_each(|digits| list.add(py, new_ascii(digits))),
                To::Array(flat) => {
                    flat.try_reserve(digests.len()).map_err(no_memory)?;
                    flat.extend_from_slice(digests);
                    Ok(())
                }
            }
        }
    }

    /// A list, or an array of shape (digests, length).
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self.to {
            To::Bytes(list) | To::Hex(list) => list.finish(py),
            To::Array(flat) => array(py, flat, self.length),
        }
    }
}

fn no_memory(_: TryReserveError) -> PyErr {
    PyMemoryError::new_err("there is no memory for the digests")
}

/// An array of shape (digests, `length`) over digests that lie one after the other.
fn array(py: Python<'_>, digests: Vec<u8>, length: usize) -> PyResult<Bound<'_, PyAny>> {
    let memory = Bound::new(py, Memory::new(digests))?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (memory, numpy.getattr("uint8")?))?;
    flat.call_method1("reshape", (-1, length))
}

/// A list that is filled from the beginning on. Until it is full nobody else knows of it: not even
/// the garbage collector, which could show it to Python code with empty places.
struct List {
    list: *mut ffi::PyObject,
    places: usize,
    filled: usize,
}

impl List {
    /// With so many places, and more if they are needed.
    fn new(py: Python<'_>, places: usize) -> PyResult<Self> {
        // SAFETY: attached. The list is ours alone, and tracked, as all that the function makes.
        let list = unsafe {
            let list = ffi::PyList_New(isize::try_from(places)?);
            if list.is_null() {
                return Err(PyErr::fetch(py));
            }
            ffi::PyObject_GC_UnTrack(list.cast());
            list
        };
        Ok(Self { list, places, filled: 0 })
    }

    /// Adds a new reference.
    ///
    /// # Safety
    /// If it is not null, it is given away. If it is, an exception is set.
    #[inline]
    unsafe fn add(&mut self, py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<()> {
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: `PyList_SetItem` fills an empty place, and takes the reference.
        // `PyList_Append` makes a place, and a reference of its own.
        let result = unsafe {
            if self.filled < self.places {
                ffi::PyList_SetItem(self.list, self.filled as isize, object)
            } else {
                let result = ffi::PyList_Append(self.list, object);
                ffi::Py_DECREF(object);
                result
            }
        };
        if result != 0 {
            return Err(PyErr::fetch(py));
        }
        self.filled += 1;
        Ok(())
    }

    fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        // SAFETY: the empty places are removed, and the list is tracked once, by the collector. The
        // reference is ours to give away.
        unsafe {
            if self.filled < self.places {
                let (from, to) = (self.filled as isize, self.places as isize);
                if ffi::PyList_SetSlice(self.list, from, to, ptr::null_mut()) != 0 {
                    return Err(PyErr::fetch(py));
                }
            }
            let list = std::mem::ManuallyDrop::new(self).list;
            ffi::PyObject_GC_Track(list.cast());
            Ok(Bound::from_owned_ptr(py, list))
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: the reference is ours. A list may have empty places when it goes.
        Python::attach(|_| unsafe { ffi::Py_DECREF(self.list) });
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
    // SAFETY: attached.
    unsafe { new_ascii(text) }
}

/// A new `str`, or null without memory, with the exception set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
unsafe fn new_ascii(text: &[u8]) -> *mut ffi::PyObject {
    // SAFETY: so many bytes are there; a null pointer is for the default way to treat errors.
    unsafe { ffi::PyUnicode_DecodeLatin1(text.as_ptr().cast(), text.len() as isize, ptr::null()) }
}

/// Digests as threads that hash leave them for [`Digests::add`]: in hexadecimal, if wanted.
#[derive(Default)]
pub(crate) struct Written {
    digests: Vec<u8>,
    digits: Vec<u8>,
}

impl Written {
    /// Memory for `length` bytes of digests, and then, for `Out::Hex`, their digits.
    pub(crate) fn write(&mut self, out: Out, length: usize, write: impl FnOnce(&mut [u8])) {
        self.digests.resize(length, 0);
        write(&mut self.digests);
        if out == Out::Hex {
            self.digits.resize(2 * length, 0);
            hex(&self.digests, &mut self.digits);
        }
    }

    /// What was written.
    pub(crate) fn bytes(&self, out: Out) -> &[u8] {
        if out == Out::Hex { &self.digits } else { &self.digests }
    }
}

/// Hexadecimal digits of bytes, in lower case. `text` is twice as long.
fn hex(bytes: &[u8], text: &mut [u8]) {
    // Without a table, so that it is compiled to vectors.
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}
