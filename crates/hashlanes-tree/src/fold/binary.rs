//! Binary trees: two nodes give one node of the next level.

use std::io;

use hashlanes::{AnyDigest, AnyEngine, HashFunction, Prefix, with_function};

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
/// use hashlanes::{Algorithm, AnyEngine, Sha256};
/// use hashlanes_tree::{MerkleFold, Sink};
///
/// let leaves = ["a", "b", "c"].map(Sha256::digest);
/// let mut fold = MerkleFold::new(AnyEngine::new(Algorithm::Sha256));
/// fold.leaves(leaves.as_flattened())?;
/// let root = fold.finish().unwrap();
/// let left = Sha256::digest([leaves[0], leaves[1]].concat());
/// assert_eq!(root.digest, Sha256::digest([left, leaves[2]].concat()));
/// assert_eq!(root.leaves, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct MerkleFold(Box<dyn Levels>);

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
    pub fn new(engine: AnyEngine) -> Self {
        Self::with_node_prefix(engine, &[])
    }

    /// A tree whose nodes have a prefix, which distinguishes them from leaves: the byte 1 in RFC
    /// 6962.
    pub fn with_node_prefix(engine: AnyEngine, prefix: &[u8]) -> Self {
        with_function!(engine.algorithm(), A => {
            Self(Box::new(Typed::<A>::new(engine, prefix)))
        })
    }

    /// Requests a proof that leaf number `index` is in the tree. Must be called before the first
    /// leaf comes. It may be called for several leaves.
    pub fn prove(&mut self, index: u64) {
        self.0.prove(index);
    }

    /// The root. `None` if there were no leaves.
    pub fn finish(self) -> Option<Root> {
        self.0.finish()
    }
}

/// Each digest is one leaf.
impl Sink for MerkleFold {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        self.0.push(digests);
        Ok(())
    }
}

trait Levels: Send {
    fn prove(&mut self, index: u64);
    fn push(&mut self, digests: &[u8]);
    fn finish(self: Box<Self>) -> Option<Root>;
}

struct Typed<A: HashFunction> {
    prefix: Prefix<A>,
    leaves: u64,
    levels: Vec<Level<A>>,
    /// The leaves to prove, each with the siblings on its path to the root.
    proofs: Vec<(u64, Vec<AnyDigest>)>,
}

struct Level<A: HashFunction> {
    /// The number of nodes that have been paired.
    paired: u64,
    /// A node that has no partner yet.
    single: Option<A::Digest>,
}

impl<A: HashFunction> Typed<A> {
    fn new(engine: AnyEngine, prefix: &[u8]) -> Self {
        let prefix = Prefix::with_engine(engine.typed(), prefix);
        Self { prefix, leaves: 0, levels: Vec::new(), proofs: Vec::new() }
    }

    /// Pairs the nodes of a level, and returns the nodes of the next one.
    fn pair(&mut self, level: usize, mut nodes: Vec<A::Digest>) -> Vec<A::Digest> {
        if level == self.levels.len() {
            self.levels.push(Level { paired: 0, single: None });
        }
        let Level { paired, single } = &mut self.levels[level];
        let first = *paired;
        if let Some(single) = single.take() {
            nodes.insert(0, single);
        }
        if nodes.len() % 2 == 1 {
            *single = nodes.pop();
        }
        *paired += nodes.len() as u64;
        self.note(level, first, &nodes);
        let mut next = vec![A::ZERO; nodes.len() / 2];
        self.prefix.digest_pairs(nodes.as_chunks().0, &mut next);
        next
    }

    /// Keeps the siblings that the proofs need. `first` is the number of the first of these nodes.
    fn note(&mut self, level: usize, first: u64, nodes: &[A::Digest]) {
        for (leaf, path) in &mut self.proofs {
            let beside = leaf.unbounded_shr(level as u32) ^ 1;
            let node = beside.checked_sub(first).and_then(|i| nodes.get(usize::try_from(i).ok()?));
            path.extend(node.map(any));
        }
    }
}

fn any<D: AsRef<[u8]>>(digest: &D) -> AnyDigest {
    AnyDigest::try_from(digest.as_ref()).expect("all digests have such lengths")
}

impl<A: HashFunction> Levels for Typed<A> {
    fn prove(&mut self, index: u64) {
        self.proofs.push((index, Vec::new()));
    }

    fn push(&mut self, digests: &[u8]) {
        let each = digests.chunks_exact(size_of::<A::Digest>()).map(|bytes| {
            let mut digest = A::ZERO;
            digest.as_mut().copy_from_slice(bytes);
            digest
        });
        let mut nodes: Vec<A::Digest> = each.collect();
        self.leaves += nodes.len() as u64;
        let mut level = 0;
        while !nodes.is_empty() {
            nodes = self.pair(level, nodes);
            level += 1;
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Root> {
        let mut last: Option<A::Digest> = None;
        for level in 0..self.levels.len() {
            let Level { paired, single } = &mut self.levels[level];
            let paired = *paired;
            last = match (single.take(), last) {
                (Some(left), Some(right)) => {
                    self.note(level, paired, &[left, right]);
                    let mut node = [A::ZERO];
                    self.prefix.digest_pairs(&[[left, right]], &mut node);
                    Some(node[0])
                }
                (left, right) => left.or(right),
            };
        }
        let (leaves, digest) = (self.leaves, any(&last?));
        let proofs = self.proofs.into_iter().map(|(index, path)| {
            (index < leaves).then_some(InclusionProof { index, leaves, path })
        });
        Some(Root { digest, leaves, proofs: proofs.collect() })
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
                    let engine = AnyEngine::new(Algorithm::Sha256);
                    let mut fold = MerkleFold::with_node_prefix(engine, prefix);
                    leaves.chunks(step).for_each(|some| fold.0.push(some.as_flattened()));
                    let root = fold.finish().unwrap();
                    assert_eq!(root.digest, reference(&leaves, prefix), "{count} by {step}");
                    assert_eq!(root.leaves, count as u64);
                }
            }
        }
        assert!(MerkleFold::new(AnyEngine::new(Algorithm::Sha256)).finish().is_none());
    }

    #[test]
    fn every_leaf_has_a_proof_and_no_other_is_taken() {
        let engine = AnyEngine::new(Algorithm::Sha256);
        for count in (1..36).chain([64, 100]) {
            let leaves = leaves(count);
            let mut fold = MerkleFold::with_node_prefix(engine, &[1]);
            (0..=count as u64).for_each(|index| fold.prove(index));
            leaves.chunks(5).for_each(|some| fold.0.push(some.as_flattened()));
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
