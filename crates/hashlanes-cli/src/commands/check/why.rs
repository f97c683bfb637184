//! Why a line cannot be used, and how a manifest ends.

use std::{fmt, io};

use hashlanes_files::manifest::{MAX_RECORD, Reason};

/// Why a line cannot be used.
pub(in crate::commands) enum Why {
    Malformed(Reason),
    /// It has more than [`manifest::MAX_RECORD`] bytes.
    TooLong,
    /// It names a function that this program does not support, here as messages show it.
    Lacking(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => reason.fmt(f),
            Self::TooLong => write!(f, "more than {} KiB", MAX_RECORD >> 10),
            Self::Lacking(name) => write!(f, "{name} is not supported"),
        }
    }
}

/// How a manifest ends.
pub(in crate::commands) enum End {
    Whole,
    /// The last line is not terminated, and may be truncated.
    Open,
    /// The last line is not terminated, and unusable.
    Cut,
    Failed(io::Error),
}
