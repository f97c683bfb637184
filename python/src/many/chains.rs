//! `digest_chains`: the digest of a digest, many times, of many chains side by side.

#![forbid(unsafe_code)]

use hashlanes::Prefix;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::name::Named;
use crate::messages::rows::{Rows, content};

/// Links of all chains between checks for signals: a tenth of a second of work, or some.
const LINKS: usize = 1 << 20;

/// The ends of hash chains, in order: the digest of the digest of a value, and so on, as often as
/// its length says. A value is as long as a digest.
#[pyfunction]
pub(crate) fn digest_chains<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    lengths: Vec<u64>,
    name: Named,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let Named(algorithm) = name;
    let length = algorithm.digest_len();
    let mut states = Vec::new();
    let mut rows = Rows::new([(values, content)], usize::MAX, "")?;
    loop {
        let [values] = rows.next()?;
        if values.is_empty() {
            break;
        }
        for value in &values {
            if value.bytes().len() != length {
                let given = value.bytes().len();
                let message = format!("a value must have {length} bytes, not {given}");
                return Err(PyValueError::new_err(message));
            }
            states.extend_from_slice(value.bytes());
        }
    }
    if states.len() != lengths.len() * length {
        return Err(PyValueError::new_err("there must be a length for each value"));
    }
    let mut left = lengths;
    loop {
        let live = left.iter().filter(|&&left| left > 0).count();
        if live == 0 {
            break;
        }
        let step = (LINKS / live).max(1) as u64;
        let some: Vec<_> = left.iter().map(|&left| left.min(step)).collect();
        py.detach(|| {
            Prefix::of(algorithm, []).digest_chains(&mut states, &some);
        });
        left.iter_mut().zip(some).for_each(|(left, some)| *left -= some);
        py.check_signals()?;
    }
    Ok(states.chunks_exact(length).map(|state| PyBytes::new(py, state)).collect())
}
