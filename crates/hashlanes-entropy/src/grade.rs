//! What random bytes are good for.

use std::fmt;
use std::str::FromStr;

use crate::source::Source;
use crate::unknown_name::UnknownName;

/// What random bytes are good for. A higher grade is good for all that a lower one is.
///
/// | grade | for | sources, in the order in which they are tried |
/// |---|---|---|
/// | `Nonce` | initialisation vectors, nonces, salts | `rdrand`, `os`, `rdseed` |
/// | `Key` | keys of up to 256 bits | `rdseed`, `os`, `rdrand-512` |
/// | `Seed` | seeds of other generators, keys for decades | `rdseed`, `rdrand-512` |
///
/// The reasons of the orders:
/// * A nonce is short, needed often, and becomes public. So the source comes first that takes no
///   call of the system: 16 bytes take 145 ns of RDRAND on Zen 4, and 376 ns of the operating
///   system. (From some 100 bytes on, the operating system is faster.) RDSEED comes last: it is
///   scarce, and shared by all cores.
/// * A key takes the entropy source itself while that has some. When it does not, the operating
///   system's generator has the strength too. Only then comes the reduction, which takes 512 times
///   as long as RDRAND.
/// * RDRAND alone is no source of keys here: a key of 256 bits from a generator with AES-128 has a
///   strength of 128 bits. To have it for keys of 128 bits, name it: [`Source::Rdrand`].
/// * The operating system is no source of seeds here: its generator is a good one, but it does not
///   say what entropy came in since the last request. To seed from it, as most programs do, name
///   it: [`Source::Os`].
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
    /// Unpredictable, with a strength of 128 bits at least.
    Nonce,
    /// Unpredictable, with a strength of 256 bits, however many bytes are taken.
    Key,
    /// Fresh entropy of a physical source in each 16 bytes.
    Seed,
}

impl Grade {
    /// All grades, the lowest first.
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
    /// The highest grade that it satisfies.
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
    fn names_are_read_back() {
        for grade in Grade::ALL {
            assert_eq!(grade.to_string().parse(), Ok(grade));
        }
        let error = "Key".parse::<Grade>().unwrap_err().to_string();
        assert!(Grade::ALL.iter().all(|grade| error.contains(grade.name())));
    }
}
