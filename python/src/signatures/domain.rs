//! Parameter sets and domains.

use hashlanes_slh_dsa::{Check, Domain, Error, ParameterSet};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::name::Named;
use crate::messages::rows::buffer;

/// The parameter set with this name.
pub(super) fn set(name: &str) -> PyResult<ParameterSet> {
    ParameterSet::from_name(name).ok_or_else(|| {
        let names = ParameterSet::ALL.map(ParameterSet::name).join(", ");
        PyValueError::new_err(format!("the parameter set must be one of {names}, not {name}"))
    })
}

/// The check with this name.
pub(super) fn check(name: &str) -> PyResult<Check> {
    match name {
        "root" => Ok(Check::Root),
        "verify" => Ok(Check::Verify),
        "twice" => Ok(Check::Twice),
        _ => {
            let message = format!("the check must be 'root', 'verify' or 'twice', not '{name}'");
            Err(PyValueError::new_err(message))
        }
    }
}

/// A context, which may be any buffer.
#[derive(Default)]
pub(super) struct Context(Vec<u8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Context {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(buffer(&object)?.into_owned()))
    }
}

/// What signatures are bound to, besides the message and the key.
pub(super) fn domain(context: &Context, pre_hash: Option<Named>) -> PyResult<Domain<'_>> {
    match pre_hash {
        None => Domain::pure(&context.0),
        Some(Named(function)) => Domain::pre_hash(&context.0, function),
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
