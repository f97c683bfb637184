//! The methods of a message that programs call most, straight from the interpreter.
//!
//! A method of PyO3 takes 20 ns more to be called: as long as it takes to hash 16 bytes, or as all
//! that hashlib does for an empty update. These have the calling conventions `METH_O` and
//! `METH_NOARGS`, and do the common case themselves: few `bytes`. All else is left to [`Hash`].
//!
//! They know that they are called by a thread that is attached, and do not ask ([`Python::attach`]
//! takes 10 ns and more). What PyO3 would release meanwhile waits until it attaches again; there is
//! nothing but an exception seldom.

use std::ffi::CStr;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use super::hash::Hash;
use crate::digests::output::{new_bytes, new_hex};
use crate::messages::input;
use crate::messages::piece::{LARGE, Piece};

type Object = *mut ffi::PyObject;

/// The message that a method is called for.
///
/// # Safety
/// The interpreter calls a method of [`Hash`] with `this`, and `'a` ends before the call does.
unsafe fn message<'a>(this: &'a Object) -> &'a Hash {
    // SAFETY: a method descriptor refuses all but instances of its type, and the caller of the
    // method holds this one. `Bound` has the layout of a pointer to an object that is alive.
    unsafe {
        let object: &'a Bound<'_, PyAny> = Bound::ref_from_ptr(Python::assume_attached(), this);
        object.cast_unchecked::<Hash>().get()
    }
}

unsafe extern "C" fn update(this: Object, data: Object) -> Object {
    // SAFETY: the interpreter calls this, attached, with a `Hash` and an object that is alive.
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
    // SAFETY: the interpreter calls this, attached, with a `Hash`.
    unsafe {
        match message(&this).digest_so_far(Python::assume_attached()) {
            Ok(digest) => new_bytes(digest.as_bytes()),
            Err(error) => raise(error),
        }
    }
}

unsafe extern "C" fn hexdigest(this: Object, _: Object) -> Object {
    // SAFETY: the interpreter calls this, attached, with a `Hash`.
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
    // SAFETY: `None` is alive.
    unsafe {
        ffi::Py_INCREF(ffi::Py_None());
        ffi::Py_None()
    }
}

/// # Safety
/// The thread is attached to the interpreter.
unsafe fn raise(error: PyErr) -> Object {
    // SAFETY: the caller's promise.
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

/// Gives the class its methods.
pub(crate) fn add_to(class: &Bound<'_, PyAny>) -> PyResult<()> {
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
    for method in methods {
        // SAFETY: the name is a static string.
        let name = unsafe { CStr::from_ptr(method.ml_name) };
        // The descriptor refers to it for ever, and so does the module, which is never unloaded.
        let method = Box::leak(Box::new(method));
        // SAFETY: `class` is a type, and the method's function has the convention that its flags
        // name.
        let descriptor = unsafe {
            let descriptor = ffi::PyDescr_NewMethod(class.as_ptr().cast(), method);
            Bound::from_owned_ptr_or_err(class.py(), descriptor)?
        };
        class.setattr(name.to_string_lossy().as_ref(), descriptor)?;
    }
    Ok(())
}
