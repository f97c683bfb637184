//! What several tests need.

pub(crate) mod tls;

use hashlanes_records::{CbcEngine, cbc_kernels};

/// The engine that chooses, and one for every kernel that the CPU can run.
pub(crate) fn engines() -> Vec<CbcEngine> {
    let forced = cbc_kernels().filter(|kernel| kernel.available);
    let forced = forced.map(|kernel| CbcEngine::with_kernel(kernel.name).unwrap());
    std::iter::once(CbcEngine::new()).chain(forced).collect()
}
