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

/// The functions other than BLAKE2b, with their names and the lengths of their digests.
const ALL: [(Single, &str, usize); 13] = [
    (Single::TurboShake128, "turboshake128", 32),
    (Single::TurboShake256, "turboshake256", 64),
    (Single::Kt128, "kt128", 32),
    (Single::Kt256, "kt256", 64),
    (Single::Crc32, "crc32", 4),
    (Single::Crc32c, "crc32c", 4),
    (Single::Crc64Nvme, "crc64nvme", 8),
    (Single::Xxh3, "xxh3", 8),
    (Single::Xxh64, "xxh64", 8),
    (Single::Xxh128, "xxh128", 16),
    (Single::PosixCrc, "crc", 4),
    (Single::BsdSum, "bsd", 2),
    (Single::SysvSum, "sysv", 2),
];

/// How many of these users choose by name. The others exist for the output of `cksum` and `sum`.
const NAMED: usize = 10;

impl Single {
    /// The functions that users choose by name.
    pub(super) fn named() -> impl Iterator<Item = Self> {
        ALL[..NAMED].iter().map(|(function, ..)| *function)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(|c| !matches!(c, '-' | '_' | '/'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let plain = match &*plain {
            "crc32b" => "crc32",
            "xxh364" => "xxh3",
            "xxh3128" => "xxh128",
            other => other,
        };
        let found = Self::named().find(|function| function.name() == plain);
        found.or_else(|| blake2b(plain.strip_prefix("blake2b")?))
    }

    /// The name, and the length of a digest in bytes.
    fn about(self) -> (Cow<'static, str>, usize) {
        if let Self::Blake2b { bits } = self {
            return (format!("blake2b-{bits}").into(), usize::from(bits / 8));
        }
        let row = ALL.iter().find(|(function, ..)| *function == self);
        let (_, name, digest_len) = row.expect("all functions are in the table");
        ((*name).into(), *digest_len)
    }

    pub(super) fn name(self) -> Cow<'static, str> {
        self.about().0
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
        self.about().1
    }
}

/// BLAKE2b with the number of bits in the text.
fn blake2b(bits: &str) -> Option<Single> {
    let bits: u16 = bits.parse().ok()?;
    let is_possible = bits > 0 && bits < 512 && bits.is_multiple_of(8);
    is_possible.then_some(Single::Blake2b { bits })
}
