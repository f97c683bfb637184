//! The kernels as users see them: their names and lanes, and the choice of one by name.

use std::fmt;

use super::contract::Kernel;
use super::portable;
use super::table::TABLE;

/// What encrypts.
#[derive(Clone, Copy)]
pub(super) enum Forced {
    /// A row of the table, which the CPU can run.
    Lanes(&'static Kernel),
    Portable,
}

impl Forced {
    pub(super) fn named(name: &str) -> Result<Self, CbcKernelError> {
        if name == portable::NAME {
            return Ok(Self::Portable);
        }
        let kernel = TABLE.iter().find(|kernel| kernel.name == name);
        let kernel = kernel.ok_or_else(|| CbcKernelError::new(name, "no kernel has this name"))?;
        if !kernel.available() {
            return Err(CbcKernelError::new(name, "this CPU cannot run it"));
        }
        Ok(Self::Lanes(kernel))
    }
}

/// One kernel for CBC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CbcKernelInfo {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Buffers that it encrypts side by side.
    pub lanes: usize,
    /// Whether this CPU can run it.
    pub available: bool,
}

/// All kernels for this architecture, including those that this CPU cannot run.
///
/// ```
/// for kernel in hashlanes_records::cbc_kernels().filter(|kernel| kernel.available) {
///     println!("{}: {} buffers side by side", kernel.name, kernel.lanes);
/// }
/// ```
pub fn cbc_kernels() -> impl Iterator<Item = CbcKernelInfo> {
    let portable = CbcKernelInfo { name: portable::NAME, lanes: portable::LANES, available: true };
    let rows = TABLE.iter().map(|kernel| CbcKernelInfo {
        name: kernel.name,
        lanes: kernel.lanes,
        available: kernel.available(),
    });
    std::iter::once(portable).chain(rows)
}

/// The error for a kernel name that does not exist, or that this CPU cannot run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbcKernelError {
    name: String,
    reason: &'static str,
}

impl CbcKernelError {
    fn new(name: &str, reason: &'static str) -> Self {
        Self { name: name.to_owned(), reason }
    }
}

impl fmt::Display for CbcKernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CBC kernel {:?}: {}", self.name, self.reason)
    }
}

impl std::error::Error for CbcKernelError {}
