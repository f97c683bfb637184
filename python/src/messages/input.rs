//! Messages: `bytes` and `str`, which are immutable, and other buffers, which are not.
//!
//! Other threads and processes can write to a `bytearray`, an array or a mapped file while it is
//! hashed, because the hashing thread is detached from the interpreter. A Rust slice of such memory
//! would be undefined behaviour. Instead, [`View::read`] copies from it to private memory
//! (`copy.rs`), and the copy is hashed. Whether the digest includes concurrent writes is
//! unspecified.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::copy::copy_shared;

/// The bytes of one argument during a call.
pub(crate) enum Input<'a> {
    /// The bytes of a `bytes` object, which the caller holds.
    Bytes(&'a [u8]),
    Buffer(Buffer),
}

impl<'a> Input<'a> {
    /// Accepts what hashlib accepts: any one-dimensional buffer, but no `str`.
    pub(crate) fn of_hashlib(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        match bytes(object) {
            Some(bytes) => Ok(Self::Bytes(bytes)),
            None => Buffer::of_hashlib(object).map(Self::Buffer),
        }
    }

    /// Like [`of_hashlib`](Self::of_hashlib), but also accepts contiguous arrays of several
    /// dimensions.
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

/// The content of a `bytes` object. It is immutable and lives as long as the object.
#[inline]
pub(crate) fn bytes<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    let object = object.as_ptr();
    // SAFETY: `object` keeps the object alive for the returned borrow, and shows that the thread is
    // attached. Both calls succeed for a `bytes` object, and its content is immutable.
    unsafe {
        if ffi::PyBytes_Check(object) == 0 {
            return None;
        }
        let (data, length) = (ffi::PyBytes_AsString(object), ffi::PyBytes_Size(object));
        Some(slice::from_raw_parts(data.cast(), length as usize))
    }
}

/// The content of an object whose class is exactly `bytes`.
///
/// # Safety
/// The object must outlive the borrow, and the thread must be attached to the interpreter.
#[inline]
pub(crate) unsafe fn exact_bytes(object: &*mut ffi::PyObject) -> Option<&[u8]> {
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the caller promises a live object and an attached thread. `PyBytes_AsStringAndSize`
    // succeeds for a `bytes` object, whose content is immutable and lives as long as the object.
    unsafe {
        if ffi::PyBytes_CheckExact(*object) == 0 {
            return None;
        }
        ffi::PyBytes_AsStringAndSize(*object, &raw mut data, &raw mut length);
        Some(slice::from_raw_parts(data.cast(), length as usize))
    }
}

/// An exported buffer. The exporter can neither free nor resize it until it is released.
///
/// The `Py_buffer` must not move, because exporters may keep pointers into it.
pub(crate) struct View {
    view: ffi::Py_buffer,
    shared: PhantomData<*const u8>,
}

// SAFETY: the memory stays valid until the buffer is released. `copy_shared` is its only reader,
// and works on any thread. Only an attached thread releases it.
unsafe impl Send for View {}
// SAFETY: as for `Send`: concurrent reads with `copy_shared` are allowed.
unsafe impl Sync for View {}

impl View {
    /// An empty view, to be passed to [`fill`](Self::fill).
    fn new() -> Self {
        Self { view: ffi::Py_buffer::new(), shared: PhantomData }
    }

    /// Requests the contiguous bytes of an object. Call it once. If it returns `false`, an
    /// exception is set and there is nothing to release.
    fn get(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let (object, view) = (object.as_ptr(), &raw mut self.view);
        // SAFETY: `object` keeps the object alive and shows that the thread is attached. `view` is
        // an empty `Py_buffer`, valid for writes.
        unsafe { ffi::PyObject_GetBuffer(object, view, ffi::PyBUF_SIMPLE) == 0 }
    }

    /// Like [`get`](Self::get), but returns the exception.
    fn fill(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.get(object) { Ok(()) } else { Err(PyErr::fetch(object.py())) }
    }

    /// Like [`fill`](Self::fill), but with hashlib's errors for objects that are not buffers.
    fn fill_checked(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.get(object) {
            return Ok(());
        }
        // SAFETY: `object` keeps the object alive and shows that the thread is attached.
        let message = if unsafe { ffi::PyUnicode_Check(object.as_ptr()) } != 0 {
            "Strings must be encoded before hashing"
        } else if Buffer::is_exported_by(object) {
            return Err(PyErr::fetch(object.py()));
        } else {
            "object supporting the buffer API required"
        };
        // SAFETY: `object` shows that the thread is attached.
        unsafe { ffi::PyErr_Clear() };
        Err(PyTypeError::new_err(message))
    }

    /// Accepts and rejects the same buffers as hashlib, with its errors.
    fn fill_as_hashlib(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fill_checked(object)?;
        if self.view.ndim > 1 {
            return Err(PyBufferError::new_err("Buffer must be single dimension"));
        }
        Ok(())
    }

    /// Calls `f` with the bytes of an object that hashlib would accept.
    ///
    /// # Errors
    /// hashlib's, for other objects.
    pub(crate) fn of_hashlib<R>(
        object: &Bound<'_, PyAny>,
        f: impl FnOnce(&Self) -> R,
    ) -> PyResult<R> {
        struct Released(View);
        impl Drop for Released {
            fn drop(&mut self) {
                // SAFETY: `object` shows that the thread is attached. This is the only release.
                unsafe { self.0.release() }
            }
        }
        let mut view = Released(Self::new());
        view.0.fill_as_hashlib(object)?;
        Ok(f(&view.0))
    }

    pub(crate) fn len(&self) -> usize {
        // Exporters never give a negative length.
        self.view.len as usize
    }

    /// Copies `to.len()` bytes from offset `from`, and returns the copy. Panics if the view is
    /// shorter.
    pub(crate) fn read<'a>(&self, from: usize, to: &'a mut [MaybeUninit<u8>]) -> &'a mut [u8] {
        assert!(from <= self.len() && to.len() <= self.len() - from, "within the buffer");
        if to.is_empty() {
            return &mut [];
        }
        // SAFETY: the range was checked against the view's length, and the memory stays valid until
        // the buffer is released.
        unsafe { copy_shared(self.view.buf.cast::<u8>().add(from), to) }
    }

    /// # Safety
    /// The thread must be attached to the interpreter, and the view must not be used again.
    unsafe fn release(&mut self) {
        // SAFETY: the caller promises an attached thread and a single release. `PyObject_GetBuffer`
        // filled the view, or it has no object and the call does nothing.
        unsafe { ffi::PyBuffer_Release(&raw mut self.view) }
    }
}

/// A movable [`View`], released when dropped.
pub(crate) struct Buffer(Box<View>);

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the thread is attached, and nothing uses the view after its owner is dropped.
        Python::attach(|_| unsafe { self.0.release() });
    }
}

impl Buffer {
    /// Accepts and rejects the same objects as hashlib, with its errors.
    pub(crate) fn of_hashlib(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::filled(object, View::fill_as_hashlib)
    }

    /// Like [`new`](Self::new), but with hashlib's errors for objects that are not buffers.
    fn checked(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::filled(object, View::fill_checked)
    }

    /// The contiguous bytes of any object that exports them.
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
        // SAFETY: `object` keeps the object alive and shows that the thread is attached.
        unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The view, for pieces of a message.
    pub(crate) fn view(&self) -> &View {
        &self.0
    }

    /// A copy of all bytes.
    pub(crate) fn copy(&self) -> PyResult<Vec<u8>> {
        self.copy_part(0..self.len())
    }

    /// A copy of some bytes. Panics if the buffer is shorter.
    pub(crate) fn copy_part(&self, part: Range<usize>) -> PyResult<Vec<u8>> {
        let mut copy = zeros(part.len())?;
        self.read(part.start, &mut copy);
        Ok(copy)
    }

    /// Appends a copy of all bytes.
    pub(crate) fn append_to(&self, copies: &mut Vec<u8>) {
        let begin = copies.len();
        copies.resize(begin + self.len(), 0);
        self.read(0, &mut copies[begin..]);
    }

    /// Copies `to.len()` bytes from offset `from`. Panics if the buffer is shorter.
    pub(crate) fn read(&self, from: usize, to: &mut [u8]) {
        let length = to.len();
        // SAFETY: this is an exclusive borrow of the same bytes, and `read` writes only initialised
        // ones.
        let to = unsafe { slice::from_raw_parts_mut(to.as_mut_ptr().cast(), length) };
        self.0.read(from, to);
    }
}

/// Memory of a length that a program chose.
pub(crate) fn zeros(length: usize) -> PyResult<Vec<u8>> {
    let mut memory = Vec::new();
    let reserved = memory.try_reserve_exact(length);
    reserved
        .map_err(|_| PyMemoryError::new_err(format!("not enough memory for {length} bytes")))?;
    memory.resize(length, 0);
    Ok(memory)
}

/// The UTF-8 of a `str`, which Python encodes once and caches in the object. `None` if the object
/// is not a `str`.
///
/// # Errors
/// As for `str.encode`, if it has lone surrogates.
pub(crate) fn utf8<'a>(object: &'a Bound<'_, PyAny>) -> Option<PyResult<&'a [u8]>> {
    let mut length = 0;
    // SAFETY: `object` keeps the object alive and shows that the thread is attached. `length` is
    // valid for writes.
    let data = unsafe {
        if ffi::PyUnicode_Check(object.as_ptr()) == 0 {
            return None;
        }
        ffi::PyUnicode_AsUTF8AndSize(object.as_ptr(), &raw mut length)
    };
    if ptr::eq(data, ptr::null()) {
        return Some(Err(PyErr::fetch(object.py())));
    }
    // SAFETY: `data` points to `length` bytes that the `str` caches and never changes, and the
    // returned borrow keeps the `str` alive.
    Some(Ok(unsafe { slice::from_raw_parts(data.cast(), length as usize) }))
}
