//! `xof_many`: output of any length for many messages.

#![forbid(unsafe_code)]

use hashlanes::xof::{AnyXof, XofAlgorithm, XofParams};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList};
use zeroize::Zeroizing;

use crate::digests::output::{Unfilled, filled};
use crate::interpreter::steps::{STEP, while_unsignalled};
use crate::messages::input::zeros;
use crate::messages::rows::{Rows, all_bytes, buffer, content};

/// Messages that are hashed side by side.
const AT_ONCE: usize = 128;

/// Bytes of a piece of a long message: enough for the functions that fill the lanes with one.
const PIECE: usize = 1 << 20;

/// The outputs of an extendable-output function for many messages, in order.
///
/// `lengths` is a number of bytes, or an iterable with one for each message. SHAKE takes a
/// `customization` and a `function_name` (cSHAKE), or a `key` and a `customization` (KMACXOF),
/// TurboSHAKE a `domain` (a byte), KT128 and KT256 a `customization`, and BLAKE3 a `key` of 32
/// bytes, or as `customization` the context to derive keys for.
#[pyfunction]
#[pyo3(signature = (
    messages, name, lengths, *, key = None, customization = None, function_name = None,
    domain = None
))]
#[expect(clippy::too_many_arguments, reason = "most of them are named in Python")]
pub(crate) fn xof_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    name: &str,
    lengths: &Bound<'py, PyAny>,
    key: Option<&Bound<'py, PyAny>>,
    customization: Option<&Bound<'py, PyAny>>,
    function_name: Option<&Bound<'py, PyAny>>,
    domain: Option<u8>,
) -> PyResult<Bound<'py, PyList>> {
    let function = XofAlgorithm::from_name(name).ok_or_else(|| unknown(name))?;
    let key = key.map(buffer).transpose()?;
    let customization = customization.map(content).transpose()?;
    let function_name = function_name.map(content).transpose()?;
    let params = XofParams {
        key: key.as_deref(),
        customization: customization.as_deref(),
        function_name: function_name.as_deref(),
        domain,
    };
    let xof = function.with_params(&params);
    let xof = xof.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut lengths = Lengths::new(lengths)?;
    let mut rows = Rows::new([(messages, content)], AT_ONCE, "")?;
    let outputs = PyList::empty(py);
    loop {
        let [messages] = rows.next()?;
        let sizes = lengths.next(messages.len())?;
        if messages.is_empty() {
            return Ok(outputs);
        }
        let messages = all_bytes(&messages);
        let is_long = |i: usize| messages[i].len() > STEP || sizes[i] > STEP;
        let mut first = 0;
        while first < sizes.len() {
            if is_long(first) {
                let message = messages[first];
                outputs.append(filled(py, sizes[first], |output| {
                    while_unsignalled(py, |go_on| in_pieces(&xof, message, output, go_on))
                })?)?;
                first += 1;
                continue;
            }
            // As many as a step may take, so that memory and the time between checks for signals
            // are bounded.
            let (mut end, mut bytes) = (first, 0);
            while end < sizes.len() && !is_long(end) && sizes[end] <= STEP - bytes {
                bytes += sizes[end];
                end += 1;
            }
            append_several(&outputs, &xof, &messages[first..end], &sizes[first..end])?;
            py.check_signals()?;
            first = end;
        }
    }
}

/// Computes the output of a long message, or a long output, unless it is no longer wanted, which is
/// asked between pieces.
fn in_pieces(
    xof: &AnyXof<'_>,
    message: &[u8],
    output: &mut Unfilled<'_>,
    go_on: &mut dyn FnMut() -> bool,
) {
    let mut hashed = xof.message();
    for piece in message.chunks(PIECE) {
        if !go_on() {
            return;
        }
        hashed.update(piece);
    }
    let mut reader = hashed.finalize();
    let mut memory = Zeroizing::new(vec![0; PIECE.min(output.len())]);
    while output.len() > 0 && go_on() {
        let piece = &mut memory[..PIECE.min(output.len())];
        reader.read(piece);
        output.push(piece);
    }
}

/// Computes outputs side by side.
fn append_several(
    outputs: &Bound<'_, PyList>,
    xof: &AnyXof<'_>,
    messages: &[&[u8]],
    sizes: &[usize],
) -> PyResult<()> {
    let mut memory = Zeroizing::new(zeros(sizes.iter().sum())?);
    outputs.py().detach(|| {
        let mut rest = &mut memory[..];
        let mut places = Vec::with_capacity(sizes.len());
        for &size in sizes {
            places.push(rest.split_off_mut(..size).expect("a place for each output"));
        }
        xof.output_many(messages, &mut places);
    });
    let mut rest = &memory[..];
    for &size in sizes {
        let (output, others) = rest.split_at(size);
        outputs.append(PyBytes::new(outputs.py(), output))?;
        rest = others;
    }
    Ok(())
}

fn unknown(name: &str) -> PyErr {
    let known: Vec<_> = XofAlgorithm::ALL.iter().map(|xof| xof.name()).collect();
    let message = format!(
        "unknown extendable-output function {name:?}; expected one of {}",
        known.join(", ")
    );
    PyValueError::new_err(message)
}

/// The length of each output.
enum Lengths<'py> {
    Same(usize),
    Each(Bound<'py, PyIterator>),
}

impl<'py> Lengths<'py> {
    fn new(lengths: &Bound<'py, PyAny>) -> PyResult<Self> {
        // NumPy's integers are no subclasses of `int`, and its arrays have `__index__`, too.
        match lengths.try_iter() {
            Ok(each) => Ok(Self::Each(each)),
            Err(error) if error.is_instance_of::<PyTypeError>(lengths.py()) => {
                Ok(Self::Same(length(lengths)?))
            }
            Err(error) => Err(error),
        }
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
            return Err(PyValueError::new_err("there must be a length for each message"));
        }
        Ok(lengths)
    }
}

fn length(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let length: isize = value.extract()?;
    usize::try_from(length)
        .map_err(|_| PyValueError::new_err(format!("a length must not be negative: {length}")))
}
