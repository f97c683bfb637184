//! The most frequently called methods of `Hash`, called by the interpreter without PyO3's wrapper.
//!
//! The wrapper costs 20 ns per call. That is the time to hash 16 bytes, or everything that hashlib
//! does for an empty update. These methods use the calling conventions `METH_O` and `METH_NOARGS`
//! directly. They handle the common case, short `bytes`, and pass everything else to [`Hash`].
//!
//! The interpreter calls them on an attached thread, so they skip [`Python::attach`], which takes
//! at least 10 ns. Without it, PyO3 defers the release of objects until it next attaches. The only
//! such object here is an occasional exception.

use std::ffi::CStr;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::hash::Hash;
use crate::digests::output::{new_bytes, new_hex};
use crate::interpreter::types::add_method;
use crate::messages::input;
use crate::messages::piece::{LARGE, Piece};

type Object = *mut ffi::PyObject;

/// The object that a method is called on.
///
/// # Safety
/// The interpreter passed `this` to a method of [`Hash`], and `'a` ends before that call returns.
unsafe fn message<'a>(this: &'a Object) -> &'a Hash {
    // SAFETY: a method descriptor rejects instances of other types, and the method's caller holds a
    // reference to this one. `Bound` has the layout of a non-null object pointer.
    unsafe {
        let object: &'a Bound<'_, PyAny> = Bound::ref_from_ptr(Python::assume_attached(), this);
        object.cast_unchecked::<Hash>().get()
    }
}

unsafe extern "C" fn update(this: Object, data: Object) -> Object {
    // SAFETY: the interpreter calls this on an attached thread, with a `Hash` and a live object.
    unsafe {
        let py = Python::assume_attached();
        let updated = match input::exact_bytes(&data) {
            Some(bytes) if bytes.len() < LARGE => {
                message(&this).update_piece(py, &Piece::Bytes(bytes))
            }
            _ => message(&this).update(Bound::ref_from_ptr(py, &data)),
        };
        match updated {
            Ok(()) => none(),
            Err(error) => raise(error),
        }
    }
}

unsafe extern "C" fn digest(this: Object, _: Object) -> Object {
    // SAFETY: the interpreter calls this on an attached thread, with a `Hash`.
    unsafe {
        match message(&this).digest_so_far(Python::assume_attached()) {
            Ok(digest) => new_bytes(digest.as_bytes()),
            Err(error) => raise(error),
        }
    }
}

unsafe extern "C" fn hexdigest(this: Object, _: Object) -> Object {
    // SAFETY: the interpreter calls this on an attached thread, with a `Hash`.
    unsafe {
        match message(&this).digest_so_far(Python::assume_attached()) {
            Ok(digest) => new_hex(digest.as_bytes()),
            Err(error) => raise(error),
        }
    }
}

/// # Safety
/// The thread is attached to the interpreter.
unsafe fn none() -> Object {
    // SAFETY: the caller promises that the thread is attached. `None` is never deallocated.
    unsafe {
        ffi::Py_INCREF(ffi::Py_None());
        ffi::Py_None()
    }
}

/// # Safety
/// The thread is attached to the interpreter.
unsafe fn raise(error: PyErr) -> Object {
    // SAFETY: `# Safety` above asks the caller for an attached thread.
    error.restore(unsafe { Python::assume_attached() });
    ptr::null_mut()
}

const fn method(
    name: &'static CStr,
    function: ffi::PyCFunction,
    flags: i32,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: function },
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    }
}

/// Adds the methods to the class.
pub(crate) fn add_to(class: &Bound<'_, PyType>) -> PyResult<()> {
    let methods = [
        method(
            c"update",
            update,
            ffi::METH_O,
            c"update($self, data, /)\n--\n\nAppend the bytes of a buffer to the message.",
        ),
        method(
            c"digest",
            digest,
            ffi::METH_NOARGS,
            c"digest($self, /)\n--\n\nThe digest of the message so far.",
        ),
        method(
            c"hexdigest",
            hexdigest,
            ffi::METH_NOARGS,
            c"hexdigest($self, /)\n--\n\nThe digest of the message so far, in hexadecimal.",
        ),
    ];
    methods.into_iter().try_for_each(|method| add_method(class, method))
}
