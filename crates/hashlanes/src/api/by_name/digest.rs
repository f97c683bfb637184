//! A digest of any algorithm.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::api::equal::equal;

/// Bytes of the longest digest.
pub(crate) const LONGEST: usize = 64;

/// A digest of any algorithm, of 16 to 64 bytes. It does not record the algorithm.
///
/// It is made from the bytes of a digest ([`From`] arrays, [`TryFrom`] slices) or from hexadecimal
/// digits ([`FromStr`](core::str::FromStr)), and is formatted in hexadecimal: in lower case by `{}`
/// and `{:x}`, in upper case by `{:X}`.
///
/// ```
/// use hashlanes::{AnyDigest, Md5};
///
/// let digest = AnyDigest::from(Md5::digest("abc"));
/// assert_eq!(digest.to_string(), "900150983cd24fb0d6963f7d28e17f72");
/// assert_eq!("900150983CD24FB0D6963F7D28E17F72".parse(), Ok(digest));
/// assert_eq!(digest, Md5::digest("abc"));
/// ```
///
/// `==` always compares all bytes, so that its time does not reveal to an attacker how many bytes
/// of a guess were right. It does reveal whether the lengths differ. `Ord` and [`Hash`] take a time
/// that depends on the bytes: do not look up a secret in a map or a sorted list.
#[derive(Clone, Copy)]
pub struct AnyDigest {
    /// The digest, then zeros.
    bytes: [u8; LONGEST],
    length: u8,
}

impl AnyDigest {
    pub(crate) fn new(digest: &impl AsRef<[u8]>) -> Self {
        let digest = digest.as_ref();
        let mut bytes = [0; LONGEST];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, length: digest.len() as u8 }
    }

    /// A digest of this many bytes, to be overwritten.
    pub(super) fn zero(length: usize) -> Self {
        Self { bytes: [0; LONGEST], length: length as u8 }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.length)]
    }

    /// The digest's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl AsRef<[u8]> for AnyDigest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for AnyDigest {
    fn eq(&self, other: &Self) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for AnyDigest {}

/// Compares in constant time, like `==` of two [`AnyDigest`]s.
impl PartialEq<[u8]> for AnyDigest {
    fn eq(&self, other: &[u8]) -> bool {
        equal(self.as_bytes(), other)
    }
}

/// Compares in constant time, like `==` of two [`AnyDigest`]s.
impl PartialEq<&[u8]> for AnyDigest {
    fn eq(&self, other: &&[u8]) -> bool {
        equal(self.as_bytes(), other)
    }
}

/// Compares in constant time, like `==` of two [`AnyDigest`]s.
impl<const N: usize> PartialEq<[u8; N]> for AnyDigest {
    fn eq(&self, other: &[u8; N]) -> bool {
        equal(self.as_bytes(), other)
    }
}

/// Compares the bytes as slices do; not in constant time.
impl Ord for AnyDigest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for AnyDigest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Hashes the bytes as slices do; not in constant time.
impl Hash for AnyDigest {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.as_bytes().hash(hasher);
    }
}

macro_rules! from_arrays {
    ($($bytes:literal)*) => {
        $(impl From<[u8; $bytes]> for AnyDigest {
            fn from(digest: [u8; $bytes]) -> Self {
                Self::new(&digest)
            }
        })*

        /// The valid lengths of digests in bytes.
        pub(super) const LENGTHS: &[usize] = &[$($bytes),*];
    };
}

from_arrays!(16 20 28 32 48 64);

impl TryFrom<&[u8]> for AnyDigest {
    type Error = InvalidDigest;

    fn try_from(digest: &[u8]) -> Result<Self, InvalidDigest> {
        if LENGTHS.contains(&digest.len()) {
            Ok(Self::new(&digest))
        } else {
            Err(InvalidDigest(Reason::Bytes(digest.len())))
        }
    }
}

/// The error of making an [`AnyDigest`]: the number of bytes or hexadecimal digits is wrong, or a
/// character is not a hexadecimal digit. The message says which.
///
/// ```
/// use hashlanes::AnyDigest;
///
/// let reason = |text: &str| text.parse::<AnyDigest>().unwrap_err().to_string();
/// assert_eq!(
///     reason("900150983cd24fb0"),
///     "a digest must have 32, 40, 56, 64, 96 or 128 hexadecimal digits, not 16"
/// );
/// assert_eq!(reason("9001-5098"), "character 5 of a digest is '-', not a hexadecimal digit");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDigest(pub(super) Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The wrong number of bytes.
    Bytes(usize),
    /// The wrong number of hexadecimal digits.
    Digits(usize),
    /// A character that is not a hexadecimal digit, and its position, counted from 1.
    NoDigit { character: char, number: usize },
}

impl fmt::Display for InvalidDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Bytes(length) => {
                write!(f, "a digest must have 16, 20, 28, 32, 48 or 64 bytes, not {length}")
            }
            Reason::Digits(digits) => {
                write!(
                    f,
                    "a digest must have 32, 40, 56, 64, 96 or 128 hexadecimal digits, not {digits}"
                )
            }
            Reason::NoDigit { character, number } => {
                write!(
                    f,
                    "character {number} of a digest is {character:?}, not a hexadecimal digit"
                )
            }
        }
    }
}

impl core::error::Error for InvalidDigest {}

impl fmt::Debug for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyDigest({self})")
    }
}
