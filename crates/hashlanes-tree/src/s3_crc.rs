//! The CRCs that S3 and compatible stores keep for objects, in base64.
//!
//! A *full object* checksum is the CRC of all bytes, however they were uploaded. Here all cores
//! compute the CRCs of its parts, which are then combined. A *composite* checksum is the CRC of the
//! CRCs of the uploaded parts, followed by the number of parts: `hZ/Mcg==-3`. CRC64NVME has only
//! full object checksums.

use std::io;

use hashlanes_files::manifest::Digits;
use hashlanes_files::{Digest, Engine, Hashers, Single};

use crate::{Plan, Sink};

/// The part size for a full object checksum, whose result does not depend on it.
const PART: u64 = 1 << 20;

/// A CRC that S3 can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crc {
    /// CRC-32, as in zip.
    Crc32,
    /// CRC-32C (Castagnoli).
    Crc32c,
    /// CRC-64 of NVMe.
    Crc64Nvme,
}

impl Crc {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Crc32, Self::Crc32c, Self::Crc64Nvme];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "s3-crc32",
            Self::Crc32c => "s3-crc32c",
            Self::Crc64Nvme => "s3-crc64nvme",
        }
    }

    /// Whether S3 has composite checksums with this CRC.
    pub fn is_composite(self) -> bool {
        self != Self::Crc64Nvme
    }

    /// The function.
    pub fn function(self) -> Single {
        match self {
            Self::Crc32 => Single::Crc32,
            Self::Crc32c => Single::Crc32c,
            Self::Crc64Nvme => Single::Crc64Nvme,
        }
    }
}

/// Collects the CRCs of the parts of one object.
pub struct Crcs {
    function: Single,
    /// Bytes of each part except the last.
    part: u64,
    /// Hashes the CRCs of all parts, for a composite checksum.
    composite: Option<Hashers>,
    count: u64,
    /// The CRC of all parts except the last, for a full object checksum.
    before: Option<Digest>,
    last: Option<Digest>,
}

impl Crcs {
    /// The checksum of the full object.
    pub fn full(crc: Crc) -> Self {
        Self::new(crc, PART, None)
    }

    /// The composite checksum of parts of this size.
    ///
    /// # Panics
    /// If `part` is 0, or S3 has no composite checksums with this CRC.
    pub fn composite(crc: Crc, part: u64) -> Self {
        assert!(part > 0, "a part must have at least one byte");
        assert!(crc.is_composite(), "{} has no composite checksums", crc.name());
        Self::new(crc, part, Some(Engine::Single(crc.function()).hashers(1)))
    }

    fn new(crc: Crc, part: u64, composite: Option<Hashers>) -> Self {
        Self { function: crc.function(), part, composite, count: 0, before: None, last: None }
    }

    /// The plan whose digests this sink takes.
    pub fn plan(&self) -> Plan {
        Plan::single(self.function, self.part)
    }

    /// The checksum of an object of `length` bytes. An object shorter than `threshold` was not
    /// uploaded in parts.
    pub fn finish(mut self, length: u64, threshold: u64) -> String {
        if self.count == 0 {
            self.add(Engine::Single(self.function).digest(b""));
        }
        if let Some(mut composite) = self.composite.take_if(|_| length >= threshold) {
            return format!(
                "{}-{}",
                Digits::Base64.text(composite.finalize_reset(0).as_bytes()),
                self.count
            );
        }
        let last = length - (self.count - 1) * self.part;
        Digits::Base64.text(self.joined(last).expect("there is a part").as_bytes())
    }

    /// The CRC of all parts, the last of which has `length` bytes.
    fn joined(&self, length: u64) -> Option<Digest> {
        match (&self.before, &self.last) {
            (Some(before), Some(last)) => self.function.combine(before, last, length),
            (_, last) => *last,
        }
    }

    fn add(&mut self, crc: Digest) {
        match &mut self.composite {
            Some(composite) => composite.update(&[crc.as_bytes()]),
            None => self.before = self.joined(self.part),
        }
        self.last = Some(crc);
        self.count += 1;
    }
}

impl Sink for Crcs {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        let crcs = digests.chunks_exact(self.plan().digest_len());
        crcs.filter_map(Digest::from_slice).for_each(|crc| self.add(crc));
        Ok(())
    }
}
#[cfg(test)]
mod tests {
    use crate::{Format, Settings, digest};

    /// From zlib and the Python packages crc32c and awscrt: a length, and the checksums by `TAGS`.
    const KNOWN: [(usize, [&str; 5]); 5] = [
        (0, ["AAAAAA==", "AAAAAA==", "AAAAAAAAAAA=", "AAAAAA==", "AAAAAA=="]),
        (1, ["0gLvjQ==", "Un1TUQ==", "1dpQR+/shyg=", "0gLvjQ==", "Un1TUQ=="]),
        (PART, ["Ky5KGg==", "ZiMWfg==", "cYqoUuXOQFY=", "k1DCPA==-1", "cCFiJw==-1"]),
        (PART + 1, ["L0s4vQ==", "j/ubbQ==", "Ta77irfzr/s=", "HxnwQw==-2", "DS7kTw==-2"]),
        (PART * 5 / 2, ["1jbmbA==", "S+pIVw==", "e2FeqVVkMvE=", "GbIKyw==-3", "6H4QCw==-3"]),
    ];
    const TAGS: [&str; 5] =
        ["S3-CRC32", "S3-CRC32C", "S3-CRC64NVME", "S3-CRC32-1048576", "S3-CRC32C-1048576"];
    const PART: usize = 1 << 20;

    #[test]
    fn checksums_are_those_of_other_programs() {
        let object: Vec<u8> =
            (0..PART as u32 * 5 / 2).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let formats = TAGS.map(|tag| Format::from_tag(tag).unwrap());
        for (length, expected) in KNOWN {
            let object = &object[..length];
            let together = digest(object, &formats, &Settings::default()).unwrap();
            assert_eq!(together, expected, "{length} bytes");
            for (format, expected) in formats.iter().zip(expected) {
                let alone = digest(object, std::slice::from_ref(format), &Settings::default());
                assert_eq!(alone.unwrap(), [expected], "{length} bytes, {}", format.tag());
            }
        }
    }
}
