//! The parameter sets of FIPS 205, table 2.

/// Winternitz: each chain has 16 values, one per digit of 4 bits.
pub(crate) const LAST: u8 = 15;

/// The digits of a checksum.
const CHECKSUM: usize = 3;

/// A parameter set of FIPS 205 (table 2).
///
/// The name gives the family of hash functions, the security parameter `n` in bits, and the
/// strength of the set: *s* for small signatures, *f* for fast signing.
///
/// | | signature | public key | private key |
/// |---|---|---|---|
/// | `Sha2_128s`, `Shake128s` | 7,856 bytes | 32 bytes | 64 bytes |
/// | `Sha2_128f`, `Shake128f` | 17,088 bytes | 32 bytes | 64 bytes |
/// | `Sha2_192s`, `Shake192s` | 16,224 bytes | 48 bytes | 96 bytes |
/// | `Sha2_192f`, `Shake192f` | 35,664 bytes | 48 bytes | 96 bytes |
/// | `Sha2_256s`, `Shake256s` | 29,792 bytes | 64 bytes | 128 bytes |
/// | `Sha2_256f`, `Shake256f` | 49,856 bytes | 64 bytes | 128 bytes |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum ParameterSet {
    Sha2_128s,
    Shake128s,
    Sha2_128f,
    Shake128f,
    Sha2_192s,
    Shake192s,
    Sha2_192f,
    Shake192f,
    Sha2_256s,
    Shake256s,
    Sha2_256f,
    Shake256f,
}

/// The dimensions of a parameter set. The names are those of FIPS 205.
#[derive(Clone, Copy)]
pub(crate) struct Dimensions {
    /// The bytes of a node.
    pub(crate) n: usize,
    /// The layers of the hypertree.
    pub(crate) d: usize,
    /// The height of a tree in the hypertree.
    pub(crate) tree_height: u32,
    /// The height of a FORS tree.
    pub(crate) a: u32,
    /// The number of FORS trees.
    pub(crate) k: usize,
}

impl ParameterSet {
    /// All parameter sets.
    pub const ALL: [Self; 12] = [
        Self::Sha2_128s,
        Self::Shake128s,
        Self::Sha2_128f,
        Self::Shake128f,
        Self::Sha2_192s,
        Self::Shake192s,
        Self::Sha2_192f,
        Self::Shake192f,
        Self::Sha2_256s,
        Self::Shake256s,
        Self::Sha2_256f,
        Self::Shake256f,
    ];

    /// The name of the standard, such as `SLH-DSA-SHA2-128s`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha2_128s => "SLH-DSA-SHA2-128s",
            Self::Shake128s => "SLH-DSA-SHAKE-128s",
            Self::Sha2_128f => "SLH-DSA-SHA2-128f",
            Self::Shake128f => "SLH-DSA-SHAKE-128f",
            Self::Sha2_192s => "SLH-DSA-SHA2-192s",
            Self::Shake192s => "SLH-DSA-SHAKE-192s",
            Self::Sha2_192f => "SLH-DSA-SHA2-192f",
            Self::Shake192f => "SLH-DSA-SHAKE-192f",
            Self::Sha2_256s => "SLH-DSA-SHA2-256s",
            Self::Shake256s => "SLH-DSA-SHAKE-256s",
            Self::Sha2_256f => "SLH-DSA-SHA2-256f",
            Self::Shake256f => "SLH-DSA-SHAKE-256f",
        }
    }

    /// The set with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name().eq_ignore_ascii_case(name))
    }

    /// The length of a public key in bytes.
    pub const fn public_key_len(self) -> usize {
        2 * self.dimensions().n
    }

    /// The length of a private key in bytes.
    pub const fn private_key_len(self) -> usize {
        4 * self.dimensions().n
    }

    /// The length of a signature in bytes.
    pub const fn signature_len(self) -> usize {
        let all = self.dimensions();
        all.n + all.fors_len() + all.d * all.layer_len()
    }

    pub(crate) const fn is_shake(self) -> bool {
        matches!(
            self,
            Self::Shake128s
                | Self::Shake128f
                | Self::Shake192s
                | Self::Shake192f
                | Self::Shake256s
                | Self::Shake256f
        )
    }

    pub(crate) const fn dimensions(self) -> Dimensions {
        let (n, d, tree_height, a, k) = match self {
            Self::Sha2_128s | Self::Shake128s => (16, 7, 9, 12, 14),
            Self::Sha2_128f | Self::Shake128f => (16, 22, 3, 6, 33),
            Self::Sha2_192s | Self::Shake192s => (24, 7, 9, 14, 17),
            Self::Sha2_192f | Self::Shake192f => (24, 22, 3, 8, 33),
            Self::Sha2_256s | Self::Shake256s => (32, 8, 8, 14, 22),
            Self::Sha2_256f | Self::Shake256f => (32, 17, 4, 9, 35),
        };
        Dimensions { n, d, tree_height, a, k }
    }
}

impl Dimensions {
    /// The chains of a one-time key: one per digit of a node, and those of the checksum.
    pub(crate) const fn chains(self) -> usize {
        2 * self.n + CHECKSUM
    }

    /// The bytes of the FORS trees in a signature: a secret and a path for each.
    pub(crate) const fn fors_len(self) -> usize {
        self.k * self.fors_tree_len()
    }

    pub(crate) const fn fors_tree_len(self) -> usize {
        (1 + self.a as usize) * self.n
    }

    /// The bytes of a layer in a signature: a one-time signature and a path.
    pub(crate) const fn layer_len(self) -> usize {
        (self.chains() + self.tree_height as usize) * self.n
    }

    /// The bits of a tree's number within the lowest layer.
    pub(crate) const fn tree_bits(self) -> u32 {
        self.tree_height * (self.d as u32 - 1)
    }
}
