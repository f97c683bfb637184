//! Messages: `bytes` and `str`, which never change, and other buffers, which may.
//!
//! Python code, C code and other processes can write to a `bytearray`, an array or a mapped file
//! while it is hashed: in other threads, as long as this one is detached from the interpreter. A
//! Rust slice of such memory would be undefined behaviour. So there is none: [`Buffer::read`]
//! copies from it by atomic loads to private memory, and that is hashed. What is written meanwhile
//! may be in the digest or not.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

/// The bytes of one argument, for the time of a call.
pub(crate) enum Input<'a> {
    /// Of a `bytes` object, which the caller holds.
    Bytes(&'a [u8]),
    Buffer(Buffer),
}

impl<'a> Input<'a> {
    /// As hashlib takes it: any buffer, but no text.
    pub(crate) fn of_hashlib(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        match bytes(object) {
            Some(bytes) => Ok(Self::Bytes(bytes)),
            None => Buffer::of_hashlib(object).map(Self::Buffer),
        }
    }

    /// As hashlib takes it, and also arrays of several dimensions, if they are contiguous.
    pub(crate) fn of_many_dimensions(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        match bytes(object) {
            Some(bytes) => Ok(Self::Bytes(bytes)),
            None => Buffer::checked(object).map(Self::Buffer),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Buffer(buffer) => buffer.len(),
        }
    }
}

/// The content of a `bytes` object. It never changes, and stays as long as the object.
#[inline]
pub(crate) fn bytes<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    let object = object.as_ptr();
    // SAFETY: the object is alive. The functions are called for a `bytes` object only, so they
    // succeed. Its content does not change, and the borrow keeps the object.
    unsafe {
        if ffi::PyBytes_Check(object) == 0 {
            return None;
        }
        let (data, length) = (ffi::PyBytes_AsString(object), ffi::PyBytes_Size(object));
        Some(slice::from_raw_parts(data.cast(), length as usize))
    }
}

/// The content of an object whose class is `bytes` and no subclass.
///
/// # Safety
/// The object is alive as long as the borrow, and the thread attached to the interpreter.
#[inline]
pub(crate) unsafe fn exact_bytes(object: &*mut ffi::PyObject) -> Option<&[u8]> {
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the object is alive. The second function is called for a `bytes` object only, so it
    // succeeds. Its content does not change and stays as long as the object.
    unsafe {
        if ffi::PyBytes_CheckExact(*object) == 0 {
            return None;
        }
        ffi::PyBytes_AsStringAndSize(*object, &raw mut data, &raw mut length);
        Some(slice::from_raw_parts(data.cast(), length as usize))
    }
}

/// An exported buffer: the exporter can neither free nor resize it until this is dropped.
pub(crate) struct Buffer {
    /// Boxed, as exporters may keep pointers into it.
    view: Box<ffi::Py_buffer>,
    shared: PhantomData<*const u8>,
}

// SAFETY: what the view points to stays until the buffer is released. It is read by atomic loads
// only, from any thread. It is released by a thread that is attached to the interpreter.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// As hashlib gets one, with its errors.
    pub(crate) fn of_hashlib(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = Self::checked(object)?;
        if buffer.view.ndim > 1 {
            return Err(PyBufferError::new_err("Buffer must be single dimension"));
        }
        Ok(buffer)
    }

    /// As [`new`](Self::new), with hashlib's errors for what is no buffer.
    fn checked(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // SAFETY: the object is alive.
        if unsafe { ffi::PyUnicode_Check(object.as_ptr()) } != 0 {
            return Err(PyTypeError::new_err("Strings must be encoded before hashing"));
        }
        if !Self::is_exported_by(object) {
            return Err(PyTypeError::new_err("object supporting the buffer API required"));
        }
        Self::new(object)
    }

    /// Whether an object exports buffers.
    pub(crate) fn is_exported_by(object: &Bound<'_, PyAny>) -> bool {
        // SAFETY: the object is alive.
        unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
    }

    /// The bytes of any object that exports contiguous ones.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive, and `view` is for the function to fill.
        let result: c_int =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_SIMPLE) };
        if result == 0 {
            Ok(Self { view, shared: PhantomData })
        } else {
            // An exporter that fails leaves nothing to release.
            Err(PyErr::fetch(object.py()))
        }
    }

    pub(crate) fn len(&self) -> usize {
        // Exporters give no negative length.
        self.view.len as usize
    }

    /// Copies `to.len()` bytes from place `from` on. There must be as many.
    pub(crate) fn read(&self, from: usize, to: &mut [u8]) {
        assert!(from <= self.len() && to.len() <= self.len() - from, "within the buffer");
        if to.is_empty() {
            return;
        }
        // SAFETY: so many bytes are there until the buffer is released, and `to` is ours alone.
        unsafe { copy_shared(self.view.buf.cast::<u8>().add(from), to) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: filled by PyObject_GetBuffer, released once, by a thread that is attached.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut *self.view) });
    }
}

/// Copies bytes that others may write meanwhile. Each is read once.
///
/// # Safety
/// From `from` on, `to.len()` bytes can be read.
unsafe fn copy_shared(from: *const u8, to: &mut [u8]) {
    const WORD: usize = size_of::<usize>();
    let before = from.align_offset(WORD).min(to.len());
    let (first, rest) = to.split_at_mut(before);
    // SAFETY: within the bytes that the caller promises. Atomic loads need no exclusive access, and
    // those of a word are aligned, as `before` bytes come first.
    unsafe {
        copy_single_bytes(from, first);
        let mut from = from.add(before);
        let (words, last) = rest.as_chunks_mut::<WORD>();
        for word in words {
            *word =
                AtomicUsize::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed).to_ne_bytes();
            from = from.add(WORD);
        }
        copy_single_bytes(from, last);
    }
}

/// As [`copy_shared`], byte by byte.
///
/// # Safety
/// As there.
unsafe fn copy_single_bytes(from: *const u8, to: &mut [u8]) {
    for (i, byte) in to.iter_mut().enumerate() {
        // SAFETY: within the bytes that the caller promises.
        *byte = unsafe { AtomicU8::from_ptr(from.add(i).cast_mut()) }.load(Ordering::Relaxed);
    }
}

/// The UTF-8 of a `str`, which Python makes once and keeps with the object. None if the object is
/// no `str`.
///
/// # Errors
/// As `str.encode`, for lone surrogates.
pub(crate) fn utf8<'a>(object: &'a Bound<'_, PyAny>) -> Option<PyResult<&'a [u8]>> {
    let mut length = 0;
    // SAFETY: the object is alive, and `length` is for the function to fill.
    let data = unsafe {
        if ffi::PyUnicode_Check(object.as_ptr()) == 0 {
            return None;
        }
        ffi::PyUnicode_AsUTF8AndSize(object.as_ptr(), &raw mut length)
    };
    if ptr::eq(data, ptr::null()) {
        return Some(Err(PyErr::fetch(object.py())));
    }
    // SAFETY: the string keeps its UTF-8, unchanged, and the borrow keeps the string.
    Some(Ok(unsafe { slice::from_raw_parts(data.cast(), length as usize) }))
}
