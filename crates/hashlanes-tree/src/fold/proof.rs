//! Proofs that a leaf is in a tree.

use hashlanes::{AnyDigest, Engine};

/// Proves to anyone who has the root that a leaf is in a tree (RFC 6962 section 2.1.1).
/// [`MerkleFold::prove`](super::MerkleFold::prove) requests it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// The number of the leaf, starting at 0.
    pub index: u64,
    /// The number of leaves of the tree.
    pub leaves: u64,
    /// The siblings on the path from the leaf to the root, from the leaf upwards.
    pub path: Vec<AnyDigest>,
}

impl InclusionProof {
    /// Whether the proof leads from the leaf's digest to the root (RFC 9162 section 2.1.3.2).
    ///
    /// `node_prefix` is the prefix of the tree's nodes.
    pub fn verify(
        &self,
        engine: Engine,
        node_prefix: &[u8],
        leaf: AnyDigest,
        root: AnyDigest,
    ) -> bool {
        self.root(engine, node_prefix, leaf) == Some(root)
    }

    /// The root that the proof computes from the leaf's digest. `None` if the path is too long or
    /// too short for a tree of this size.
    pub fn root(&self, engine: Engine, node_prefix: &[u8], leaf: AnyDigest) -> Option<AnyDigest> {
        if self.index >= self.leaves {
            return None;
        }
        // The numbers of the current node and of the last node of its level.
        let (mut number, mut last) = (self.index, self.leaves - 1);
        let mut node = leaf;
        let join = |left: AnyDigest, right: AnyDigest| {
            engine.digest([node_prefix, left.as_bytes(), right.as_bytes()].concat().as_slice())
        };
        for &beside in &self.path {
            // Nodes without a partner move up unchanged.
            while number == last && number % 2 == 0 && last > 0 {
                (number, last) = (number / 2, last / 2);
            }
            if last == 0 {
                return None;
            }
            node = if number % 2 == 1 { join(beside, node) } else { join(node, beside) };
            (number, last) = (number / 2, last / 2);
        }
        while number == last && number % 2 == 0 && last > 0 {
            (number, last) = (number / 2, last / 2);
        }
        (last == 0).then_some(node)
    }
}
