//! The bytes of many objects, a few at a time.

#![forbid(unsafe_code)]

use std::borrow::Cow;

use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use super::input::{self, Buffer};

/// The elements of an iterable, at most `size` at a time.
pub(crate) struct Groups<'py> {
    elements: Bound<'py, PyIterator>,
    size: usize,
}

impl<'py> Groups<'py> {
    pub(crate) fn new(iterable: &Bound<'py, PyAny>, size: usize) -> PyResult<Self> {
        if iterable.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("an iterable of messages is needed, not one str"));
        }
        Ok(Self { elements: iterable.try_iter()?, size })
    }

    /// The next group, which is empty at the end.
    pub(crate) fn next(&mut self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.elements.by_ref().take(self.size).collect()
    }
}

/// The bytes of objects.
pub(crate) fn contents<'a>(objects: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Cow<'a, [u8]>>> {
    objects.iter().map(content).collect()
}

/// The UTF-8 of a `str`, the bytes of a `bytes`, or a copy of a buffer, which may change.
pub(crate) fn content<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    match input::utf8(object) {
        Some(text) => Ok(Cow::Borrowed(text?)),
        None => buffer(object),
    }
}

/// The bytes of a `bytes`, or a copy of a buffer, which may change.
pub(crate) fn buffer<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Some(bytes) = input::bytes(object) {
        return Ok(Cow::Borrowed(bytes));
    }
    let buffer = Buffer::of_hashlib(object)?;
    let mut copy = zeros(buffer.len())?;
    buffer.read(0, &mut copy);
    Ok(Cow::Owned(copy))
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
