//! Hashing of files on all cores, and their manifests.

#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod location;
mod manifest;
mod run;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    run::register(module)?;
    manifest::register(module)
}
