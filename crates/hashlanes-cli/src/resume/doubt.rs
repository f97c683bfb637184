//! Why results of earlier runs are not used.

use std::fmt;

/// Why the results of earlier runs are not used: all files are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The manifest differs from what the last run wrote.
    Changed,
    /// Another user has written the results.
    OfOther,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed since --resume wrote it; all files are read again",
            Self::OfOther => "MANIFEST.resume belongs to another user; all files are read again",
        })
    }
}
