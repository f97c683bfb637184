//! Columns: `digest_array` and `digest_rows`, for objects with the Arrow PyCapsule interface and
//! for NumPy arrays.
//!
//! `import` takes arrays out of capsules, the crate `hashlanes-arrow` hashes them in place, and the
//! classes in `array` export the digests as capsules. This imports no Python package, as both sides
//! use Arrow's C data interface.

#[forbid(unsafe_code)]
mod array;
mod checked;
#[forbid(unsafe_code)]
mod digest;
#[forbid(unsafe_code)]
mod error;
mod export;
mod import;
#[forbid(unsafe_code)]
mod numpy;
#[forbid(unsafe_code)]
mod pandas;
#[forbid(unsafe_code)]
mod rows;
#[forbid(unsafe_code)]
mod value;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<array::Array>()?;
    module.add_class::<array::ChunkedArray>()?;
    module.add_function(wrap_pyfunction!(digest::digest_array, module)?)?;
    module.add_function(wrap_pyfunction!(rows::digest_rows, module)?)
}
