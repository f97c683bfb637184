//! Conversion of digests to `bytes`, hexadecimal `str` or a NumPy array.

use std::collections::TryReserveError;
use std::mem::MaybeUninit;
use std::ptr;

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::memory::Memory;

/// The output format of digests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Bytes,
    Hex,
    Numpy,
}

impl Out {
    /// # Errors
    /// If there is no such format, or if NumPy is requested but not installed.
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

/// The digests of one call. They have equal lengths and are added in order.
pub(crate) struct Digests {
    /// Bytes of a digest, or hexadecimal digits.
    length: usize,
    to: To,
}

enum To {
    Bytes(List),
    Hex(List),
    /// The concatenated digests.
    Array(Vec<u8>),
}

impl Digests {
    /// Room for about `expected` digests of `length` bytes.
    ///
    /// # Errors
    /// If there is not enough memory for them.
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

    /// Adds concatenated digests, or their hexadecimal digits.
    pub(crate) fn add(&mut self, py: Python<'_>, digests: &[u8]) -> PyResult<()> {
        let mut each = digests.chunks_exact(self.length);
        // SAFETY: `py` shows that the thread is attached. `new_bytes` and `new_ascii` return a new
        // reference or null, as `List::add` requires.
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
    PyMemoryError::new_err("not enough memory for the digests")
}

/// An array of shape (digests, `length`) over concatenated digests.
fn array(py: Python<'_>, digests: Vec<u8>, length: usize) -> PyResult<Bound<'_, PyAny>> {
    let memory = Bound::new(py, Memory::new(digests))?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (memory, numpy.getattr("uint8")?))?;
    flat.call_method1("reshape", (-1, length))
}

/// A list under construction. Nothing else can reach it until it is finished. The garbage collector
/// could show it to Python code while it has empty slots, so it is untracked.
struct List {
    list: *mut ffi::PyObject,
    places: usize,
    filled: usize,
}

impl List {
    /// A list with `places` slots. It grows if more are needed.
    fn new(py: Python<'_>, places: usize) -> PyResult<Self> {
        // SAFETY: `py` shows that the thread is attached. `PyList_New` returns a tracked list that
        // nothing else refers to yet.
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

    /// Adds an object and takes over the reference to it.
    ///
    /// # Safety
    /// `object` is a new reference, or null with an exception set.
    #[inline]
    unsafe fn add(&mut self, py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<()> {
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: `py` shows that the thread is attached, and `# Safety` above asks the caller for
        // a new reference, which is not null. `PyList_SetItem` fills an empty slot and steals the
        // reference. `PyList_Append` takes its own reference, so ours is released.
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
        // SAFETY: `py` shows that the thread is attached. The slice removes the empty slots before
        // the list is tracked again, exactly once. `ManuallyDrop` lets the returned object take
        // over our reference.
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
        // SAFETY: the thread is attached, and the reference is ours. A list may be deallocated with
        // empty slots.
        Python::attach(|_| unsafe { ffi::Py_DECREF(self.list) });
    }
}

/// A new `bytes` object of any length, which `fill` fills from its beginning to its end.
///
/// # Errors
/// Those of `fill`, and MemoryError.
pub(crate) fn filled<'py>(
    py: Python<'py>,
    length: usize,
    fill: impl FnOnce(&mut Unfilled<'_>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    let size = isize::try_from(length)?;
    // SAFETY: `py` shows that the thread is attached. Without bytes to copy, the function returns a
    // new object of this size, or null with an exception set.
    let bytes = unsafe {
        let bytes = ffi::PyBytes_FromStringAndSize(ptr::null(), size);
        Bound::from_owned_ptr_or_err(py, bytes)?.cast_into_unchecked::<PyBytes>()
    };
    // SAFETY: nothing else refers to the object yet, so its bytes may be written. They are as many
    // as it was made with, and live as long as it does.
    let places = unsafe {
        let data = ffi::PyBytes_AsString(bytes.as_ptr());
        std::slice::from_raw_parts_mut(data.cast::<MaybeUninit<u8>>(), length)
    };
    let mut unfilled = Unfilled(places);
    fill(&mut unfilled)?;
    assert!(unfilled.0.is_empty(), "a bytes object is filled");
    Ok(bytes)
}

/// The bytes of an object that have not been written yet.
pub(crate) struct Unfilled<'a>(&'a mut [MaybeUninit<u8>]);

impl Unfilled<'_> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Writes the next bytes. Panics if there are too many.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let places = self.0.split_off_mut(..bytes.len()).expect("a place for each byte");
        for (place, byte) in places.iter_mut().zip(bytes) {
            place.write(*byte);
        }
    }
}

/// A new `bytes` object, or null with `MemoryError` set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
pub(crate) unsafe fn new_bytes(digest: &[u8]) -> *mut ffi::PyObject {
    // SAFETY: `# Safety` above asks the caller for an attached thread. The pointer and the length
    // are those of a slice, which is copied.
    unsafe { ffi::PyBytes_FromStringAndSize(digest.as_ptr().cast(), digest.len() as isize) }
}

/// A new `str` of a digest in hexadecimal, or null with `MemoryError` set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
pub(crate) unsafe fn new_hex(digest: &[u8]) -> *mut ffi::PyObject {
    let mut text = [0; 128];
    let text = &mut text[..2 * digest.len()];
    hex(digest, text);
    // SAFETY: `# Safety` above asks the caller for an attached thread.
    unsafe { new_ascii(text) }
}

/// A new `str`, or null with `MemoryError` set.
///
/// # Safety
/// The thread is attached to the interpreter.
#[inline]
unsafe fn new_ascii(text: &[u8]) -> *mut ffi::PyObject {
    // SAFETY: `# Safety` above asks the caller for an attached thread. The pointer and the length
    // are those of a slice, and a null `errors` pointer selects the default error handler.
    unsafe { ffi::PyUnicode_DecodeLatin1(text.as_ptr().cast(), text.len() as isize, ptr::null()) }
}

/// Buffers that hashing threads fill for [`Digests::add`]: the digests, and their hexadecimal
/// digits on request.
#[derive(Default)]
pub(crate) struct Written {
    digests: Vec<u8>,
    digits: Vec<u8>,
}

impl Written {
    /// Lets `write` fill `length` bytes of digests, and converts them for `Out::Hex`.
    pub(crate) fn write(&mut self, out: Out, length: usize, write: impl FnOnce(&mut [u8])) {
        self.digests.resize(length, 0);
        write(&mut self.digests);
        if out == Out::Hex {
            self.digits.resize(2 * length, 0);
            hex(&self.digests, &mut self.digits);
        }
    }

    /// The digests, or their digits for `Out::Hex`.
    pub(crate) fn bytes(&self, out: Out) -> &[u8] {
        if out == Out::Hex { &self.digits } else { &self.digests }
    }
}

/// Writes `bytes` as lower-case hexadecimal digits. `text` must be twice as long.
fn hex(bytes: &[u8], text: &mut [u8]) {
    // Arithmetic instead of a lookup table, so that the compiler vectorises it.
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}
