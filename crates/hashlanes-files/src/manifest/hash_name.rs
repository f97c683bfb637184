//! The names of hash functions in manifests, including functions that this crate cannot compute.
//!
//! A reader must know all of them, to distinguish a line of a function that cannot be computed from
//! a malformed line.

use std::borrow::Cow;
use std::fmt;

/// A hash function and the length of its digests.
///
/// ```
/// use hashlanes_files::manifest::HashName;
///
/// let function = HashName::named("SHA2-256").unwrap();
/// assert_eq!((&*function.name(), &*function.tag()), ("sha256", "SHA256"));
/// assert_eq!(HashName::named("blake2b-160").unwrap().digest_len(), 20);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashName {
    /// Its index in `KNOWN`.
    index: u8,
    /// Bytes of a digest.
    length: u8,
}

/// The names of a function.
struct Known {
    /// In lower case, as in `-a` and JSON.
    name: &'static str,
    /// As in tagged lines.
    tag: &'static str,
    /// Bytes of a digest.
    length: u8,
    /// Other spellings, in lower case without separators.
    others: &'static [&'static str],
    /// Digests of any smaller length have a name, too: `blake2b-256`.
    shortens: bool,
}

const fn known(
    name: &'static str,
    tag: &'static str,
    length: u8,
    others: &'static [&'static str],
) -> Known {
    Known { name, tag, length, others, shortens: false }
}

const fn shortening(name: &'static str, tag: &'static str, length: u8) -> Known {
    Known { name, tag, length, others: &[], shortens: true }
}

/// The functions that the length of a digest in a plain line implies come before others with
/// digests of that length.
const KNOWN: &[Known] = &[
    known("md5", "MD5", 16, &[]),
    known("sha1", "SHA1", 20, &["sha", "sha160"]),
    known("sha224", "SHA224", 28, &["sha2224"]),
    known("sha256", "SHA256", 32, &["sha2256"]),
    known("sha384", "SHA384", 48, &["sha2384"]),
    known("sha512", "SHA512", 64, &["sha2512", "c4"]),
    known("sha512-256", "SHA512/256", 32, &["sha2512256", "sha512t256"]),
    known("sm3", "SM3", 32, &[]),
    known("crc32", "CRC32", 4, &["crc32b"]),
    known("crc32c", "CRC32C", 4, &[]),
    Known { others: &["b2"], ..shortening("blake2b", "BLAKE2b", 64) },
    shortening("blake2s", "BLAKE2s", 32),
    known("blake3", "BLAKE3", 32, &["b3"]),
    known("sha3-224", "SHA3-224", 28, &[]),
    known("sha3-256", "SHA3-256", 32, &[]),
    known("sha3-384", "SHA3-384", 48, &[]),
    known("sha3-512", "SHA3-512", 64, &[]),
    known("keccak256", "KECCAK256", 32, &[]),
    known("keccak512", "KECCAK512", 64, &[]),
    known("shake128", "SHAKE128", 32, &[]),
    known("shake256", "SHAKE256", 64, &[]),
    known("turboshake128", "TurboSHAKE128", 32, &[]),
    known("turboshake256", "TurboSHAKE256", 64, &[]),
    known("kt128", "KT128", 32, &[]),
    known("kt256", "KT256", 64, &[]),
    known("sha256d", "SHA256D", 32, &["sha2256d"]),
    known("sha512-224", "SHA512/224", 28, &["sha2512224", "sha512t224"]),
    known("md4", "MD4", 16, &[]),
    known("ripemd160", "RIPEMD160", 20, &["rmd160", "ripemd"]),
    known("tiger", "TIGER", 24, &[]),
    known("whirlpool", "WHIRLPOOL", 64, &[]),
    known("crc64nvme", "CRC64NVME", 8, &[]),
    known("xxh3", "XXH3", 8, &["xxh364"]),
    known("xxh64", "XXH64", 8, &["xxhash64be"]),
    known("xxh128", "XXH128", 16, &["xxh3128"]),
    known("xxh32", "XXH32", 4, &["xxhash32"]),
];

impl HashName {
    /// The function with this name. Case, `-`, `_` and `/` do not matter; spaces are not accepted.
    /// BLAKE2b with shorter digests is `blake2b-256` and so on, in bits.
    pub fn named(name: &str) -> Option<Self> {
        // No name is longer. This bounds the work for a malformed line.
        if name.len() > 24 {
            return None;
        }
        let plain: String = plain(name).collect();
        let of = |index: usize, length| Self { index: index as u8, length };
        for (index, known) in KNOWN.iter().enumerate() {
            if self::plain(known.name).eq(plain.chars()) || known.others.contains(&&*plain) {
                return Some(of(index, known.length));
            }
            if let Some(bits) = plain.strip_prefix(known.name).filter(|_| known.shortens) {
                let bits: u16 = bits.parse().ok()?;
                let length = u8::try_from(bits / 8).ok()?;
                let fits = bits.is_multiple_of(8) && (1..=known.length).contains(&length);
                return fits.then(|| of(index, length));
            }
        }
        None
    }

    /// The name in lower case, as in options, JSON and CSV.
    pub fn name(self) -> Cow<'static, str> {
        self.with_length(self.known().name)
    }

    /// The name in tagged lines (`SHA256 (file) = ..`).
    pub fn tag(self) -> Cow<'static, str> {
        self.with_length(self.known().tag)
    }

    /// Bytes of a digest.
    pub fn digest_len(self) -> usize {
        self.length.into()
    }

    /// The function that a digest of `length` bytes in a plain line implies.
    pub(super) fn by_length(length: usize) -> Option<Self> {
        let all = || KNOWN.iter().take(BY_LENGTH);
        let index = all().position(|known| usize::from(known.length) == length)?;
        Some(Self { index: index as u8, length: length as u8 })
    }

    /// The functions with digests of this length that the length does not imply.
    pub(super) fn of_length(length: usize) -> impl Iterator<Item = Self> {
        let all = KNOWN.iter().enumerate();
        let of = |index: usize, length: u8| Self { index: index as u8, length };
        all.filter(move |(_, known)| usize::from(known.length) == length)
            .map(move |(index, known)| of(index, known.length))
    }

    /// This function with digests of another length, if there is such a variant.
    pub(super) fn with_digest_len(self, length: usize) -> Option<Self> {
        let most = usize::from(self.known().length);
        let fits = length == most || self.known().shortens && (1..most).contains(&length);
        fits.then_some(Self { length: length as u8, ..self })
    }

    /// Whether this is `other`, or `other` with digests of another length.
    pub(super) fn is_variant_of(self, other: Self) -> bool {
        self.index == other.index
    }

    /// Whether all tools write the same tag for this function.
    pub(super) fn has_one_tag(self) -> bool {
        self.index < ONE_TAG
    }

    /// All functions whose plain lines look like those of this one, which is among them.
    pub fn look_alikes(self) -> impl Iterator<Item = Self> {
        let length = self.length;
        let fits =
            move |known: &Known| known.length == length || known.shortens && known.length > length;
        let of = move |index: usize| Self { index: index as u8, length };
        KNOWN.iter().enumerate().filter(move |(_, known)| fits(known)).map(move |(i, _)| of(i))
    }

    fn known(self) -> &'static Known {
        &KNOWN[usize::from(self.index)]
    }

    fn with_length(self, name: &'static str) -> Cow<'static, str> {
        if self.length == self.known().length {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(format!("{name}-{}", 8 * u16::from(self.length)))
        }
    }
}

/// The number of functions in `KNOWN` that the length of a digest implies.
const BY_LENGTH: usize = 6;

/// The number of functions in `KNOWN` for which all tools write the same tag.
const ONE_TAG: u8 = 8;

impl fmt::Debug for HashName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Display for HashName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

/// A name in lower case without separators.
fn plain(name: &str) -> impl Iterator<Item = char> {
    let is_kept = |c: &char| !matches!(c, '-' | '_' | '/');
    name.chars().filter(is_kept).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;

    #[test]
    fn names_and_tags_are_those_of_the_library() {
        for &algorithm in Algorithm::ALL {
            for spelling in [algorithm.name(), algorithm.tag()] {
                let function = HashName::named(spelling).unwrap();
                assert_eq!(function.name(), algorithm.name());
                assert_eq!(function.tag(), algorithm.tag());
                assert_eq!(function.digest_len(), algorithm.digest_len());
            }
        }
    }

    #[test]
    fn names_and_tags_come_back() {
        for index in 0..KNOWN.len() {
            let function = HashName { index: index as u8, length: KNOWN[index].length };
            assert_eq!(HashName::named(&function.name()), Some(function));
            assert_eq!(HashName::named(&function.tag()), Some(function));
        }
        let short = HashName::named("BLAKE2b-160").unwrap();
        assert_eq!((&*short.name(), &*short.tag()), ("blake2b-160", "BLAKE2b-160"));
        assert_eq!(HashName::named("blake2s256").unwrap().name(), "blake2s");
        for none in ["", "blake2b-0", "blake2b-7", "blake2b-520", "blake2b-x", "sha3", "md 5"] {
            assert_eq!(HashName::named(none), None, "{none}");
        }
    }

    #[test]
    fn lengths_tell_the_most_common_function() {
        assert_eq!(HashName::by_length(32).unwrap().name(), "sha256");
        assert_eq!(HashName::by_length(4), None);
        let names: Vec<_> =
            HashName::named("sha512").unwrap().look_alikes().map(|f| f.to_string()).collect();
        assert_eq!(
            names,
            [
                "sha512",
                "blake2b",
                "sha3-512",
                "keccak512",
                "shake256",
                "turboshake256",
                "kt256",
                "whirlpool"
            ]
        );
    }
}
