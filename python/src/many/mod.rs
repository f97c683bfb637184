//! Many messages at a time, many keys and many chains.

use pyo3::prelude::*;

mod chains;
mod chunks;
mod derivation;
mod messages;
mod outputs;
mod parts;
mod pipeline;
mod prefetch;
mod window;
mod xof;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    messages::register(module)?;
    chunks::register(module)?;
    derivation::register(module)?;
    chains::register(module)?;
    outputs::register(module)
}
