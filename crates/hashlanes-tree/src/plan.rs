//! Defines how content is cut into leaves, and how each leaf is hashed.

use hashlanes::Algorithm;
use hashlanes_files::{Engine, Single};

/// How a last leaf that is shorter than the others is hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLeaf {
    /// Without padding.
    #[default]
    Short,
    /// Padded with zeros to the length of the others.
    Zeros,
}

/// Cuts content into leaves of one size and hashes each: `digest(prefix, leaf, suffix)`.
///
/// Empty content has no leaves. Each format defines the digest of empty content.
///
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_tree::{LastLeaf, Plan};
///
/// // The data blocks of fs-verity with a salt: the salt comes before each block.
/// let plan = Plan::new(Algorithm::Sha256, 4096)
///     .with_prefix([7; 64])
///     .with_last_leaf(LastLeaf::Zeros);
/// assert_eq!(plan.leaves(4097), 2);
/// assert_eq!(plan.digest_len(), 32);
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) engine: Engine,
    pub(crate) leaf: u64,
    pub(crate) prefix: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    pub(crate) last_leaf: LastLeaf,
}

impl Plan {
    /// Leaves of `leaf` bytes.
    ///
    /// # Panics
    /// If `leaf` is 0.
    pub fn new(algorithm: Algorithm, leaf: u64) -> Self {
        Self::with_engine(hashlanes::Engine::of(algorithm), leaf)
    }

    /// Leaves of `leaf` bytes, hashed by this engine.
    ///
    /// # Panics
    /// If `leaf` is 0.
    pub fn with_engine(engine: hashlanes::Engine, leaf: u64) -> Self {
        Self::of(engine.into(), leaf)
    }

    /// Leaves of `leaf` bytes, hashed by a function without lanes. They have no prefix and no
    /// suffix.
    ///
    /// # Panics
    /// If `leaf` is 0.
    pub fn single(function: Single, leaf: u64) -> Self {
        Self::of(Engine::Single(function), leaf)
    }

    fn of(engine: Engine, leaf: u64) -> Self {
        assert!(leaf > 0, "a leaf must have at least one byte");
        let (prefix, suffix, last_leaf) = (Vec::new(), Vec::new(), LastLeaf::Short);
        Self { engine, leaf, prefix, suffix, last_leaf }
    }

    /// Sets bytes that precede each leaf. Full blocks of the function are hashed once for all
    /// leaves that are read in one piece.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<Vec<u8>>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// Sets bytes that follow each leaf. Each leaf is copied to append them.
    #[must_use]
    pub fn with_suffix(self, suffix: impl Into<Vec<u8>>) -> Self {
        Self { suffix: suffix.into(), ..self }
    }

    /// Sets how a short last leaf is hashed.
    #[must_use]
    pub fn with_last_leaf(self, last_leaf: LastLeaf) -> Self {
        Self { last_leaf, ..self }
    }

    /// The engine that hashes the leaves.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Bytes of a leaf.
    pub fn leaf(&self) -> u64 {
        self.leaf
    }

    /// Bytes of a leaf's digest.
    pub fn digest_len(&self) -> usize {
        self.engine.function().digest_len()
    }

    /// The number of leaves of content of this length.
    pub fn leaves(&self, length: u64) -> u64 {
        length.div_ceil(self.leaf)
    }
}
