//! The functions that hash one message at a time, by name.

use std::borrow::Cow;

/// A function that hashes one message at a time. Another crate implements it, or it is too simple
/// for lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Single {
    /// BLAKE2b (RFC 7693) without a key and with a digest that is shorter than 64 bytes.
    Blake2b {
        /// Bits of the digest: a multiple of 8, from 8 to 504.
        bits: u16,
    },
    /// TurboSHAKE128 (RFC 9861) with the domain separation byte 0x1f: 32 bytes.
    TurboShake128,
    /// TurboSHAKE256 (RFC 9861) with the domain separation byte 0x1f: 64 bytes.
    TurboShake256,
    /// KT128 (RFC 9861) without a customization string: 32 bytes. Its chunks of 8 KiB share lanes.
    Kt128,
    /// KT256 (RFC 9861) without a customization string: 64 bytes. Its chunks of 8 KiB share lanes.
    Kt256,
    /// The CRC-32 of zip, gzip and SFV files (ITU-T V.42): 4 bytes, big-endian.
    Crc32,
    /// The CRC-32C (Castagnoli) of iSCSI and of object stores: 4 bytes, big-endian.
    Crc32c,
    /// The CRC-64 of NVMe and of object stores: 8 bytes, big-endian.
    Crc64Nvme,
    /// XXH3: 8 bytes, big-endian. Like the next two, it detects only accidental changes.
    Xxh3,
    /// XXH64: 8 bytes, big-endian.
    Xxh64,
    /// XXH128, the long form of XXH3: 16 bytes, big-endian.
    Xxh128,
    /// The CRC of POSIX `cksum`, which includes the length: 4 bytes, big-endian.
    PosixCrc,
    /// The checksum of `sum` on BSD: 2 bytes, big-endian.
    BsdSum,
    /// The checksum of `sum` on System V: 2 bytes, big-endian.
    SysvSum,
}

impl Single {
    /// The functions that users choose by name. The others exist for the output of `cksum` and
    /// `sum`.
    pub(super) const NAMED: [Self; 10] = [
        Self::TurboShake128,
        Self::TurboShake256,
        Self::Kt128,
        Self::Kt256,
        Self::Crc32,
        Self::Crc32c,
        Self::Crc64Nvme,
        Self::Xxh3,
        Self::Xxh64,
        Self::Xxh128,
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(|c| !matches!(c, '-' | '_' | '/'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match &*plain {
            "crc32" | "crc32b" => Some(Self::Crc32),
            "crc32c" => Some(Self::Crc32c),
            "crc64nvme" => Some(Self::Crc64Nvme),
            "xxh3" | "xxh364" => Some(Self::Xxh3),
            "xxh64" => Some(Self::Xxh64),
            "xxh128" | "xxh3128" => Some(Self::Xxh128),
            "turboshake128" => Some(Self::TurboShake128),
            "turboshake256" => Some(Self::TurboShake256),
            "kt128" => Some(Self::Kt128),
            "kt256" => Some(Self::Kt256),
            other => blake2b(other.strip_prefix("blake2b")?),
        }
    }

    pub(super) fn name(self) -> Cow<'static, str> {
        match self {
            Self::Blake2b { bits } => format!("blake2b-{bits}").into(),
            Self::Crc32 => "crc32".into(),
            Self::Crc32c => "crc32c".into(),
            Self::Crc64Nvme => "crc64nvme".into(),
            Self::Xxh3 => "xxh3".into(),
            Self::Xxh64 => "xxh64".into(),
            Self::Xxh128 => "xxh128".into(),
            Self::TurboShake128 => "turboshake128".into(),
            Self::TurboShake256 => "turboshake256".into(),
            Self::Kt128 => "kt128".into(),
            Self::Kt256 => "kt256".into(),
            Self::PosixCrc => "crc".into(),
            Self::BsdSum => "bsd".into(),
            Self::SysvSum => "sysv".into(),
        }
    }

    pub(super) fn tag(self) -> Cow<'static, str> {
        match self {
            Self::Blake2b { bits } => format!("BLAKE2b-{bits}").into(),
            Self::TurboShake128 => "TurboSHAKE128".into(),
            Self::TurboShake256 => "TurboSHAKE256".into(),
            _ => self.name().to_uppercase().into(),
        }
    }

    pub(super) fn digest_len(self) -> usize {
        match self {
            Self::Blake2b { bits } => usize::from(bits / 8),
            Self::TurboShake256 | Self::Kt256 => 64,
            Self::TurboShake128 | Self::Kt128 => 32,
            Self::Xxh128 => 16,
            Self::Crc64Nvme | Self::Xxh3 | Self::Xxh64 => 8,
            Self::Crc32 | Self::Crc32c | Self::PosixCrc => 4,
            Self::BsdSum | Self::SysvSum => 2,
        }
    }
}

/// BLAKE2b with the number of bits in the text.
fn blake2b(bits: &str) -> Option<Single> {
    let bits: u16 = bits.parse().ok()?;
    let is_possible = bits > 0 && bits < 512 && bits.is_multiple_of(8);
    is_possible.then_some(Single::Blake2b { bits })
}
