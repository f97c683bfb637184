//! Completes the classes of the module: their objects are neither copied nor pickled, unless the
//! class says how, and the classes are immutable, as those of Python's own extension modules.

use std::ffi::c_ulong;
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

type Object = *mut ffi::PyObject;

/// `__reduce_ex__`, which `copy` and `pickle` call. `object`'s makes pickles of protocols 0 and 1
/// that cannot be read.
unsafe extern "C" fn reduce(this: Object, _: Object) -> Object {
    // SAFETY: the interpreter calls this on an attached thread, with a live object.
    let class = unsafe { Bound::ref_from_ptr(Python::assume_attached(), &this).get_type() };
    let name = class.name().map_or_else(|_| String::new(), |name| format!(" '{name}'"));
    PyTypeError::new_err(format!("cannot copy or pickle{name} object")).restore(class.py());
    ptr::null_mut()
}

/// Adds a method to a class.
pub(crate) fn add_method(class: &Bound<'_, PyType>, method: ffi::PyMethodDef) -> PyResult<()> {
    // SAFETY: `ml_name` points to a static C string.
    let name = unsafe { std::ffi::CStr::from_ptr(method.ml_name) };
    // Leaked because the descriptor refers to it forever. The module is never unloaded either.
    let method = Box::leak(Box::new(method));
    // SAFETY: `class` is a type, `method` lives forever, and its function has the calling
    // convention that its flags name.
    let descriptor = unsafe {
        let descriptor = ffi::PyDescr_NewMethod(class.as_type_ptr(), method);
        Bound::from_owned_ptr_or_err(class.py(), descriptor)?
    };
    class.setattr(name.to_string_lossy().as_ref(), descriptor)
}

/// Completes a class.
pub(crate) fn complete(class: &Bound<'_, PyType>) -> PyResult<()> {
    let reduce = ffi::PyMethodDef {
        ml_name: c"__reduce_ex__".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: reduce },
        ml_flags: ffi::METH_O,
        ml_doc: c"Raise TypeError: the object cannot be copied.".as_ptr(),
    };
    // What has a `__reduce__` of its own can be copied and pickled.
    let own = class.getattr("__reduce__")?;
    if own.is(&class.py().get_type::<PyAny>().getattr("__reduce__")?) {
        add_method(class, reduce)?;
    }
    seal(class);
    Ok(())
}

/// Makes a class immutable, since Python 3.10.
fn seal(class: &Bound<'_, PyType>) {
    let class = class.as_type_ptr();
    #[cfg(Py_GIL_DISABLED)]
    // SAFETY: `class` is a live type.
    unsafe {
        use std::sync::atomic::Ordering;
        (*class).tp_flags.fetch_or(IMMUTABLE, Ordering::Relaxed);
    }
    #[cfg(not(Py_GIL_DISABLED))]
    {
        let flags = flags(class);
        // SAFETY: `class` is a live type, and `flags` points into it. With a GIL, only this
        // attached thread uses it.
        unsafe {
            // A Python with another layout would keep its classes as they are.
            if flags.read() != ffi::PyType_GetFlags(class) {
                return;
            }
            flags.write(flags.read() | IMMUTABLE);
        }
    }
    // SAFETY: `class` is a live type, and the thread is attached.
    unsafe { ffi::PyType_Modified(class) };
}

/// `Py_TPFLAGS_IMMUTABLETYPE`. PyO3 sets it for Python 3.14 and newer only, if it compiles for the
/// stable ABI.
const IMMUTABLE: c_ulong = 1 << 8;

/// The place of a type's flags.
#[cfg(all(not(Py_LIMITED_API), not(Py_GIL_DISABLED)))]
fn flags(class: *mut ffi::PyTypeObject) -> *mut c_ulong {
    // SAFETY: `class` is a live type.
    unsafe { &raw mut (*class).tp_flags }
}

/// The place of a type's flags. The stable ABI does not say where it is, but no version of Python
/// with that ABI has moved it: behind the head, which is three words, and 18 pointers and sizes.
#[cfg(Py_LIMITED_API)]
fn flags(class: *mut ffi::PyTypeObject) -> *mut c_ulong {
    const PLACE: usize = (3 + 18) * size_of::<usize>();
    class.wrapping_byte_add(PLACE).cast()
}
