//! `digest_many`: the digests of many messages.

#![forbid(unsafe_code)]

use pyo3::prelude::*;

use crate::name;
use crate::output::{Digests, Out};
use crate::window::Window;

/// The digests of many messages, in their order.
///
/// A message is any buffer, or a str, whose UTF-8 is hashed. The digests are a list of bytes, with
/// out="hex" a list of str, and with out="numpy" an array of uint8, a row for each message.
#[pyfunction]
#[pyo3(signature = (messages, name, *, out = "bytes"))]
fn digest_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    name: &str,
    out: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = name::algorithm(name)?;
    let expected = messages.len().unwrap_or(0);
    let mut digests = Digests::new(Out::from_name(out)?, algorithm.digest_len(), expected);
    let (mut window, mut flat) = (Window::new(), Vec::new());
    let mut messages = messages.try_iter()?;
    loop {
        for message in messages.by_ref() {
            window.add(message?)?;
            if window.is_full() {
                break;
            }
        }
        py.detach(|| window.hash(algorithm, &mut flat));
        window.clear(py);
        if flat.is_empty() {
            return digests.finish(py);
        }
        digests.add(py, &flat)?;
        py.check_signals()?;
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(digest_many, module)?)
}
