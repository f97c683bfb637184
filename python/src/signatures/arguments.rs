//! What signing and verifying have in common: parameter sets, domains and messages.

use std::borrow::Cow;

use hashlanes_slh_dsa::{Domain, Error, ParameterSet};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::arguments::name::Named;
use crate::messages::input::{self, Buffer};

/// The parameter set with this name.
pub(super) fn set(name: &str) -> PyResult<ParameterSet> {
    ParameterSet::from_name(name).ok_or_else(|| {
        let names = ParameterSet::ALL.map(ParameterSet::name).join(", ");
        PyValueError::new_err(format!("the parameter set must be one of {names}, not {name}"))
    })
}

/// What signatures are bound to, besides the message and the key.
pub(super) fn domain(context: &[u8], pre_hash: Option<Named>) -> PyResult<Domain<'_>> {
    match pre_hash {
        None => Domain::pure(context),
        Some(Named(function)) => Domain::pre_hash(context, function),
    }
    .map_err(exception)
}

/// The exception for an error.
pub(super) fn exception(error: Error) -> PyErr {
    match error {
        Error::Fault => PyRuntimeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The elements of an iterable, at most `size` at a time.
pub(super) struct Groups<'py> {
    elements: Bound<'py, PyIterator>,
    size: usize,
}

impl<'py> Groups<'py> {
    pub(super) fn new(iterable: &Bound<'py, PyAny>, size: usize) -> PyResult<Self> {
        if iterable.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("an iterable is needed, not one str"));
        }
        Ok(Self { elements: iterable.try_iter()?, size })
    }

    /// The next group, which is empty at the end.
    pub(super) fn next(&mut self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.elements.by_ref().take(self.size).collect()
    }
}

/// The bytes of messages or signatures.
pub(super) fn contents<'a>(objects: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Cow<'a, [u8]>>> {
    objects.iter().map(content).collect()
}

/// The UTF-8 of a `str`, the bytes of a `bytes`, or a copy of a buffer, which may change.
fn content<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Some(text) = input::utf8(object) {
        return Ok(Cow::Borrowed(text?));
    }
    if let Some(bytes) = input::bytes(object) {
        return Ok(Cow::Borrowed(bytes));
    }
    let buffer = Buffer::of_hashlib(object)?;
    let mut copy = Vec::new();
    let no_memory =
        |_| PyMemoryError::new_err(format!("not enough memory to copy {} bytes", buffer.len()));
    copy.try_reserve_exact(buffer.len()).map_err(no_memory)?;
    copy.resize(buffer.len(), 0);
    buffer.read(0, &mut copy);
    Ok(Cow::Owned(copy))
}
