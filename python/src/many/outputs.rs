//! `xof_many`: output of any length for many messages.

#![forbid(unsafe_code)]

use hashlanes::XofAlgorithm;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyIterator, PyList};

use crate::interpreter::steps::STEP;
use crate::messages::groups::{Groups, contents, zeros};

/// Messages that are hashed side by side, between checks for signals.
const AT_ONCE: usize = 128;

/// The outputs of an extendable-output function for many messages, in order.
///
/// `lengths` is a number of bytes, or an iterable with one for each message.
#[pyfunction]
fn xof_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    name: &str,
    lengths: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let xof = XofAlgorithm::from_name(name).ok_or_else(|| unknown(name))?;
    let mut lengths = Lengths::new(lengths)?;
    let mut messages = Groups::new(messages, AT_ONCE)?;
    let outputs = PyList::empty(py);
    loop {
        let objects = messages.next()?;
        let sizes = lengths.next(objects.len())?;
        if objects.is_empty() {
            return Ok(outputs);
        }
        let messages = contents(&objects)?;
        let mut first = 0;
        while first < sizes.len() {
            // As many as a step may take, but one at least, so that memory and the time between
            // checks for signals depend on the longest output only.
            let (mut end, mut bytes) = (first, 0_usize);
            while end < sizes.len() && (end == first || sizes[end] <= STEP.saturating_sub(bytes)) {
                bytes += sizes[end];
                end += 1;
            }
            let mut memory = zeros(bytes)?;
            py.detach(|| {
                let mut rest = &mut memory[..];
                let mut places = Vec::with_capacity(end - first);
                for &size in &sizes[first..end] {
                    places.push(rest.split_off_mut(..size).expect("a place for each output"));
                }
                xof.output_many(&messages[first..end], &mut places);
            });
            let mut rest = &memory[..];
            for &size in &sizes[first..end] {
                let (output, others) = rest.split_at(size);
                outputs.append(PyBytes::new(py, output))?;
                rest = others;
            }
            py.check_signals()?;
            first = end;
        }
    }
}

fn unknown(name: &str) -> PyErr {
    let known: Vec<_> = XofAlgorithm::ALL.iter().map(|xof| xof.name()).collect();
    let message =
        format!("unknown extendable-output function {name:?}; there are {}", known.join(", "));
    PyValueError::new_err(message)
}

/// The length of each output.
enum Lengths<'py> {
    Same(usize),
    Each(Bound<'py, PyIterator>),
}

impl<'py> Lengths<'py> {
    fn new(lengths: &Bound<'py, PyAny>) -> PyResult<Self> {
        if lengths.is_instance_of::<PyInt>() {
            return Ok(Self::Same(length(lengths)?));
        }
        Ok(Self::Each(lengths.try_iter()?))
    }

    /// The lengths for the next messages. There must be none left after the last message.
    fn next(&mut self, messages: usize) -> PyResult<Vec<usize>> {
        let each = match self {
            Self::Same(length) => return Ok(vec![*length; messages]),
            Self::Each(each) => each,
        };
        let at_most = messages.max(1);
        let lengths: Vec<_> =
            each.take(at_most).map(|value| length(&value?)).collect::<PyResult<_>>()?;
        if lengths.len() != messages {
            return Err(PyValueError::new_err("every message must have a length"));
        }
        Ok(lengths)
    }
}

fn length(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let length: isize = value.extract()?;
    usize::try_from(length)
        .map_err(|_| PyValueError::new_err(format!("a length must not be negative: {length}")))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(xof_many, module)?)
}
