//! Long messages a step at a time, with a look at signals in between: Ctrl-C does not wait for the
//! end of the message.

#![forbid(unsafe_code)]

use std::ops::Range;

use pyo3::prelude::*;

/// Bytes of a step: a tenth of a second for the slowest functions.
pub(crate) const STEP: usize = 32 << 20;

/// Calls `work` with the parts of a message of so many bytes, detached from the interpreter.
///
/// # Errors
/// Those of signal handlers. The rest of the parts is left out.
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
