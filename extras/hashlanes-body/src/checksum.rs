//! The checksums that can be computed of a body.

use crc_fast::CrcAlgorithm;
use hashlanes::Algorithm;

/// A checksum of a body: a digest of hashlanes, or one of the CRCs of object stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checksum {
    /// A hash function, computed in lanes that all bodies share.
    Hash(Algorithm),
    /// CRC-32 of ISO-HDLC, as in gzip; 4 bytes.
    Crc32,
    /// CRC-32 of Castagnoli, as in iSCSI; 4 bytes.
    Crc32c,
    /// CRC-64 of NVMe; 8 bytes.
    Crc64Nvme,
}

impl Checksum {
    /// MD5, which is the ETag of an object that was uploaded in one part.
    pub const MD5: Self = Self::Hash(Algorithm::Md5);
    /// SHA-1.
    pub const SHA1: Self = Self::Hash(Algorithm::Sha1);
    /// SHA-256.
    pub const SHA256: Self = Self::Hash(Algorithm::Sha256);
    /// SHA-512.
    pub const SHA512: Self = Self::Hash(Algorithm::Sha512);

    /// The algorithm's name, as elsewhere in hashlanes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash(algorithm) => algorithm.name(),
            Self::Crc32 => "crc32",
            Self::Crc32c => "crc32c",
            Self::Crc64Nvme => "crc64nvme",
        }
    }

    /// The parameters and the length in bytes, if it is a CRC.
    pub(crate) fn crc(self) -> Option<(CrcAlgorithm, usize)> {
        match self {
            Self::Hash(_) => None,
            Self::Crc32 => Some((CrcAlgorithm::Crc32IsoHdlc, 4)),
            Self::Crc32c => Some((CrcAlgorithm::Crc32Iscsi, 4)),
            Self::Crc64Nvme => Some((CrcAlgorithm::Crc64Nvme, 8)),
        }
    }
}

impl From<Algorithm> for Checksum {
    fn from(algorithm: Algorithm) -> Self {
        Self::Hash(algorithm)
    }
}
