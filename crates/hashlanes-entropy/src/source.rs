//! Where random bytes come from.

use std::fmt;
use std::str::FromStr;

use crate::unknown_name::UnknownName;

/// Where random bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// [`RDSEED`](crate::RDSEED), the entropy source in the CPU.
    Rdseed,
    /// RDRAND with the 512:1 reduction: each 16 bytes are the CBC-MAC of 512 samples of 128 bits.
    ///
    /// Intel's generator is seeded anew after 511 of them at the latest (Intel DRNG guide, section
    /// 5.2.6), so each 16 bytes have entropy of their own. The limit is Intel's: other makers
    /// follow the instruction, but publish less of what is behind it.
    RdrandReduced,
    /// [`RDRAND`](crate::RDRAND), a generator in the CPU.
    Rdrand,
    /// The operating system, as the crate `getrandom` asks it. On Linux that is `getrandom`, which
    /// waits until the system has been seeded after the start of the machine.
    Os,
}

/// What an explicit reseed did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reseeded {
    /// The generator was made to take a new seed.
    Now,
    /// Nothing was to be done: each 16 bytes have fresh entropy.
    Always,
    /// Nothing was done: the operating system decides when it reseeds.
    BySystem,
}

impl Source {
    /// All sources, the highest grade first.
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
    fn names_are_read_back() {
        for source in Source::ALL {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
        let error = "".parse::<Source>().unwrap_err().to_string();
        assert!(Source::ALL.iter().all(|source| error.contains(source.name())));
    }
}
