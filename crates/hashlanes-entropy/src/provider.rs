//! Random bytes of a grade, or of a source.

use std::fmt;

use zeroize::Zeroize;

use crate::error::Error;
use crate::grade::Grade;
use crate::machine::{MACHINE, Machine};
use crate::source::Source;

/// Random bytes of a [`Grade`], or of a [`Source`].
///
/// A provider of a grade tries the sources of [`Grade::sources`] for each request, in their order.
/// A source that failed a test is not tried again. One that has no value now is tried again next
/// time. Nothing below the grade ever serves.
///
/// It keeps no bytes. So copies, threads and forked processes may all use it, and none sees the
/// bytes of another. It implements the traits of `rand_core`:
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
/// // One source and no other.
/// let mut key = [0; 32];
/// assert_eq!(Provider::of_source(Source::Os).fill(&mut key)?, Source::Os);
///
/// // As a generator that other crates take.
/// let mut generator = Provider::of_grade(Grade::Key);
/// let number = generator.try_next_u64()?;
/// // For those that know no errors: it panics where `fill` returns one.
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

    /// A provider that takes one source and no other, of whatever grade it is.
    pub const fn of_source(source: Source) -> Self {
        Self { wanted: Wanted::Source(source), machine: &MACHINE }
    }

    /// The same on another machine.
    #[cfg(test)]
    pub(crate) fn on(self, machine: &'static Machine) -> Self {
        Self { machine, ..self }
    }

    /// Fills a buffer, and returns the source that served: all bytes are of that one.
    ///
    /// # Errors
    /// If no source could serve. The buffer is all zeros then.
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

    /// `N` bytes.
    ///
    /// # Errors
    /// If no source could serve.
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
