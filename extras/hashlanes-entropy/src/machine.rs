//! All sources of a machine: the real ones or fakes.

use zeroize::Zeroize;

use crate::failure::Failure;
use crate::instruction::{Instruction, RDRAND, RDSEED};
use crate::source::{Reseeded, Source};
use crate::{reduction, system};

pub(crate) struct Machine {
    pub(crate) rdseed: &'static Instruction,
    pub(crate) rdrand: &'static Instruction,
    pub(crate) system: fn(&mut [u8]) -> Result<(), Failure>,
}

/// The machine that this program runs on.
pub(crate) static MACHINE: Machine =
    Machine { rdseed: &RDSEED, rdrand: &RDRAND, system: system::fill };

impl Machine {
    /// Fills `out` from one source.
    ///
    /// # Errors
    /// If the source cannot be used. `out` is then all zeros.
    pub(crate) fn fill(&self, source: Source, out: &mut [u8]) -> Result<(), Failure> {
        let filled = match source {
            Source::Rdseed => self.rdseed.fill(out),
            Source::RdrandReduced => reduction::fill(self.rdrand, out),
            Source::Rdrand => self.rdrand.fill(out),
            Source::Os => (self.system)(out),
        };
        if filled.is_err() {
            out.zeroize();
        }
        filled
    }

    pub(crate) fn check(&self, source: Source) -> Result<(), Failure> {
        match source {
            Source::Rdseed => self.rdseed.check(),
            Source::RdrandReduced | Source::Rdrand => self.rdrand.check(),
            Source::Os => system::check(self.system),
        }
    }

    pub(crate) fn reseed(&self, source: Source) -> Result<Reseeded, Failure> {
        self.check(source)?;
        match source {
            Source::Rdseed | Source::RdrandReduced => Ok(Reseeded::Always),
            Source::Rdrand => self.rdrand.discard(reduction::WORDS).map(|()| Reseeded::Now),
            Source::Os => Ok(Reseeded::BySystem),
        }
    }
}

impl Source {
    /// Whether the source can be used. An instruction runs its startup test once per process.
    ///
    /// # Errors
    /// If the source is missing or faulty, or has no value now.
    pub fn check(self) -> Result<(), Failure> {
        MACHINE.check(self)
    }

    /// Makes the source's generator take a new seed, where that is possible and useful.
    ///
    /// For RDRAND, 1,024 words of 64 bits are drawn and discarded. That is more than Intel's
    /// generator makes from one seed (Intel DRNG guide, section 5.2.5).
    ///
    /// ```
    /// use hashlanes_entropy::{Reseeded, Source};
    ///
    /// if Source::Rdrand.check().is_ok() {
    ///     assert_eq!(Source::Rdrand.reseed(), Ok(Reseeded::Now));
    /// }
    /// assert_eq!(Source::Os.reseed(), Ok(Reseeded::BySystem));
    /// ```
    ///
    /// # Errors
    /// If the source cannot be used.
    pub fn reseed(self) -> Result<Reseeded, Failure> {
        MACHINE.reseed(self)
    }
}
