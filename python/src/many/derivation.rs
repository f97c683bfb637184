//! `pbkdf2_many` and `hkdf_many`: keys from many passwords and secrets.

#![forbid(unsafe_code)]

use hashlanes::{Engine, with_function};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use zeroize::Zeroizing;

use crate::arguments::name::Named;
use crate::interpreter::steps::while_unsignalled;
use crate::messages::input::zeros;
use crate::messages::rows::{Reader, Rows, all_bytes, content};

/// Keys that are derived side by side.
const AT_ONCE: usize = 64;

/// Keys from passwords by PBKDF2 with HMAC, in order.
///
/// The arguments are those of hashlib's `pbkdf2_hmac`, with one salt for each password.
#[pyfunction]
#[pyo3(signature = (name, passwords, salts, iterations, dklen = None))]
pub(crate) fn pbkdf2_many<'py>(
    name: Named,
    passwords: &Bound<'py, PyAny>,
    salts: &Bound<'py, PyAny>,
    iterations: u32,
    dklen: Option<u32>,
) -> PyResult<Bound<'py, PyList>> {
    let Named(algorithm) = name;
    let length = dklen.map_or(algorithm.digest_len(), |length| length as usize);
    if iterations == 0 || length == 0 {
        return Err(PyValueError::new_err("iterations and dklen must be at least 1"));
    }
    derive([passwords, salts], length, |[passwords, salts], keys, go_on| {
        // Keys that are not complete are dropped, as a signal handler has raised then.
        let _ = with_function!(algorithm, A => {
            Engine::<A>::new().pbkdf2_many_while(passwords, salts, iterations, keys, go_on)
        });
    })
}

/// Keys of `length` bytes from secrets by HKDF (RFC 5869), in order. There is one salt and one info
/// for each secret.
#[pyfunction]
pub(crate) fn hkdf_many<'py>(
    name: Named,
    secrets: &Bound<'py, PyAny>,
    salts: &Bound<'py, PyAny>,
    infos: &Bound<'py, PyAny>,
    length: usize,
) -> PyResult<Bound<'py, PyList>> {
    let Named(algorithm) = name;
    let most = 255 * algorithm.digest_len();
    if !(1..=most).contains(&length) {
        return Err(PyValueError::new_err(format!(
            "length must be from 1 to {most}, not {length}"
        )));
    }
    derive([secrets, salts, infos], length, |[secrets, salts, infos], keys, go_on| {
        // As above.
        let _ = with_function!(algorithm, A => {
            Engine::<A>::new().hkdf_many_while(salts, secrets, infos, keys, go_on)
        });
    })
}

/// Keys of `length` bytes, each from an element of each iterable.
fn derive<'py, const N: usize>(
    iterables: [&Bound<'py, PyAny>; N],
    length: usize,
    derive: impl Fn([&[&[u8]]; N], &mut [&mut [u8]], &mut dyn FnMut() -> bool) + Sync,
) -> PyResult<Bound<'py, PyList>> {
    let py = iterables[0].py();
    let columns = iterables.map(|iterable| (iterable, content as Reader));
    let unequal = "the arguments must have the same number of elements";
    let mut rows = Rows::new(columns, AT_ONCE, unequal)?;
    let keys = PyList::empty(py);
    loop {
        let inputs = rows.next()?;
        let count = inputs[0].len();
        if count == 0 {
            return Ok(keys);
        }
        let slices = inputs.each_ref().map(|input| all_bytes(input));
        let mut derived = Zeroizing::new(zeros(count.saturating_mul(length))?);
        while_unsignalled(py, |go_on| {
            let mut places: Vec<_> = derived.chunks_exact_mut(length).collect();
            derive(slices.each_ref().map(|slices| &slices[..]), &mut places, go_on);
        })?;
        for key in derived.chunks_exact(length) {
            keys.append(PyBytes::new(py, key))?;
        }
        py.check_signals()?;
    }
}
