//! What random bytes are suitable for.

use std::fmt;
use std::str::FromStr;

use crate::source::Source;
use crate::unknown_name::UnknownName;

/// What random bytes are suitable for. A higher grade is suitable for everything that a lower one
/// is.
///
/// | grade | for | sources, in the order in which they are tried |
/// |---|---|---|
/// | `Nonce` | initialisation vectors, nonces, salts | `rdrand`, `os`, `rdseed` |
/// | `Key` | keys of up to 256 bits | `rdseed`, `os`, `rdrand-512` |
/// | `Seed` | seeds for other generators, keys that last decades | `rdseed`, `rdrand-512` |
///
/// The reasons for these orders:
/// * Nonces are short, public and needed often, so the source that needs no system call comes
///   first. On Zen 4, 16 bytes take 145 ns with RDRAND and 376 ns with the operating system. (From
///   about 100 bytes on, the operating system is faster.) RDSEED comes last, because it is slow and
///   shared by all cores.
/// * A key comes from the entropy source itself while that has values. The operating system's
///   generator is equally strong. The reduction comes last, as it takes 512 times as long as
///   RDRAND.
/// * RDRAND is not used for keys: a 256-bit key from a generator with AES-128 has a strength of 128
///   bits. For 128-bit keys it can be requested by name: [`Source::Rdrand`].
/// * The operating system is not used for seeds: its generator is a good one, but does not report
///   how much entropy it has received since the last request. To seed from it, as most programs do,
///   request it by name: [`Source::Os`].
///
/// ```
/// use hashlanes_entropy::{Grade, Source};
///
/// assert!(Grade::Seed > Grade::Key);
/// assert!(Source::Os.grade() < Grade::Seed);
/// assert_eq!("nonce".parse(), Ok(Grade::Nonce));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Unpredictable, with a strength of at least 128 bits.
    Nonce,
    /// Unpredictable, with a strength of 256 bits, however many bytes are drawn.
    Key,
    /// Fresh entropy from a physical source in every 16 bytes.
    Seed,
}

impl Grade {
    /// All grades, in ascending order.
    pub const ALL: [Self; 3] = [Self::Nonce, Self::Key, Self::Seed];

    /// `nonce`, `key` or `seed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nonce => "nonce",
            Self::Key => "key",
            Self::Seed => "seed",
        }
    }

    /// The sources that satisfy the grade, in the order in which they are tried.
    pub const fn sources(self) -> &'static [Source] {
        match self {
            Self::Nonce => &[Source::Rdrand, Source::Os, Source::Rdseed],
            Self::Key => &[Source::Rdseed, Source::Os, Source::RdrandReduced],
            Self::Seed => &[Source::Rdseed, Source::RdrandReduced],
        }
    }
}

impl Source {
    /// The highest grade that the source satisfies.
    pub const fn grade(self) -> Grade {
        match self {
            Self::Rdseed | Self::RdrandReduced => Grade::Seed,
            Self::Os => Grade::Key,
            Self::Rdrand => Grade::Nonce,
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Grade {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = UnknownName { known: "the grades are nonce, key and seed" };
        Self::ALL.into_iter().find(|grade| grade.name() == name).ok_or(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_listed_by_grade() {
        assert!(Source::ALL.windows(2).all(|pair| pair[0].grade() >= pair[1].grade()));
    }

    #[test]
    fn no_source_serves_a_grade_above_its_own() {
        for grade in Grade::ALL {
            assert!(!grade.sources().is_empty());
            assert!(grade.sources().iter().all(|source| source.grade() >= grade), "{grade}");
        }
    }

    #[test]
    fn names_round_trip() {
        for grade in Grade::ALL {
            assert_eq!(grade.to_string().parse(), Ok(grade));
        }
        let error = "Key".parse::<Grade>().unwrap_err().to_string();
        assert!(Grade::ALL.iter().all(|grade| error.contains(grade.name())));
    }
}
