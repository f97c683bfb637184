//! Does long work in steps and checks for signals in between, so that Ctrl-C takes effect before
//! its end.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Bytes in a step, which the slowest functions hash in a tenth of a second.
pub(crate) const STEP: usize = 32 << 20;

/// Calls `work` for consecutive ranges of `length` bytes, detached from the interpreter.
///
/// # Errors
/// An exception of a signal handler. The remaining ranges are skipped.
pub(crate) fn in_steps(
    py: Python<'_>,
    length: usize,
    mut work: impl FnMut(Range<usize>) + Send,
) -> PyResult<()> {
    for begin in (0..length).step_by(STEP) {
        if begin > 0 {
            py.check_signals()?;
        }
        py.detach(|| work(begin..length.min(begin.saturating_add(STEP))));
    }
    Ok(())
}

/// Interval between checks for signals.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// Calls `work`, detached from the interpreter. It asks the function that it is given from time to
/// time, and ends early if the answer is `false`.
///
/// # Errors
/// An exception of a signal handler.
pub(crate) fn while_unsignalled<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> R + Send,
) -> PyResult<R> {
    let mut checked = Ok(());
    let result = py.detach(|| {
        let mut last = Instant::now();
        let mut go_on = || {
            if checked.is_ok() && last.elapsed() >= PATIENCE {
                checked = Python::attach(|py| py.check_signals());
                last = Instant::now();
            }
            checked.is_ok()
        };
        work(&mut go_on)
    });
    checked.map(|()| result)
}
