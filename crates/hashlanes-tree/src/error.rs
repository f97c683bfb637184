//! The error of a run.

use std::fmt;
use std::io;

use crate::ReadError;

/// Why a run did not compute all digests.
#[derive(Debug)]
pub enum Error {
    /// The content cannot be read.
    Read(ReadError),
    /// A sink failed.
    Sink(io::Error),
    /// [`Control::stop`](hashlanes_files::Control::stop) was called.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Sink(error) => error.fmt(f),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Sink(error) => Some(error),
            Self::Stopped => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
