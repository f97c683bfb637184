//! The error of a request that no source could serve.

use std::fmt;

use crate::failure::Failure;
use crate::grade::Grade;
use crate::source::Source;

/// The error when no source could serve a request. It lists the sources that were tried, and why
/// each failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) grade: Option<Grade>,
    pub(crate) tried: Vec<(Source, Failure)>,
}

impl Error {
    /// The requested grade, or `None` if a particular source was requested.
    pub fn grade(&self) -> Option<Grade> {
        self.grade
    }

    /// The sources that were tried, in order, and why each failed.
    pub fn tried(&self) -> &[(Source, Failure)] {
        &self.tried
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.grade {
            Some(grade) => write!(f, "no source of random bytes of grade {grade}")?,
            None => f.write_str("no random bytes")?,
        }
        let separators = std::iter::once(": ").chain(std::iter::repeat("; "));
        for ((source, failure), separator) in self.tried.iter().zip(separators) {
            write!(f, "{separator}{source}: {failure}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
