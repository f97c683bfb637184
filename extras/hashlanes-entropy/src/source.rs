//! Sources of random bytes.

use std::fmt;
use std::str::FromStr;

use crate::unknown_name::UnknownName;

/// A source of random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// [`RDSEED`](crate::RDSEED), the entropy source in the CPU.
    Rdseed,
    /// RDRAND with the 512:1 reduction: every 16 bytes are the CBC-MAC of 512 samples of 128 bits.
    ///
    /// Intel's generator is reseeded after at most 511 samples (Intel DRNG guide, section 5.2.6),
    /// so every 16 bytes have fresh entropy. This limit is Intel's. Other vendors implement the
    /// instruction, but publish less about their generators.
    RdrandReduced,
    /// [`RDRAND`](crate::RDRAND), a generator in the CPU.
    Rdrand,
    /// The operating system, through the crate `getrandom`. On Linux it calls `getrandom`, which
    /// blocks until the system has been seeded after a boot.
    Os,
}

/// The effect of an explicit reseed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reseeded {
    /// The generator took a new seed.
    Now,
    /// Nothing had to be done: every 16 bytes have fresh entropy.
    Always,
    /// Nothing was done: the operating system decides when to reseed.
    BySystem,
}

impl Source {
    /// All sources, in descending order of grade.
    pub const ALL: [Self; 4] = [Self::Rdseed, Self::RdrandReduced, Self::Os, Self::Rdrand];

    /// `rdseed`, `rdrand-512`, `rdrand` or `os`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rdseed => "rdseed",
            Self::RdrandReduced => "rdrand-512",
            Self::Rdrand => "rdrand",
            Self::Os => "os",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Source {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = UnknownName { known: "the sources are rdseed, rdrand-512, os and rdrand" };
        Self::ALL.into_iter().find(|source| source.name() == name).ok_or(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for source in Source::ALL {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
        let error = "".parse::<Source>().unwrap_err().to_string();
        assert!(Source::ALL.iter().all(|source| error.contains(source.name())));
    }
}
