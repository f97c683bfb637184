//! Why a call sealed nothing.

use std::fmt;

use super::iv::IvError;
use super::suite::ContentType;

/// Why a call sealed nothing. No write has received any bytes, and no sequence number has changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SealError {
    /// Too few sequence numbers are left. The connection needs new keys.
    #[non_exhaustive]
    SequenceNumbers {
        /// The index of the write, from 0.
        write: usize,
        /// Records that it needs.
        needed: u64,
        /// Records that can follow.
        left: u64,
    },
    /// Only application data may be empty (RFC 5246 section 6.2.1).
    #[non_exhaustive]
    Empty {
        /// The index of the write, from 0.
        write: usize,
        /// What it carries.
        content: ContentType,
    },
    /// There is no memory for the records.
    #[non_exhaustive]
    Memory {
        /// The index of the write, from 0.
        write: usize,
        /// Bytes that it would take on the wire.
        bytes: usize,
    },
    /// The source of IVs failed.
    Ivs(IvError),
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SequenceNumbers { write, needed, left } => write!(
                f,
                "write {write} needs {needed} sequence numbers, but {left} are left: the \
                 connection needs new keys"
            ),
            Self::Empty { write, content } => {
                write!(f, "write {write} is empty, which {content:?} may not be")
            }
            Self::Memory { write, bytes } => {
                write!(f, "write {write}: no memory for {bytes} bytes on the wire")
            }
            Self::Ivs(error) => write!(f, "no IVs: {error}"),
        }
    }
}

impl std::error::Error for SealError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Ivs(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
