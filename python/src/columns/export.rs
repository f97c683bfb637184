//! Exports arrays as Arrow PyCapsules.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::import::{ARRAY, SCHEMA, STREAM};

type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// A capsule that holds a name and a type.
pub(super) fn schema<'py>(
    py: Python<'py>,
    name: &str,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, nullable(name, data_type)?, SCHEMA)
}

/// The capsules that hold an array's type and the array.
pub(super) fn array<'py>(py: Python<'py>, name: &str, array: &ArrayRef) -> PyResult<Capsules<'py>> {
    let exported = FFI_ArrowArray::new(&array.to_data());
    Ok((schema(py, name, array.data_type())?, PyCapsule::new_with_value(py, exported, ARRAY)?))
}

/// A capsule that holds a stream of arrays of type `data_type`.
pub(super) fn stream<'py>(
    py: Python<'py>,
    name: &str,
    data_type: &DataType,
    arrays: &[ArrayRef],
) -> PyResult<Bound<'py, PyCapsule>> {
    let left = arrays.iter().rev().cloned().collect();
    let field = Field::new(name, data_type.clone(), true);
    let source = Source { field, left, error: None };
    let source = Box::into_raw(Box::new(source)).cast::<c_void>();
    // SAFETY: each callback follows the C stream interface, and `release` frees the boxed source
    // exactly once.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            source,
        )
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

fn nullable(name: &str, data_type: &DataType) -> PyResult<FFI_ArrowSchema> {
    let field = Field::new(name, data_type.clone(), true);
    FFI_ArrowSchema::try_from(&field).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What remains of a stream.
struct Source {
    field: Field,
    /// In reverse order: the next array is the last.
    left: Vec<ArrayRef>,
    error: Option<CString>,
}

/// `errno` for an invalid argument, on Linux and elsewhere.
const EINVAL: c_int = 22;

/// The source of a stream.
///
/// # Safety
/// [`stream`] made the stream, it has not been released, and no other reference to its source
/// exists for `'a`.
unsafe fn source<'a>(stream: *mut FFI_ArrowArrayStream) -> &'a mut Source {
    // SAFETY: [`stream`] stored a boxed `Source` as the private data, and `release` has not freed
    // it. The caller promises that nothing else refers to it.
    unsafe { &mut *(*stream).private_data().cast::<Source>() }
}

/// # Safety
/// As the C stream interface requires: the stream has not been released, and `to` is valid for
/// writes.
unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    to: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the stream interface calls this with an unreleased stream, from one thread at a time.
    let source = unsafe { source(stream) };
    match FFI_ArrowSchema::try_from(&source.field) {
        Ok(schema) => {
            // SAFETY: the caller provides `to` to be written. It may be uninitialised, so `write`
            // does not drop the old value.
            unsafe { ptr::write(to, schema) };
            0
        }
        Err(error) => {
            source.error = CString::new(error.to_string()).ok();
            EINVAL
        }
    }
}

/// # Safety
/// As the C stream interface requires: the stream has not been released, and `to` is valid for
/// writes.
unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, to: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: the stream interface calls this with an unreleased stream, from one thread at a time.
    let next = unsafe { source(stream) }.left.pop();
    // A released array marks the end of a stream.
    let array =
        next.map_or_else(FFI_ArrowArray::empty, |array| FFI_ArrowArray::new(&array.to_data()));
    // SAFETY: the caller provides `to` to be written. It may be uninitialised, so `write` does not
    // drop the old value.
    unsafe { ptr::write(to, array) };
    0
}

/// # Safety
/// As the C stream interface requires: the stream has not been released.
unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: the stream interface calls this with an unreleased stream, from one thread at a time.
    let source = unsafe { source(stream) };
    source.error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
}

/// # Safety
/// As the C stream interface requires: the stream has not been released.
unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the consumer gives up the stream with this call, so nothing else uses it. The private
    // data is the `Source` that `stream` boxed, and clearing the pointer keeps a second call from
    // freeing it.
    unsafe {
        drop(Box::from_raw((*stream).set_private_data(ptr::null_mut()).cast::<Source>()));
        (*stream).set_release(None);
    }
}
