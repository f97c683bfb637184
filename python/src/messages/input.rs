//! Messages: `bytes` and `str`, which never change, and other buffers, which may.
//!
//! Python code, C code and other processes can write to a `bytearray`, an array or a mapped file
//! while it is hashed: in other threads, as long as this one is detached from the interpreter. A
//! Rust slice of such memory would be undefined behaviour. So there is none: [`View::read`]
//! copies from it to private memory (`copy.rs`), and that is hashed. What is written meanwhile
//! may be in the digest or not.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::copy::copy_shared;

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

/// An exported buffer: the exporter can neither free nor resize it until it is released.
///
/// It stays in its place, as exporters may keep pointers into it.
pub(crate) struct View {
    view: ffi::Py_buffer,
    shared: PhantomData<*const u8>,
}

// SAFETY: what the view points to stays until the buffer is released. It is read by `copy_shared`
// only, from any thread. It is released by a thread that is attached to the interpreter.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// Of nothing, for [`fill`](Self::fill).
    fn new() -> Self {
        Self { view: ffi::Py_buffer::new(), shared: PhantomData }
    }

    /// Gets the bytes of any object that exports contiguous ones. Called once. If it returns false,
    /// an exception is set, and there is nothing to release.
    fn get(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let (object, view) = (object.as_ptr(), &raw mut self.view);
        // SAFETY: the object is alive, and the view is for the function to fill.
        unsafe { ffi::PyObject_GetBuffer(object, view, ffi::PyBUF_SIMPLE) == 0 }
    }

    /// [`get`](Self::get), and its error.
    fn fill(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.get(object) { Ok(()) } else { Err(PyErr::fetch(object.py())) }
    }

    /// As [`fill`](Self::fill), with hashlib's errors for what is no buffer.
    fn fill_checked(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.get(object) {
            return Ok(());
        }
        // SAFETY: the object is alive.
        let message = if unsafe { ffi::PyUnicode_Check(object.as_ptr()) } != 0 {
            "Strings must be encoded before hashing"
        } else if Buffer::is_exported_by(object) {
            return Err(PyErr::fetch(object.py()));
        } else {
            "object supporting the buffer API required"
        };
        // SAFETY: the thread is attached.
        unsafe { ffi::PyErr_Clear() };
        Err(PyTypeError::new_err(message))
    }

    /// As hashlib gets one, with its errors.
    fn fill_as_hashlib(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fill_checked(object)?;
        if self.view.ndim > 1 {
            return Err(PyBufferError::new_err("Buffer must be single dimension"));
        }
        Ok(())
    }

    /// Calls `f` with the bytes of an object, as hashlib gets them, with its errors.
    pub(crate) fn of_hashlib<R>(
        object: &Bound<'_, PyAny>,
        f: impl FnOnce(&Self) -> R,
    ) -> PyResult<R> {
        struct Released(View);
        impl Drop for Released {
            fn drop(&mut self) {
                // SAFETY: `object` shows that the thread is attached, and this is the one time.
                unsafe { self.0.release() }
            }
        }
        let mut view = Released(Self::new());
        view.0.fill_as_hashlib(object)?;
        Ok(f(&view.0))
    }

    pub(crate) fn len(&self) -> usize {
        // Exporters give no negative length.
        self.view.len as usize
    }

    /// Copies `to.len()` bytes from place `from` on, and returns them. There must be as many.
    pub(crate) fn read<'a>(&self, from: usize, to: &'a mut [MaybeUninit<u8>]) -> &'a mut [u8] {
        assert!(from <= self.len() && to.len() <= self.len() - from, "within the buffer");
        if to.is_empty() {
            return &mut [];
        }
        // SAFETY: so many bytes are there until the buffer is released.
        unsafe { copy_shared(self.view.buf.cast::<u8>().add(from), to) }
    }

    /// # Safety
    /// The thread is attached to the interpreter, and nothing follows.
    unsafe fn release(&mut self) {
        // SAFETY: filled by PyObject_GetBuffer and released once; or without an object, and then
        // the function does nothing.
        unsafe { ffi::PyBuffer_Release(&raw mut self.view) }
    }
}

/// A [`View`] that can be moved, and is released when it is dropped.
pub(crate) struct Buffer(Box<View>);

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: attached, and dropped once.
        Python::attach(|_| unsafe { self.0.release() });
    }
}

impl Buffer {
    /// As hashlib gets one, with its errors.
    pub(crate) fn of_hashlib(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::filled(object, View::fill_as_hashlib)
    }

    /// As [`new`](Self::new), with hashlib's errors for what is no buffer.
    fn checked(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::filled(object, View::fill_checked)
    }

    /// The bytes of any object that exports contiguous ones.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::filled(object, View::fill)
    }

    fn filled<'py>(
        object: &Bound<'py, PyAny>,
        fill: impl FnOnce(&mut View, &Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<Self> {
        let mut buffer = Self(Box::new(View::new()));
        fill(&mut buffer.0, object)?;
        Ok(buffer)
    }

    /// Whether an object exports buffers.
    pub(crate) fn is_exported_by(object: &Bound<'_, PyAny>) -> bool {
        // SAFETY: the object is alive.
        unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Copies `to.len()` bytes from place `from` on. There must be as many.
    pub(crate) fn read(&self, from: usize, to: &mut [u8]) {
        let length = to.len();
        // SAFETY: the same bytes, to which `read` writes initialised ones only.
        let to = unsafe { slice::from_raw_parts_mut(to.as_mut_ptr().cast(), length) };
        self.0.read(from, to);
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
