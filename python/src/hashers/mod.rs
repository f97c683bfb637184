//! Messages in progress: a single one, many in one thread, and those of many threads.

use pyo3::prelude::*;

mod hash;
mod lanes;
mod methods;
mod server;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    hash::register(module)?;
    methods::add_to(&module.py().get_type::<hash::Hash>())?;
    lanes::register(module)?;
    server::register(module)
}
