//! Files on all cores, and manifests of them.

#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod manifest;
mod run;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    run::register(module)?;
    manifest::register(module)
}
