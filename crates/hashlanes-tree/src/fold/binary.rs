//! Binary trees: two nodes give one node of the next level.

use std::io;

use hashlanes::{AnyDigest, Engine, Prefix};

use super::InclusionProof;
use crate::Sink;

/// Folds the digests of leaves to the root of a binary tree, as they come. Pairs of a level are
/// hashed side by side. At most one node of each level is held, however many leaves there are.
///
/// A node is `digest(node prefix, left, right)`. If the last node of a level has no partner, it
/// becomes a node of the next level unchanged, as in RFC 6962 section 2.1 and in the tree hash of
/// Glacier. A format that pads its leaves to a power of two supplies the padding as leaves.
///
/// ```
/// use hashlanes::{Algorithm, Engine, Sha256};
/// use hashlanes_tree::{MerkleFold, Sink};
///
/// let leaves = ["a", "b", "c"].map(Sha256::digest);
/// let mut fold = MerkleFold::new(Engine::of(Algorithm::Sha256));
/// fold.leaves(leaves.as_flattened())?;
/// let root = fold.finish().unwrap();
/// let left = Sha256::digest([leaves[0], leaves[1]].concat());
/// assert_eq!(root.digest, Sha256::digest([left, leaves[2]].concat()));
/// assert_eq!(root.leaves, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct MerkleFold {
    prefix: Prefix,
    leaves: u64,
    levels: Vec<Level>,
    /// The leaves to prove, each with the siblings on its path to the root.
    proofs: Vec<(u64, Vec<AnyDigest>)>,
}

#[derive(Default)]
struct Level {
    /// The number of nodes that have been paired.
    paired: u64,
    /// A node that has no partner yet.
    single: Option<AnyDigest>,
}

/// The result of a [`MerkleFold`].
#[derive(Clone, Debug)]
pub struct Root {
    /// The digest of the whole tree.
    pub digest: AnyDigest,
    /// The number of leaves.
    pub leaves: u64,
    /// The requested proofs, in order. `None` if there is no such leaf.
    pub proofs: Vec<Option<InclusionProof>>,
}

impl MerkleFold {
    /// A tree whose nodes are the digests of two others, without a prefix.
    pub fn new(engine: Engine) -> Self {
        Self::with_node_prefix(engine, &[])
    }

    /// A tree whose nodes have a prefix, which distinguishes them from leaves: the byte 1 in RFC
    /// 6962.
    pub fn with_node_prefix(engine: Engine, prefix: &[u8]) -> Self {
        let prefix = Prefix::with_engine(engine, prefix);
        Self { prefix, leaves: 0, levels: Vec::new(), proofs: Vec::new() }
    }

    /// Requests a proof that leaf number `index` is in the tree. Must be called before the first
    /// leaf comes. It may be called for several leaves.
    pub fn prove(&mut self, index: u64) {
        self.proofs.push((index, Vec::new()));
    }

    /// The root. `None` if there were no leaves.
    pub fn finish(mut self) -> Option<Root> {
        let mut last: Option<AnyDigest> = None;
        for level in 0..self.levels.len() {
            let Level { paired, single } = &mut self.levels[level];
            let paired = *paired;
            last = match (single.take(), last) {
                (Some(left), Some(right)) => {
                    let pair = [left.as_bytes(), right.as_bytes()].concat();
                    self.note(level, paired, &pair);
                    let mut node = vec![0; pair.len() / 2];
                    self.prefix.digest_chunks_into(&pair, pair.len(), &mut node);
                    Some(any(&node))
                }
                (left, right) => left.or(right),
            };
        }
        let (leaves, digest) = (self.leaves, last?);
        let proofs = self.proofs.into_iter().map(|(index, path)| {
            (index < leaves).then_some(InclusionProof { index, leaves, path })
        });
        Some(Root { digest, leaves, proofs: proofs.collect() })
    }

    /// Bytes of a node.
    fn node(&self) -> usize {
        self.prefix.algorithm().digest_len()
    }

    /// Adds concatenated digests of leaves.
    fn push(&mut self, digests: &[u8]) {
        let mut nodes = digests.to_vec();
        nodes.truncate(nodes.len() / self.node() * self.node());
        self.leaves += (nodes.len() / self.node()) as u64;
        let mut level = 0;
        while !nodes.is_empty() {
            nodes = self.pair(level, nodes);
            level += 1;
        }
    }

    /// Pairs the nodes of a level, and returns the nodes of the next one.
    fn pair(&mut self, level: usize, mut nodes: Vec<u8>) -> Vec<u8> {
        let size = self.node();
        if level == self.levels.len() {
            self.levels.push(Level::default());
        }
        let Level { paired, single } = &mut self.levels[level];
        let first = *paired;
        if let Some(single) = single.take() {
            nodes = [single.as_bytes(), &nodes].concat();
        }
        let whole = nodes.len() / (2 * size) * (2 * size);
        if whole < nodes.len() {
            *single = Some(any(&nodes[whole..]));
            nodes.truncate(whole);
        }
        *paired += (whole / size) as u64;
        self.note(level, first, &nodes);
        let mut next = vec![0; whole / 2];
        self.prefix.digest_chunks_into(&nodes, 2 * size, &mut next);
        next
    }

    /// Keeps the siblings that the proofs need. `first` is the number of the first of these nodes.
    fn note(&mut self, level: usize, first: u64, nodes: &[u8]) {
        let size = self.node();
        for (leaf, path) in &mut self.proofs {
            let beside = leaf.unbounded_shr(level as u32) ^ 1;
            let place = beside.checked_sub(first).and_then(|i| usize::try_from(i).ok());
            if let Some(place) = place.filter(|&place| place < nodes.len() / size) {
                path.push(any(&nodes[place * size..][..size]));
            }
        }
    }
}

fn any(digest: &[u8]) -> AnyDigest {
    AnyDigest::try_from(digest).expect("all digests have such lengths")
}

/// Each digest is one leaf.
impl Sink for MerkleFold {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        self.push(digests);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::{Algorithm, Sha256};

    use super::*;

    /// RFC 6962 section 2.1: the leaves are divided at the largest power of two smaller than n.
    fn reference(leaves: &[[u8; 32]], prefix: &[u8]) -> [u8; 32] {
        if let [leaf] = leaves {
            return *leaf;
        }
        let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
        let pair = [reference(left, prefix), reference(right, prefix)];
        Sha256::digest([prefix, pair.as_flattened()].concat())
    }

    fn leaves(count: usize) -> Vec<[u8; 32]> {
        (0..count).map(|i| Sha256::digest(i.to_string())).collect()
    }

    #[test]
    fn the_tree_is_that_of_the_recursive_definition() {
        for count in (1..70).chain([255, 256, 257, 1000]) {
            for prefix in [&[][..], &[1]] {
                let leaves = leaves(count);
                for step in [1, 2, 3, 64, count] {
                    let engine = Engine::of(Algorithm::Sha256);
                    let mut fold = MerkleFold::with_node_prefix(engine, prefix);
                    leaves.chunks(step).for_each(|some| fold.push(some.as_flattened()));
                    let root = fold.finish().unwrap();
                    assert_eq!(root.digest, reference(&leaves, prefix), "{count} by {step}");
                    assert_eq!(root.leaves, count as u64);
                }
            }
        }
        assert!(MerkleFold::new(Engine::of(Algorithm::Sha256)).finish().is_none());
    }

    #[test]
    fn every_leaf_has_a_proof_and_no_other_is_taken() {
        let engine = Engine::of(Algorithm::Sha256);
        for count in (1..36).chain([64, 100]) {
            let leaves = leaves(count);
            let mut fold = MerkleFold::with_node_prefix(engine, &[1]);
            (0..=count as u64).for_each(|index| fold.prove(index));
            leaves.chunks(5).for_each(|some| fold.push(some.as_flattened()));
            let root = fold.finish().unwrap();
            for (index, leaf) in leaves.iter().enumerate() {
                let proof = root.proofs[index].as_ref().unwrap();
                let leaf = AnyDigest::from(*leaf);
                assert!(proof.verify(engine, &[1], leaf, root.digest), "{index} of {count}");
                assert!(!proof.verify(engine, &[0], leaf, root.digest) || count == 1);
                let other = AnyDigest::from(Sha256::digest("other"));
                assert!(!proof.verify(engine, &[1], other, root.digest));
                let moved = InclusionProof { index: proof.index ^ 1, ..proof.clone() };
                assert!(!moved.verify(engine, &[1], leaf, root.digest), "{index} of {count}");
                let mut longer = proof.clone();
                longer.path.push(leaf);
                assert!(!longer.verify(engine, &[1], leaf, root.digest));
                let mut shorter = proof.clone();
                if shorter.path.pop().is_some() {
                    assert!(!shorter.verify(engine, &[1], leaf, root.digest));
                }
            }
            assert!(root.proofs[count].is_none());
        }
    }
}
