//! Hashes long messages in steps and checks for signals in between, so that Ctrl-C takes effect
//! before the end of the message.

#![forbid(unsafe_code)]

use std::ops::Range;

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
