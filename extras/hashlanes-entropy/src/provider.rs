//! Random bytes of a grade, or from a source.

use std::fmt;

use zeroize::Zeroize;

use crate::error::Error;
use crate::grade::Grade;
use crate::machine::{MACHINE, Machine};
use crate::source::Source;

/// Random bytes of a [`Grade`], or from a [`Source`].
///
/// For a grade, each request tries the sources in [`Grade::sources`] in order. A source that failed
/// a test is not tried again. A source that has no value now is tried again next time. No source
/// below the grade is ever used.
///
/// It keeps no bytes, so clones, threads and forked processes can all use it without sharing any.
/// It implements the traits of `rand_core`:
///
/// ```
/// use hashlanes_entropy::{Error, Grade, Provider, Source};
/// use rand_core::{Rng, TryRng, UnwrapErr};
///
/// # fn main() -> Result<(), Error> {
/// let mut iv = [0; 16];
/// let source = Provider::of_grade(Grade::Nonce).fill(&mut iv)?;
/// assert!(source.grade() >= Grade::Nonce);
///
/// // One particular source.
/// let mut key = [0; 32];
/// assert_eq!(Provider::of_source(Source::Os).fill(&mut key)?, Source::Os);
///
/// // A generator for other crates.
/// let mut generator = Provider::of_grade(Grade::Key);
/// let number = generator.try_next_u64()?;
/// // For interfaces without errors. It panics where `fill` returns an error.
/// let other = UnwrapErr(generator).next_u64();
/// assert_ne!(number, other);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Provider {
    wanted: Wanted,
    machine: &'static Machine,
}

#[derive(Clone, Copy)]
enum Wanted {
    Grade(Grade),
    Source(Source),
}

impl Provider {
    /// A provider of a grade.
    pub const fn of_grade(grade: Grade) -> Self {
        Self { wanted: Wanted::Grade(grade), machine: &MACHINE }
    }

    /// A provider that uses one particular source, whatever its grade.
    pub const fn of_source(source: Source) -> Self {
        Self { wanted: Wanted::Source(source), machine: &MACHINE }
    }

    /// The same provider on another machine.
    #[cfg(test)]
    pub(crate) fn on(self, machine: &'static Machine) -> Self {
        Self { machine, ..self }
    }

    /// Fills a buffer, and returns the source that was used. All bytes come from that source.
    ///
    /// # Errors
    /// If no source works. The buffer is then all zeros.
    pub fn fill(&self, bytes: &mut [u8]) -> Result<Source, Error> {
        let (grade, sources) = match &self.wanted {
            Wanted::Grade(grade) => (Some(*grade), grade.sources()),
            Wanted::Source(source) => (None, std::slice::from_ref(source)),
        };
        let mut tried = Vec::new();
        for &source in sources {
            match self.machine.fill(source, bytes) {
                Ok(()) => return Ok(source),
                Err(failure) => tried.push((source, failure)),
            }
        }
        Err(Error { grade, tried })
    }

    /// Returns `N` bytes.
    ///
    /// # Errors
    /// If no source works.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        let copy = bytes;
        bytes.zeroize();
        Ok(copy)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.wanted {
            Wanted::Grade(grade) => grade.name(),
            Wanted::Source(source) => source.name(),
        };
        f.debug_tuple("Provider").field(&name).finish()
    }
}
