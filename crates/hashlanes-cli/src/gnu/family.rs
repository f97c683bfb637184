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

impl Family {
    /// In the order in which `cksum` lists them.
    pub(super) const ALL: [Self; 14] = [
        Self::Bsd,
        Self::Sysv,
        Self::Crc,
        Self::Crc32b,
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha2,
        Self::Sha3,
        Self::Blake2b,
        Self::Sm3,
    ];

    /// The argument of `--algorithm`. It cannot be abbreviated.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bsd => "bsd",
            Self::Sysv => "sysv",
            Self::Crc => "crc",
            Self::Crc32b => "crc32b",
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Sha2 => "sha2",
            Self::Sha3 => "sha3",
            Self::Blake2b => "blake2b",
            Self::Sm3 => "sm3",
        }
    }

    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name().as_bytes() == name)
    }

    /// The beginning of tagged lines, and the name in messages.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Bsd => "BSD",
            Self::Sysv => "SYSV",
            Self::Crc => "CRC",
            Self::Crc32b => "CRC32B",
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            Self::Sha2 => "SHA2",
            Self::Sha3 => "SHA3",
            Self::Blake2b => "BLAKE2b",
            Self::Sm3 => "SM3",
        }
    }

    /// Whether the output has the legacy format: a decimal checksum and the length.
    pub(super) fn is_legacy(self) -> bool {
        matches!(self, Self::Bsd | Self::Sysv | Self::Crc | Self::Crc32b)
    }

    /// Whether `--length` chooses among several functions.
    pub(super) fn has_lengths(self) -> bool {
        matches!(self, Self::Sha2 | Self::Sha3 | Self::Blake2b)
    }

    /// The function with digests of this many bits, which only families of several lengths need.
    /// `None` if there is none.
    pub(super) fn function(self, bits: Option<u16>) -> Option<Function> {
        Some(match self {
            Self::Bsd => Single::BsdSum.into(),
            Self::Sysv => Single::SysvSum.into(),
            Self::Crc => Single::PosixCrc.into(),
            Self::Crc32b => Single::Crc32.into(),
            Self::Md5 => Algorithm::Md5.into(),
            Self::Sha1 => Algorithm::Sha1.into(),
            Self::Sha224 => Algorithm::Sha224.into(),
            Self::Sha256 => Algorithm::Sha256.into(),
            Self::Sha384 => Algorithm::Sha384.into(),
            Self::Sha512 => Algorithm::Sha512.into(),
            Self::Sm3 => Algorithm::Sm3.into(),
            Self::Sha2 => match bits? {
                224 => Algorithm::Sha224.into(),
                256 => Algorithm::Sha256.into(),
                384 => Algorithm::Sha384.into(),
                512 => Algorithm::Sha512.into(),
                _ => return None,
            },
            Self::Sha3 => match bits? {
                224 => Algorithm::Sha3_224.into(),
                256 => Algorithm::Sha3_256.into(),
                384 => Algorithm::Sha3_384.into(),
                512 => Algorithm::Sha3_512.into(),
                _ => return None,
            },
            Self::Blake2b => match bits? {
                512 => Algorithm::Blake2b512.into(),
                bits @ 8..512 if bits % 8 == 0 => Single::Blake2b { bits }.into(),
                _ => return None,
            },
        })
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
