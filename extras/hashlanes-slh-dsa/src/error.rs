//! What can go wrong.

use core::fmt;

use hashlanes::Algorithm;

use crate::parameters::ParameterSet;

/// What can go wrong, besides a signature that is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A context has this many bytes, which is too long.
    Context(usize),
    /// The standard gives this function no identifier for pre-hashing.
    PreHash(Algorithm),
    /// A key for this set cannot have this many bytes.
    KeyLength(ParameterSet, usize),
    /// Seeds for a key of this set cannot have this many bytes.
    SeedsLength(ParameterSet, usize),
    /// The root of the highest tree is not that of the public key: the key is damaged, or a fault
    /// disturbed the computation.
    Fault,
    /// The caller stopped the computation.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(length) => {
                write!(f, "a context must have at most 255 bytes, not {length}")
            }
            Self::PreHash(function) => write!(f, "FIPS 205 has no identifier for {function}"),
            Self::KeyLength(set, length) => {
                let (public, private) = (set.public_key_len(), set.private_key_len());
                let name = set.name();
                write!(f, "{length} bytes are not a key of {name}, ")?;
                write!(f, "whose public keys have {public} bytes and private keys {private}")
            }
            Self::SeedsLength(set, length) => {
                let (name, right) = (set.name(), set.private_key_len() / 4 * 3);
                write!(f, "the seeds of an {name} key must have {right} bytes in all, not {length}")
            }
            Self::Stopped => f.write_str("the computation was stopped"),
            Self::Fault => f.write_str("the private key is damaged, or its use was disturbed"),
        }
    }
}

impl core::error::Error for Error {}

impl From<Error> for signature::Error {
    fn from(error: Error) -> Self {
        Self::from_source(error)
    }
}
