//! The hash tree of a file in version 2 of torrents (BEP 52).
//!
//! The leaves are the SHA-256 digests of blocks of 16 KiB, the last of which may be shorter. A node
//! of a piece covers as many leaves as the piece has blocks. Missing leaves on the right are 32
//! zero bytes, up to a power of two. A file of more than one piece has a *layer*: the nodes of its
//! pieces, from which the root can be recomputed.

use hashlanes::{Engine, Sha256};

/// A node or a leaf.
pub type Node = [u8; 32];

/// The bytes that a leaf covers.
pub const BLOCK: u64 = 16 << 10;

/// The node `height` levels above leaves that are all zero.
fn zero_node(height: u32) -> Node {
    (0..height).fold([0; 32], |node, _| pair(&node, &node))
}

fn pair(left: &Node, right: &Node) -> Node {
    let mut digest = [[0; 32]];
    Engine::<Sha256>::new().digest_pairs(&[[*left, *right]], &mut digest);
    digest[0]
}

/// Computes the next level, with half as many nodes. If their number is odd, `filler` completes the
/// last pair.
fn level_up(nodes: &mut Vec<Node>, filler: Node) {
    if !nodes.len().is_multiple_of(2) {
        nodes.push(filler);
    }
    let mut above = vec![[0; 32]; nodes.len() / 2];
    let (pairs, _) = nodes.as_chunks::<2>();
    Engine::<Sha256>::new().digest_pairs(pairs, &mut above);
    *nodes = above;
}

/// The nodes `levels` above nodes that are `height` above the leaves.
fn ascend(mut nodes: Vec<Node>, height: u32, levels: u32) -> Vec<Node> {
    let mut filler = zero_node(height);
    for _ in 0..levels {
        level_up(&mut nodes, filler);
        filler = pair(&filler, &filler);
    }
    nodes
}

/// The root above nodes that are `height` above the leaves: above the layer of a file, or above its
/// leaves if the height is 0.
///
/// # Panics
/// If there are no nodes.
pub fn root(nodes: &[Node], height: u32) -> Node {
    let levels = nodes.len().next_power_of_two().ilog2();
    ascend(nodes.to_vec(), height, levels)[0]
}

/// The number of levels from the leaves to the nodes of pieces.
pub fn piece_height(piece_length: u64) -> u32 {
    (piece_length / BLOCK).max(1).ilog2()
}

/// Builds the tree of a file from its leaves, which come in order, a few or many at a time.
///
/// Memory: the leaves of a window of pieces, and the layer, which is part of the torrent.
///
/// # Examples
/// ```
/// use hashlanes::{Sha256, digest_chunks};
/// use hashlanes_tree::torrent::merkle::{BLOCK, Tree};
///
/// let file = vec![7; 100_000];
/// let mut tree = Tree::new(2 * BLOCK);
/// tree.push(&digest_chunks::<Sha256>(&file, BLOCK as usize));
/// let (root, layer) = tree.finish();
/// assert_eq!(layer.len(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    height: u32,
    /// Leaves of pieces that are not in the layer yet.
    leaves: Vec<Node>,
    layer: Vec<Node>,
}

/// Leaves that are processed together, so that lanes are full even if a piece has few.
const WINDOW: usize = 4096;

impl Tree {
    /// The tree of a file in a torrent of this piece length, a power of two of at least [`BLOCK`].
    pub fn new(piece_length: u64) -> Self {
        Self { height: piece_height(piece_length), leaves: Vec::new(), layer: Vec::new() }
    }

    /// Adds the next leaves.
    pub fn push(&mut self, leaves: &[Node]) {
        self.leaves.extend(leaves);
        let piece = 1 << self.height;
        // One piece is kept, because the only piece of a small file is not padded to full length.
        if self.leaves.len() > WINDOW.max(piece) {
            let whole = (self.leaves.len() - 1) / piece * piece;
            let rest = self.leaves.split_off(whole);
            let done = std::mem::replace(&mut self.leaves, rest);
            self.layer.extend(ascend(done, 0, self.height));
        }
    }

    /// The root and the layer, which is empty if the file has at most one piece.
    ///
    /// # Panics
    /// If there were no leaves: an empty file has no root.
    pub fn finish(mut self) -> (Node, Vec<Node>) {
        if self.layer.is_empty() && self.leaves.len() <= 1 << self.height {
            return (root(&self.leaves, 0), Vec::new());
        }
        self.layer.extend(ascend(self.leaves, 0, self.height));
        (root(&self.layer, self.height), self.layer)
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::Sha256;

    use super::*;

    /// Follows the text of BEP 52: all leaves, padded to a power of two, level by level.
    fn by_definition(leaves: &[Node], piece: usize) -> (Node, Vec<Node>) {
        let up = |nodes: &[Node]| -> Vec<Node> {
            nodes.chunks(2).map(|pair| Sha256::digest(pair.concat())).collect()
        };
        let mut nodes = leaves.to_vec();
        nodes.resize(leaves.len().next_power_of_two(), [0; 32]);
        let (mut width, mut layer) = (1, Vec::new());
        if leaves.len() > piece {
            layer = nodes.clone();
        }
        while nodes.len() > 1 {
            nodes = up(&nodes);
            width *= 2;
            if width == piece && leaves.len() > piece {
                layer = nodes.clone();
            }
        }
        layer.truncate(if leaves.len() > piece { leaves.len().div_ceil(piece) } else { 0 });
        (nodes[0], layer)
    }

    #[test]
    fn trees_are_those_of_the_definition() {
        for piece in [1, 2, 4, 64] {
            for count in (1..20).chain([63, 64, 65, 127, 128, 129, 4096, 4097, 9000]) {
                let leaves: Vec<Node> =
                    (0..count as u32).map(|i| Sha256::digest(i.to_le_bytes())).collect();
                for step in [1, 7, 5000] {
                    let mut tree = Tree::new(piece as u64 * BLOCK);
                    leaves.chunks(step).for_each(|leaves| tree.push(leaves));
                    let expected = by_definition(&leaves, piece);
                    assert!(tree.finish() == expected, "{count} leaves, {piece} a piece");
                }
            }
        }
    }
}
