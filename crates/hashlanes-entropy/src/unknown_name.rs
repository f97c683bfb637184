//! The error of names.

use std::fmt;

/// A name that no grade, or no source, has. The message lists those that there are.
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
