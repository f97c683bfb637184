//! The operating system's generator.

use crate::failure::Failure;
use crate::health::{self, START};

/// Fills `out` from the operating system.
///
/// # Errors
/// If the system has no such source or it fails. `out` may then be partly filled.
pub(crate) fn fill(out: &mut [u8]) -> Result<(), Failure> {
    #[cfg(any(feature = "wasm_js", not(all(target_arch = "wasm32", target_os = "unknown"))))]
    return getrandom::fill(out).map_err(|error| Failure::System { code: error.raw_os_error() });
    // Nobody can be asked.
    #[cfg(all(target_arch = "wasm32", target_os = "unknown", not(feature = "wasm_js")))]
    {
        out.fill(0);
        Err(Failure::System { code: None })
    }
}

/// Runs the startup test on the output of `fill`.
pub(crate) fn check(fill: fn(&mut [u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut bytes = [0; 8 * START];
    fill(&mut bytes)?;
    let mut words = bytes.as_chunks().0.iter();
    health::start(|| {
        words.next().copied().map(u64::from_le_bytes).ok_or(Failure::System { code: None })
    })
}
