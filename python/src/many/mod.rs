//! Many messages at a time: `digest_many` and `digest_chunks`.

use pyo3::prelude::*;

mod chunks;
mod messages;
mod parts;
mod pipeline;
mod prefetch;
mod window;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    messages::register(module)?;
    chunks::register(module)
}
