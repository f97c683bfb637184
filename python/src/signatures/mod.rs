//! Signatures by SLH-DSA.

#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod domain;
mod signing;
mod verifying;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<signing::SigningKey>()?;
    module.add_class::<verifying::VerifyingKey>()
}
