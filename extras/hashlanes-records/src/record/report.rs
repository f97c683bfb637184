//! Reports of a sealer.

use std::fmt;

use crate::lane_use::LaneUse;

/// What was sealed, which kernels ran, and how full their lanes were.
///
/// Its text is one line: `32 records; CBC vaes256-x8, 100 % of lanes; HMAC avx512, 100 % of
/// lanes`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SealReport {
    /// Records.
    pub records: u64,
    /// Bytes of plaintext in them.
    pub plaintext: u64,
    /// Bytes for the wire.
    pub wire: u64,
    /// How the lanes of the encryption were used.
    pub cbc: LaneUse,
    /// How the lanes of the MACs' inner hashes were used, by the kernels that the library chooses
    /// for the number and lengths of the messages.
    pub mac: LaneUse,
}

impl SealReport {
    /// Adds another report.
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.plaintext += other.plaintext;
        self.wire += other.wire;
        self.cbc.add(&other.cbc);
        self.mac.add(&other.mac);
    }
}

impl fmt::Display for SealReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records; CBC {}; HMAC {}", self.records, self.cbc, self.mac)
    }
}
