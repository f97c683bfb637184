//! The error for unknown names.

use std::fmt;

/// The error for a name that is not that of a grade or a source. The message lists the valid names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName {
    pub(crate) known: &'static str,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.known)
    }
}

impl std::error::Error for UnknownName {}
