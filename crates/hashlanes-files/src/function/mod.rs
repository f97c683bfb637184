//! The hash functions for files, and their engines.
//!
//! There are two kinds. Functions of the library run in lanes: many files side by side. The others,
//! from other crates, hash one file at a time ([`Single`]). Both are chosen by name ([`Function`]).
//! An [`Engine`] runs a function, and produces [`Digest`]s.
//!
//! ```
//! use hashlanes_files::{Engine, Function};
//!
//! let function = Function::from_name("CRC32")?;
//! assert!(!function.has_lanes());
//! assert_eq!(Engine::new(function).digest(b"abc").to_string(), "352441c2");
//! # Ok::<(), hashlanes_files::UnknownFunction>(())
//! ```

mod digest;
mod engine;
mod hasher;
mod in_pieces;
mod single;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use hashlanes::Algorithm;

pub use digest::Digest;
pub use engine::{Engine, Hashers};
pub use hasher::crc_support;
pub(crate) use in_pieces::Joined;
pub use single::Single;

/// A hash function for files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// A function of the library, which runs in lanes.
    Lanes(Algorithm),
    /// A function that hashes one message at a time.
    Single(Single),
}

impl Function {
    /// All functions with a name of their own. BLAKE2b also has names for other lengths.
    pub fn all() -> impl Iterator<Item = Self> {
        let lanes = Algorithm::ALL.iter().copied().map(Self::Lanes);
        lanes.chain(Single::named().map(Self::Single))
    }

    /// All functions that lines of manifests can name: [`all`](Self::all), and BLAKE2b with every
    /// length.
    pub fn every() -> impl Iterator<Item = Self> {
        let shorter = (8..512).step_by(8).map(|bits| Self::Single(Single::Blake2b { bits }));
        Self::all().chain(shorter)
    }

    /// The function with this name. Case does not matter, and the parts of a name may be separated
    /// by `-`, `_` or `/`. Spaces are not accepted.
    ///
    /// # Errors
    /// If no function has the name. The message lists the names.
    pub fn from_name(name: &str) -> Result<Self, UnknownFunction> {
        if let Ok(algorithm) = Algorithm::from_name(name) {
            return Ok(Self::Lanes(algorithm));
        }
        let single = Single::from_name(name).map(Self::Single);
        single.ok_or_else(|| UnknownFunction { name: name.to_owned() })
    }

    /// The name in lower case: `sha256`, `sha3-256`, `blake2b`, `blake2b-256`.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Lanes(algorithm) => algorithm.name().into(),
            Self::Single(single) => single.name(),
        }
    }

    /// The name in tagged checksum lines: `SHA256 (file) = ..`. It is spelled as in coreutils or,
    /// for functions that coreutils lack, as in the program that introduced the function.
    pub fn tag(self) -> Cow<'static, str> {
        match self {
            Self::Lanes(algorithm) => algorithm.tag().into(),
            Self::Single(single) => single.tag(),
        }
    }

    /// The function with this tag: that of [`tag`](Self::tag), or that of OpenSSL, which writes
    /// `SHA2-256` for SHA-256 and `BLAKE2B-512` or `BLAKE2b-512` for BLAKE2b.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let function = Self::from_name(tag).ok()?;
        let given = function.tag();
        let is_openssl = match tag.strip_prefix("SHA2-") {
            Some(size) => given.strip_prefix("SHA") == Some(size),
            None => matches!(tag, "BLAKE2B-512" | "BLAKE2b-512"),
        };
        (given == tag || is_openssl).then_some(function)
    }

    /// The length of a digest in bytes.
    pub fn digest_len(self) -> usize {
        match self {
            Self::Lanes(algorithm) => algorithm.digest_len(),
            Self::Single(single) => single.digest_len(),
        }
    }

    /// Whether the function hashes many files side by side.
    pub fn has_lanes(self) -> bool {
        matches!(self, Self::Lanes(_))
    }
}

impl From<Algorithm> for Function {
    fn from(algorithm: Algorithm) -> Self {
        Self::Lanes(algorithm)
    }
}

impl From<Single> for Function {
    fn from(single: Single) -> Self {
        Self::Single(single)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

impl FromStr for Function {
    type Err = UnknownFunction;

    fn from_str(name: &str) -> Result<Self, UnknownFunction> {
        Self::from_name(name)
    }
}

/// The error for an unknown name. Its message lists the known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFunction {
    name: String,
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names are short. Longer input is not shown in full.
        let shown: String = self.name.chars().take(60).collect();
        let more = if shown.len() < self.name.len() { ".." } else { "" };
        write!(f, "unknown algorithm '{}{more}'; expected one of ", shown.escape_debug())?;
        for (i, function) in Function::all().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{function}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFunction {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_come_back() {
        let lengths = [8, 160, 256, 504].map(|bits| Function::Single(Single::Blake2b { bits }));
        for function in Function::all().chain(lengths) {
            assert_eq!(Function::from_name(&function.name()), Ok(function));
            assert_eq!(Function::from_name(&function.tag()), Ok(function));
            assert_eq!(Function::from_tag(&function.tag()), Some(function));
            assert_eq!(Engine::new(function).digest(b"").as_bytes().len(), function.digest_len());
        }
    }

    #[test]
    fn tags_are_exact_or_those_of_openssl() {
        let found = |tag| Function::from_tag(tag).map(|function| function.name().into_owned());
        for (tag, name) in [
            ("SHA2-512/256", "sha512-256"),
            ("SHA2-256", "sha256"),
            ("BLAKE2B-512", "blake2b"),
            ("BLAKE2b-512", "blake2b"),
            ("SHA3-256", "sha3-256"),
        ] {
            assert_eq!(found(tag).as_deref(), Some(name), "{tag}");
        }
        for tag in ["sha256", "SHA-256", "SHA2-1", "blake2b", "BLAKE2B", "BLAKE2b-08", "CRC"] {
            assert_eq!(found(tag), None, "{tag}");
        }
    }

    #[test]
    fn other_names_are_refused_with_a_list() {
        for name in ["", "sha3", "blake2b-7", "blake2b-0", "blake2b-520", "blake2bp", "crc 32"] {
            let error = Function::from_name(name).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("unknown algorithm '{name}'; expected one of md5, "))
            );
            assert!(
                error.ends_with(
                    "sm3, sha3-224, sha3-256, sha3-384, sha3-512, keccak256, keccak512, \
                     shake128, shake256, blake2b, blake2s, blake3, sha256d, turboshake128, \
                     turboshake256, kt128, kt256, crc32, crc32c, crc64nvme, xxh3, xxh64, xxh128"
                ),
                "{error}"
            );
        }
        let [short, long] = ["x", &"x\n".repeat(100)]
            .map(|name| Function::from_name(name).unwrap_err().to_string());
        assert!(long.len() < short.len() + 100 && !long.contains('\n'), "{long}");
    }
}
