//! Interaction with the interpreter: subinterpreters, forks, threads and signals.

use pyo3::prelude::*;

pub(crate) mod only_one;
pub(crate) mod process;
pub(crate) mod steps;
pub(crate) mod turn;
pub(crate) mod turns;
pub(crate) mod types;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    process::register(module)?;
    turn::register(module)
}
