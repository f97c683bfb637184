//! The names that `cksum --algorithm` accepts: functions, and families of functions of several
//! lengths.

use hashlanes::Algorithm;
use hashlanes_files::{Function, Single};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Bsd,
    Sysv,
    Crc,
    Crc32b,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha2,
    Sha3,
    Blake2b,
    Sm3,
}

/// The beginning of the tagged lines of each family, and its function, if it has only one. In the
/// order in which `cksum` lists them.
const FAMILIES: [(Family, &str, Option<Function>); 14] = [
    (Family::Bsd, "BSD", Some(Function::Single(Single::BsdSum))),
    (Family::Sysv, "SYSV", Some(Function::Single(Single::SysvSum))),
    (Family::Crc, "CRC", Some(Function::Single(Single::PosixCrc))),
    (Family::Crc32b, "CRC32B", Some(Function::Single(Single::Crc32))),
    (Family::Md5, "MD5", Some(Function::Lanes(Algorithm::Md5))),
    (Family::Sha1, "SHA1", Some(Function::Lanes(Algorithm::Sha1))),
    (Family::Sha224, "SHA224", Some(Function::Lanes(Algorithm::Sha224))),
    (Family::Sha256, "SHA256", Some(Function::Lanes(Algorithm::Sha256))),
    (Family::Sha384, "SHA384", Some(Function::Lanes(Algorithm::Sha384))),
    (Family::Sha512, "SHA512", Some(Function::Lanes(Algorithm::Sha512))),
    (Family::Sha2, "SHA2", None),
    (Family::Sha3, "SHA3", None),
    (Family::Blake2b, "BLAKE2b", None),
    (Family::Sm3, "SM3", Some(Function::Lanes(Algorithm::Sm3))),
];

impl Family {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        FAMILIES.into_iter().map(|(family, ..)| family)
    }

    fn row(self) -> (Self, &'static str, Option<Function>) {
        let row = FAMILIES.into_iter().find(|(family, ..)| *family == self);
        row.expect("every family has a row")
    }

    /// The argument of `--algorithm`. It cannot be abbreviated.
    pub(super) fn name(self) -> String {
        self.tag().to_ascii_lowercase()
    }

    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        Self::all().find(|family| family.name().as_bytes() == name)
    }

    /// The beginning of tagged lines, and the name in messages.
    pub(super) fn tag(self) -> &'static str {
        self.row().1
    }

    /// Whether the output has the legacy format: a decimal checksum and the length.
    pub(super) fn is_legacy(self) -> bool {
        matches!(self, Self::Bsd | Self::Sysv | Self::Crc | Self::Crc32b)
    }

    /// Whether `--length` chooses among several functions.
    pub(super) fn has_lengths(self) -> bool {
        self.row().2.is_none()
    }

    /// The function with digests of this many bits, which only families of several lengths need.
    /// `None` if there is none.
    pub(super) fn function(self, bits: Option<u16>) -> Option<Function> {
        if let (.., Some(only)) = self.row() {
            return Some(only);
        }
        match (self, bits?) {
            (Self::Sha2, 224) => Some(Algorithm::Sha224.into()),
            (Self::Sha2, 256) => Some(Algorithm::Sha256.into()),
            (Self::Sha2, 384) => Some(Algorithm::Sha384.into()),
            (Self::Sha2, 512) => Some(Algorithm::Sha512.into()),
            (Self::Sha3, 224) => Some(Algorithm::Sha3_224.into()),
            (Self::Sha3, 256) => Some(Algorithm::Sha3_256.into()),
            (Self::Sha3, 384) => Some(Algorithm::Sha3_384.into()),
            (Self::Sha3, 512) => Some(Algorithm::Sha3_512.into()),
            (Self::Blake2b, 512) => Some(Algorithm::Blake2b512.into()),
            (Self::Blake2b, bits @ 8..512) if bits % 8 == 0 => {
                Some(Single::Blake2b { bits }.into())
            }
            _ => None,
        }
    }

    /// All functions of the family.
    pub(super) fn functions(self) -> Vec<Function> {
        if self.has_lengths() {
            (8..=512).step_by(8).filter_map(|bits| self.function(Some(bits))).collect()
        } else {
            self.function(None).into_iter().collect()
        }
    }
}
