//! Imports arrays from Arrow PyCapsules.
//!
//! A capsule's claims are checked: its name, that its array has not been consumed yet, and that the
//! array has the parts that its type requires (`checked.rs`). Memory cannot be checked, because the
//! C data interface does not carry buffer lengths. A producer that lies about them makes any
//! consumer read out of bounds.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, NullArray, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::checked::{self, malformed};

pub(super) const SCHEMA: &CStr = c"arrow_schema";
pub(super) const ARRAY: &CStr = c"arrow_array";
pub(super) const STREAM: &CStr = c"arrow_array_stream";

/// What an object exports.
pub(super) enum Input {
    /// An array, and its name.
    Array(ArrayRef, String),
    Stream(Stream),
}

/// A sequence of arrays of one type.
pub(super) struct Stream {
    data_type: DataType,
    name: String,
    /// Not released.
    stream: FFI_ArrowArrayStream,
}

impl Input {
    /// `None` if the object has no PyCapsule interface. An object that exports both an array and a
    /// stream is read as an array.
    pub(super) fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        // A class has the methods of its instances as attributes, but cannot be called for an
        // array.
        if object.is_instance_of::<pyo3::types::PyType>() {
            return Ok(None);
        }
        if object.hasattr("__arrow_c_array__")? {
            let capsules = object.call_method0("__arrow_c_array__")?;
            let (array, name) = array(&capsules)?;
            return Ok(Some(Self::Array(array, name)));
        }
        if object.hasattr("__arrow_c_stream__")? {
            let capsule = object.call_method0("__arrow_c_stream__")?;
            return Ok(Some(Self::Stream(stream(&capsule)?)));
        }
        Ok(None)
    }
}

/// The array that `__arrow_c_array__` returned.
fn array(capsules: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, String)> {
    let wrong = || PyTypeError::new_err("__arrow_c_array__ must return a tuple of two capsules");
    let capsules = capsules.cast::<PyTuple>().map_err(|_| wrong())?;
    if capsules.len() != 2 {
        return Err(wrong());
    }
    let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
    let (schema, array) = (capsule(&schema, SCHEMA)?, capsule(&array, ARRAY)?);
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    // SAFETY: a capsule of this name holds a schema, which lives as long as the capsule. The tuple
    // holds the capsule, and no Python code runs while the reference is in use.
    let schema = unsafe { schema.as_ref() };
    if schema.release().is_none() {
        return Err(taken("schema"));
    }
    let (data_type, name) = described(schema)?;
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: a capsule of this name holds an array. `from_raw` moves it out as the interface
    // specifies, and marks the original as released.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    if array.is_released() {
        return Err(taken("array"));
    }
    Ok((of_producer(array, &data_type)?, name))
}

/// The type and the name that a schema describes.
fn described(schema: &FFI_ArrowSchema) -> PyResult<(DataType, String)> {
    checked::schema(schema)?;
    let data_type = caught(|| DataType::try_from(schema).map_err(wrong))?;
    Ok((data_type, schema.name().unwrap_or_default().to_owned()))
}

/// The stream that `__arrow_c_stream__` returned.
fn stream(object: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let stream = capsule(object, STREAM)?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a stream. `from_raw` moves it out and marks the original
    // as released.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    if stream.release().is_none() {
        return Err(taken("stream"));
    }
    let get_schema = stream.get_schema().ok_or_else(|| malformed("it has no get_schema"))?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream has not been released, and `schema` is valid for writes.
    let code = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    if code != 0 {
        return Err(failed(&mut stream, code));
    }
    if schema.release().is_none() {
        return Err(malformed("it has no schema"));
    }
    let (data_type, name) = described(&schema)?;
    Ok(Stream { data_type, name, stream })
}

impl Stream {
    /// The type of its arrays.
    pub(super) fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// The name of the column, if it is one.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The next array. Call it detached from the interpreter: the producer may wait for threads
    /// that need to attach.
    pub(super) fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        let get_next = self.stream.get_next().ok_or_else(|| malformed("it has no get_next"))?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream has not been released, and `array` is valid for writes.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            return Err(failed(&mut self.stream, code));
        }
        // A released array marks the end of a stream.
        let more = !array.is_released();
        more.then(|| of_producer(array, &self.data_type)).transpose()
    }
}

/// The error of a stream whose last callback returned `code`.
fn failed(stream: &mut FFI_ArrowArrayStream, code: c_int) -> PyErr {
    let reason = stream.get_last_error().and_then(|get_last_error| {
        // SAFETY: the stream has not been released, and its last callback failed, so it may be
        // asked for the error.
        let reason = unsafe { get_last_error(stream) };
        // SAFETY: the string is null-terminated and valid until the next call on the stream; it is
        // copied here.
        (!reason.is_null())
            .then(|| unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned())
    });
    let reason = reason.unwrap_or_else(|| format!("the Arrow stream failed with error {code}"));
    PyRuntimeError::new_err(reason)
}

fn capsule<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
    name: &CStr,
) -> PyResult<&'a Bound<'py, PyCapsule>> {
    let found = object.cast::<PyCapsule>().ok();
    found.filter(|capsule| capsule.is_valid_checked(Some(name))).ok_or_else(|| {
        let name = name.to_string_lossy();
        PyTypeError::new_err(format!("the PyCapsule interface requires a capsule named '{name}'"))
    })
}

fn taken(what: &str) -> PyErr {
    let reason = format!("the capsule's {what} has already been released or consumed");
    PyValueError::new_err(reason)
}

/// Imports a producer's array, which claims to have the type `data_type`.
fn of_producer(array: FFI_ArrowArray, data_type: &DataType) -> PyResult<ArrayRef> {
    checked::array(&array, data_type)?;
    // A null array has no buffers. Some producers export one anyway, which arrow-rs rejects.
    if data_type.is_null() {
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    caught(|| {
        // SAFETY: the producer promises that the array has this type. Its memory cannot be checked.
        let data = unsafe { from_ffi_and_data_type(array, data_type.clone()) }.map_err(wrong)?;
        // The lengths of children and buffers. Each offset is checked when it is used.
        data.validate().map_err(wrong)?;
        Ok(make_array(data))
    })
}

/// The exception for an error of arrow-rs.
fn wrong(error: ArrowError) -> PyErr {
    malformed(&error.to_string())
}

/// Turns panics into errors: arrow-rs asserts some of the producer's obligations.
pub(super) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(malformed("its parts do not match its type")))
}
