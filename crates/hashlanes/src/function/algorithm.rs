//! The hash functions by name.

use core::fmt;
use core::str::FromStr;

use super::given_name::GivenName;

/// A hash function, chosen at run time.
///
/// ```
/// use hashlanes::Algorithm;
///
/// let algorithm = Algorithm::from_name("SHA-256")?;
/// assert_eq!(
///     algorithm.digest("abc").to_string(),
///     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/// );
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// MD5 (RFC 1321), 16 bytes.
    Md5,
    /// SHA-1 (FIPS 180-4), 20 bytes.
    Sha1,
    /// SHA-224 (FIPS 180-4), 28 bytes.
    Sha224,
    /// SHA-256 (FIPS 180-4), 32 bytes.
    Sha256,
    /// SHA-384 (FIPS 180-4), 48 bytes.
    Sha384,
    /// SHA-512 (FIPS 180-4), 64 bytes.
    Sha512,
    /// SHA-512/256 (FIPS 180-4), 32 bytes.
    Sha512_256,
    /// SM3 (GB/T 32905-2016), 32 bytes.
    Sm3,
    /// SHA3-224 (FIPS 202), 28 bytes.
    Sha3_224,
    /// SHA3-256 (FIPS 202), 32 bytes.
    Sha3_256,
    /// SHA3-384 (FIPS 202), 48 bytes.
    Sha3_384,
    /// SHA3-512 (FIPS 202), 64 bytes.
    Sha3_512,
    /// Keccak-256, with the padding from before FIPS 202, 32 bytes.
    Keccak256,
    /// Keccak-512, with the padding from before FIPS 202, 64 bytes.
    Keccak512,
    /// SHAKE128 (FIPS 202) with 32 bytes (RFC 8702).
    Shake128,
    /// SHAKE256 (FIPS 202) with 64 bytes (RFC 8702).
    Shake256,
    /// BLAKE2b (RFC 7693), 64 bytes.
    Blake2b512,
    /// BLAKE2s (RFC 7693), 32 bytes.
    Blake2s256,
    /// BLAKE3, 32 bytes.
    Blake3,
    /// SHA-256 of SHA-256's digest, as Bitcoin uses it, 32 bytes.
    Sha256d,
}

impl Algorithm {
    /// All of them. Later versions may add others, at the end.
    pub const ALL: &'static [Algorithm] = &[
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha512_256,
        Self::Sm3,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Keccak256,
        Self::Keccak512,
        Self::Shake128,
        Self::Shake256,
        Self::Blake2b512,
        Self::Blake2s256,
        Self::Blake3,
        Self::Sha256d,
    ];

    /// The algorithm with this name. Case does not matter, and one `-`, `_` or `/` may stand
    /// between the parts of a name: `sha256`, `SHA-256`, `sha2-256` and `SHA_256` are all the
    /// same, as are `sha512/256`, `SHA-512/256`, `sha512-256` and `sha512t256`; `sha` is SHA-1.
    /// Blanks are refused.
    ///
    /// # Errors
    /// If no algorithm of this crate has the name. The message lists all names.
    pub fn from_name(name: &str) -> Result<Self, UnknownAlgorithm> {
        let found = SPELLINGS.iter().find(|(spelling, _)| is_spelled(name, spelling));
        found
            .map(|&(_, algorithm)| algorithm)
            .ok_or_else(|| UnknownAlgorithm { name: GivenName::new(name) })
    }

    /// The name in lower case: `md5`, `sha1`, `sha224`, `sha256`, `sha384`, `sha512`,
    /// `sha512-256`, `sm3`, `sha3-224`, `sha3-256`, `sha3-384`, `sha3-512`, `keccak256`,
    /// `keccak512`, `shake128`, `shake256`, `blake2b`, `blake2s`, `blake3`, `sha256d`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Sha512_256 => "sha512-256",
            Self::Sm3 => "sm3",
            Self::Sha3_224 => "sha3-224",
            Self::Sha3_256 => "sha3-256",
            Self::Sha3_384 => "sha3-384",
            Self::Sha3_512 => "sha3-512",
            Self::Keccak256 => "keccak256",
            Self::Keccak512 => "keccak512",
            Self::Shake128 => "shake128",
            Self::Shake256 => "shake256",
            Self::Blake2b512 => "blake2b",
            Self::Blake2s256 => "blake2s",
            Self::Blake3 => "blake3",
            Self::Sha256d => "sha256d",
        }
    }

    /// The name in tagged checksum lines (`SHA256 (file) = ..`), as coreutils write it, or Perl's
    /// shasum for SHA-512/256, which coreutils lack.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            Self::Sha512_256 => "SHA512/256",
            Self::Sm3 => "SM3",
            Self::Sha3_224 => "SHA3-224",
            Self::Sha3_256 => "SHA3-256",
            Self::Sha3_384 => "SHA3-384",
            Self::Sha3_512 => "SHA3-512",
            Self::Keccak256 => "KECCAK256",
            Self::Keccak512 => "KECCAK512",
            Self::Shake128 => "SHAKE128",
            Self::Shake256 => "SHAKE256",
            Self::Blake2b512 => "BLAKE2b",
            Self::Blake2s256 => "BLAKE2s",
            Self::Blake3 => "BLAKE3",
            Self::Sha256d => "SHA256D",
        }
    }

    /// Bytes of a digest.
    pub const fn digest_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha512_256 | Self::Sm3 => 32,
            Self::Sha3_256 | Self::Keccak256 | Self::Shake128 => 32,
            Self::Blake2s256 | Self::Blake3 | Self::Sha256d => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Keccak512 | Self::Shake256 | Self::Blake2b512 => {
                64
            }
        }
    }

    /// Bytes of a message block: 64 or 128, and 72 to 168 for SHA-3 and its relatives, where it is
    /// called the rate.
    pub const fn block_len(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 | Self::Sha224 | Self::Sha256 | Self::Sm3 => 64,
            Self::Blake2s256 | Self::Blake3 | Self::Sha256d => 64,
            Self::Sha384 | Self::Sha512 | Self::Sha512_256 | Self::Blake2b512 => 128,
            Self::Sha3_512 | Self::Keccak512 => 72,
            Self::Sha3_384 => 104,
            Self::Sha3_256 | Self::Keccak256 | Self::Shake256 => 136,
            Self::Sha3_224 => 144,
            Self::Shake128 => 168,
        }
    }
}

/// Every spelling in lower case, with `-` for an optional separator, and its algorithm.
const SPELLINGS: &[(&str, Algorithm)] = &[
    ("md-5", Algorithm::Md5),
    ("sha-1", Algorithm::Sha1),
    ("sha", Algorithm::Sha1),
    ("sha-160", Algorithm::Sha1),
    ("sha-224", Algorithm::Sha224),
    ("sha-2-224", Algorithm::Sha224),
    ("sha-256", Algorithm::Sha256),
    ("sha-2-256", Algorithm::Sha256),
    ("sha-384", Algorithm::Sha384),
    ("sha-2-384", Algorithm::Sha384),
    ("sha-512", Algorithm::Sha512),
    ("sha-2-512", Algorithm::Sha512),
    ("sha-512-256", Algorithm::Sha512_256),
    ("sha-2-512-256", Algorithm::Sha512_256),
    ("sha-512-t256", Algorithm::Sha512_256),
    ("sm-3", Algorithm::Sm3),
    ("sha-3-224", Algorithm::Sha3_224),
    ("sha-3-256", Algorithm::Sha3_256),
    ("sha-3-384", Algorithm::Sha3_384),
    ("sha-3-512", Algorithm::Sha3_512),
    ("keccak-256", Algorithm::Keccak256),
    ("keccak-512", Algorithm::Keccak512),
    ("shake-128", Algorithm::Shake128),
    ("shake-256", Algorithm::Shake256),
    ("blake-2b", Algorithm::Blake2b512),
    ("blake-2b-512", Algorithm::Blake2b512),
    ("blake-2s", Algorithm::Blake2s256),
    ("blake-2s-256", Algorithm::Blake2s256),
    ("blake-3", Algorithm::Blake3),
    ("sha-256d", Algorithm::Sha256d),
    ("sha-2-256d", Algorithm::Sha256d),
];

/// Whether a name is this spelling, in any case, with or without a separator at each `-`.
pub(crate) fn is_spelled(name: &str, spelling: &str) -> bool {
    let mut given = name.bytes().peekable();
    let follows = spelling.bytes().all(|byte| {
        if byte == b'-' {
            given.next_if(|given| matches!(given, b'-' | b'_' | b'/'));
            return true;
        }
        given.next().is_some_and(|given| given.eq_ignore_ascii_case(&byte))
    });
    follows && given.next().is_none()
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::from_name(name)
    }
}

/// A name that no algorithm of this crate has.
///
/// The message has the name (at most its first 60 bytes) and lists the algorithms.
///
/// ```
/// use hashlanes::Algorithm;
///
/// let error = Algorithm::from_name("sha4").unwrap_err();
/// assert!(error.to_string().starts_with("unknown algorithm 'sha4'; there are md5, sha1, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    name: GivenName,
}

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm {}; there are ", self.name)?;
        for (i, algorithm) in Algorithm::ALL.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{algorithm}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAlgorithm {}
