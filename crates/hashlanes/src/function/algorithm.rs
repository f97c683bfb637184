//! The hash functions by name.

use core::fmt;
use core::str::FromStr;

use super::given_name::GivenName;

/// Declares the enum, from a line for each function: its feature, variant, name, tag, bytes of a
/// digest and of a block, and its spellings in lower case, with `-` for an optional separator.
macro_rules! algorithms {
    ($(
        #[doc = $doc:literal]
        $feature:literal $variant:ident $name:literal $tag:literal $digest:literal $block:literal
        [$($spelling:literal)*]
    )*) => {
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
        pub enum Algorithm {$(
            #[doc = $doc]
            #[cfg(feature = $feature)]
            $variant,
        )*}

        impl Algorithm {
            /// All algorithms that are compiled in: see [the crate's features](crate#features).
            /// Later versions may add others at the end.
            pub const ALL: &'static [Self] = &[$(
                #[cfg(feature = $feature)]
                Self::$variant,
            )*];

            /// The name in lower case: `md5`, `sha1`, `sha224`, `sha256`, `sha384`, `sha512`,
            /// `sha512-256`, `sm3`, `sha3-224`, `sha3-256`, `sha3-384`, `sha3-512`, `keccak256`,
            /// `keccak512`, `shake128`, `shake256`, `blake2b`, `blake2s`, `blake3`, `sha256d`.
            pub const fn name(self) -> &'static str {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => $name,
                )*}
            }

            /// The name in tagged checksum lines (`SHA256 (file) = ..`), as coreutils write it, or
            /// Perl's shasum for SHA-512/256, which coreutils lack.
            pub const fn tag(self) -> &'static str {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => $tag,
                )*}
            }

            /// Bytes of a digest.
            pub const fn digest_len(self) -> usize {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => $digest,
                )*}
            }

            /// Bytes of a message block: 64 or 128, and 72 to 168 for SHA-3 and its relatives,
            /// where it is called the rate.
            pub const fn block_len(self) -> usize {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => $block,
                )*}
            }
        }

        /// Every spelling, and its algorithm.
        const SPELLINGS: &[(&str, Algorithm)] = &[$($(
            #[cfg(feature = $feature)]
            ($spelling, Algorithm::$variant),
        )*)*];
    };
}

algorithms! {
    /// MD5 (RFC 1321), 16 bytes.
    "md5" Md5 "md5" "MD5" 16 64 ["md-5"]
    /// SHA-1 (FIPS 180-4), 20 bytes.
    "sha1" Sha1 "sha1" "SHA1" 20 64 ["sha-1" "sha" "sha-160"]
    /// SHA-224 (FIPS 180-4), 28 bytes.
    "sha2" Sha224 "sha224" "SHA224" 28 64 ["sha-224" "sha-2-224"]
    /// SHA-256 (FIPS 180-4), 32 bytes.
    "sha2" Sha256 "sha256" "SHA256" 32 64 ["sha-256" "sha-2-256"]
    /// SHA-384 (FIPS 180-4), 48 bytes.
    "sha2" Sha384 "sha384" "SHA384" 48 128 ["sha-384" "sha-2-384"]
    /// SHA-512 (FIPS 180-4), 64 bytes.
    "sha2" Sha512 "sha512" "SHA512" 64 128 ["sha-512" "sha-2-512"]
    /// SHA-512/256 (FIPS 180-4), 32 bytes.
    "sha2" Sha512_256 "sha512-256" "SHA512/256" 32 128
        ["sha-512-256" "sha-2-512-256" "sha-512-t256"]
    /// SM3 (GB/T 32905-2016), 32 bytes.
    "sm3" Sm3 "sm3" "SM3" 32 64 ["sm-3"]
    /// SHA3-224 (FIPS 202), 28 bytes.
    "sha3" Sha3_224 "sha3-224" "SHA3-224" 28 144 ["sha-3-224"]
    /// SHA3-256 (FIPS 202), 32 bytes.
    "sha3" Sha3_256 "sha3-256" "SHA3-256" 32 136 ["sha-3-256"]
    /// SHA3-384 (FIPS 202), 48 bytes.
    "sha3" Sha3_384 "sha3-384" "SHA3-384" 48 104 ["sha-3-384"]
    /// SHA3-512 (FIPS 202), 64 bytes.
    "sha3" Sha3_512 "sha3-512" "SHA3-512" 64 72 ["sha-3-512"]
    /// Keccak-256, with the padding from before FIPS 202, 32 bytes.
    "sha3" Keccak256 "keccak256" "KECCAK256" 32 136 ["keccak-256"]
    /// Keccak-512, with the padding from before FIPS 202, 64 bytes.
    "sha3" Keccak512 "keccak512" "KECCAK512" 64 72 ["keccak-512"]
    /// SHAKE128 (FIPS 202) with 32 bytes (RFC 8702).
    "sha3" Shake128 "shake128" "SHAKE128" 32 168 ["shake-128"]
    /// SHAKE256 (FIPS 202) with 64 bytes (RFC 8702).
    "sha3" Shake256 "shake256" "SHAKE256" 64 136 ["shake-256"]
    /// BLAKE2b (RFC 7693), 64 bytes.
    "blake2" Blake2b512 "blake2b" "BLAKE2b" 64 128 ["blake-2b" "blake-2b-512"]
    /// BLAKE2s (RFC 7693), 32 bytes.
    "blake2" Blake2s256 "blake2s" "BLAKE2s" 32 64 ["blake-2s" "blake-2s-256"]
    /// BLAKE3, 32 bytes.
    "blake3" Blake3 "blake3" "BLAKE3" 32 64 ["blake-3"]
    /// SHA-256 of SHA-256's digest, as Bitcoin uses it, 32 bytes.
    "sha2" Sha256d "sha256d" "SHA256D" 32 64 ["sha-256d" "sha-2-256d"]
}

impl Algorithm {
    /// The algorithm with this name. Case does not matter, and one `-`, `_` or `/` may stand
    /// between the parts of a name: `sha256`, `SHA-256`, `sha2-256` and `SHA_256` are all the same,
    /// as are `sha512/256`, `SHA-512/256`, `sha512-256` and `sha512t256`; `sha` is SHA-1. Spaces
    /// are not accepted.
    ///
    /// # Errors
    /// If no algorithm of this crate has the name. The message lists all names.
    pub fn from_name(name: &str) -> Result<Self, UnknownAlgorithm> {
        let found = SPELLINGS.iter().find(|(spelling, _)| is_spelled(name, spelling));
        found
            .map(|&(_, algorithm)| algorithm)
            .ok_or_else(|| UnknownAlgorithm { name: GivenName::new(name) })
    }
}

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
/// The message contains the name (at most its first 60 bytes) and lists the algorithms.
///
/// ```
/// use hashlanes::Algorithm;
///
/// let error = Algorithm::from_name("sha4").unwrap_err();
/// assert!(error.to_string().starts_with("unknown algorithm 'sha4'; expected one of md5, sha1, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    name: GivenName,
}

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm {}; expected one of ", self.name)?;
        for (i, algorithm) in Algorithm::ALL.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{algorithm}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAlgorithm {}
