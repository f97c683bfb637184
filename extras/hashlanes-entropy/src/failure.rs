//! Why a source failed.

use std::fmt;
use std::io;

/// Why a source failed.
///
/// The buffer that was to be filled is then all zeros, so that no output of a faulty source
/// escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// CPUID does not report the instruction.
    Unsupported,
    /// The source must not be used again in this process.
    Faulty(Fault),
    /// The instruction had no value after all retries. It may have one later: all cores of a CPU
    /// share RDSEED.
    Exhausted {
        /// The number of tries for one word.
        tries: u32,
    },
    /// The operating system's source failed.
    System {
        /// The system's error number, if it returned one.
        code: Option<i32>,
    },
}

/// The fault of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// CPUs of this family are known to return constants with the carry flag set.
    Erratum,
    /// It returned the same 64 bits twice in a row.
    Repeats,
    /// It returned 64 bits that it had returned shortly before.
    Recurs,
    /// A bit of its words is 1 far too often or too rarely.
    Biased,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => f.write_str("this CPU does not have the instruction"),
            Self::Faulty(fault) => fault.fmt(f),
            Self::Exhausted { tries } => write!(f, "no value after {tries} attempts"),
            Self::System { code: Some(code) } => {
                write!(f, "the operating system refused: {}", io::Error::from_raw_os_error(*code))
            }
            Self::System { code: None }
                if cfg!(all(target_arch = "wasm32", target_os = "unknown")) =>
            {
                f.write_str("there is no operating system; the feature wasm_js asks JavaScript")
            }
            Self::System { code: None } => {
                f.write_str("the operating system has no source of random bytes")
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Erratum => "faulty: CPUs of this family are known to return constants",
            Self::Repeats => "faulty: it returned the same value twice in a row",
            Self::Recurs => "faulty: it returned an earlier value again",
            Self::Biased => "faulty: some of its bits are biased",
        })
    }
}

impl std::error::Error for Failure {}

impl std::error::Error for Fault {}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Faulty(fault)
    }
}
