//! Arrays into capsules, as Arrow's PyCapsule interface has them.

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

/// A capsule with a type.
pub(super) fn schema<'py>(
    py: Python<'py>,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, nullable(data_type)?, SCHEMA)
}

/// Capsules with the type of an array, and with the array.
pub(super) fn array<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Capsules<'py>> {
    let exported = FFI_ArrowArray::new(&array.to_data());
    Ok((schema(py, array.data_type())?, PyCapsule::new_with_value(py, exported, ARRAY)?))
}

/// A capsule with a stream of arrays of this type.
pub(super) fn stream<'py>(
    py: Python<'py>,
    data_type: &DataType,
    arrays: &[ArrayRef],
) -> PyResult<Bound<'py, PyCapsule>> {
    let left = arrays.iter().rev().cloned().collect();
    let source = Source { data_type: data_type.clone(), left, error: None };
    let source = Box::into_raw(Box::new(source)).cast::<c_void>();
    // SAFETY: each function keeps to the C stream interface, and `release` frees the source, once.
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

fn nullable(data_type: &DataType) -> PyResult<FFI_ArrowSchema> {
    let field = Field::new("", data_type.clone(), true);
    FFI_ArrowSchema::try_from(&field).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What a stream has to give.
struct Source {
    data_type: DataType,
    /// The next array is the last of these.
    left: Vec<ArrayRef>,
    error: Option<CString>,
}

/// `errno` of Linux and others: invalid argument.
const EINVAL: c_int = 22;

/// The source of a stream.
///
/// # Safety
/// The stream was made by [`stream`], is not released, and nobody else uses it meanwhile.
unsafe fn source<'a>(stream: *mut FFI_ArrowArrayStream) -> &'a mut Source {
    // SAFETY: the private data are the source, until the stream is released.
    unsafe { &mut *(*stream).private_data().cast::<Source>() }
}

/// # Safety
/// As the C stream interface says: the stream is not released, `to` is for this to fill.
unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    to: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: as the caller promises.
    let source = unsafe { source(stream) };
    match FFI_ArrowSchema::try_from(&Field::new("", source.data_type.clone(), true)) {
        Ok(schema) => {
            // SAFETY: what is there need not be initialised, and is not dropped.
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
/// As the C stream interface says: the stream is not released, `to` is for this to fill.
unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, to: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as the caller promises.
    let next = unsafe { source(stream) }.left.pop();
    // The end of a stream is an array that is released.
    let array =
        next.map_or_else(FFI_ArrowArray::empty, |array| FFI_ArrowArray::new(&array.to_data()));
    // SAFETY: what is there need not be initialised, and is not dropped.
    unsafe { ptr::write(to, array) };
    0
}

/// # Safety
/// As the C stream interface says: the stream is not released.
unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as the caller promises.
    let source = unsafe { source(stream) };
    source.error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
}

/// # Safety
/// As the C stream interface says: the stream is not released.
unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the caller has the stream for itself. The private data are a boxed source, which
    // nothing reaches any more once the stream has none.
    unsafe {
        drop(Box::from_raw((*stream).set_private_data(ptr::null_mut()).cast::<Source>()));
        (*stream).set_release(None);
    }
}
