//! The error of choosing a kernel by name.

use core::fmt;

use crate::function::{Algorithm, GivenName};
use crate::kernel::KernelInfo;

/// The reason why a kernel cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelErrorKind {
    /// The algorithm has no kernel of this name.
    Unknown,
    /// The CPU or the operating system lacks a feature that the kernel needs.
    Unsupported,
}

/// The error of choosing a kernel by name.
///
/// The message has the name (at most its first 60 bytes), the algorithm and the reason.
///
/// ```
/// use hashlanes::kernels::KernelErrorKind;
/// use hashlanes::{Engine, Md5};
///
/// let error = Engine::<Md5>::with_kernel("mmx").unwrap_err();
/// assert_eq!(error.kind(), KernelErrorKind::Unknown);
/// assert!(error.to_string().starts_with("md5 has no kernel 'mmx'; it has portable, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    algorithm: Algorithm,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Unknown(GivenName),
    Unsupported(KernelInfo),
}

impl KernelError {
    pub(super) fn unknown(algorithm: Algorithm, name: &str) -> Self {
        Self { algorithm, reason: Reason::Unknown(GivenName::new(name)) }
    }

    pub(super) fn unsupported(algorithm: Algorithm, kernel: KernelInfo) -> Self {
        Self { algorithm, reason: Reason::Unsupported(kernel) }
    }

    /// The reason as a value.
    pub fn kind(&self) -> KernelErrorKind {
        match self.reason {
            Reason::Unknown(_) => KernelErrorKind::Unknown,
            Reason::Unsupported(_) => KernelErrorKind::Unsupported,
        }
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = self.algorithm;
        match &self.reason {
            Reason::Unknown(name) => {
                write!(f, "{algorithm} has no kernel {name}; it has ")?;
                list(f, algorithm.kernels().map(|kernel| kernel.name))
            }
            Reason::Unsupported(kernel) => {
                write!(f, "kernel '{}' of {algorithm} needs ", kernel.name)?;
                list(f, kernel.missing())?;
                f.write_str(", which this CPU or operating system lacks")
            }
        }
    }
}

/// Writes the names, separated by commas.
fn list(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'static str>) -> fmt::Result {
    for (i, name) in names.enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{name}")?;
    }
    Ok(())
}

impl core::error::Error for KernelError {}
