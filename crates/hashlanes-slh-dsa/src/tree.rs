//! Merkle trees of the same height, side by side: in the hypertree and in FORS.

use crate::address::Address;
use crate::tweak::Hashes;

/// The bytes of leaves of trees that are computed side by side, if there is more than one.
pub(crate) const AT_ONCE: usize = 1 << 20;

/// A tree, and a leaf whose authentication path is needed.
#[derive(Clone, Copy)]
pub(crate) struct Tree {
    /// The address of a node, with the number of the first leaf as its index.
    pub(crate) address: Address,
    /// The number of the leaf within the tree.
    pub(crate) leaf: u32,
}

impl Tree {
    /// The address of a node of this tree, by its height and its number within the tree.
    pub(crate) fn node(&self, height: u32, number: u32) -> Address {
        let index = (self.address.index >> height) + number;
        Address { chain: height, index, ..self.address }
    }
}

/// Computes trees from their leaves (FIPS 205 algorithms 9 and 15). The first nodes become the
/// roots. `path(tree, height, node)` gets the nodes of the authentication paths.
pub(crate) fn roots(
    hashes: &mut Hashes,
    trees: &[Tree],
    height: u32,
    nodes: &mut [u8],
    mut path: impl FnMut(usize, usize, &[u8]),
) {
    let n = (nodes.len() / trees.len()) >> height;
    for level in 0..height {
        let width = 1 << (height - level);
        for (t, tree) in trees.iter().enumerate() {
            let sibling = t * width + ((tree.leaf >> level) ^ 1) as usize;
            path(t, level as usize, &nodes[sibling * n..][..n]);
        }
        let (parents, half) = (trees.len() * width / 2, width / 2);
        let window = hashes.window(2 * n);
        for first in (0..parents).step_by(window) {
            let last = parents.min(first + window);
            for i in first..last {
                let address = trees[i / half].node(level + 1, (i % half) as u32);
                hashes.push(&address, &nodes[2 * i * n..][..2 * n]);
            }
            // A parent is written where children have been read.
            for (node, value) in nodes[first * n..last * n].chunks_exact_mut(n).zip(hashes.hash()) {
                node.copy_from_slice(value);
            }
        }
    }
}

/// Computes the roots that leaves and their authentication paths lead to (algorithms 11 and 17).
/// `nodes` are the leaves, one for each tree, and become the roots. `path(tree, height)` is a node
/// of an authentication path.
pub(crate) fn roots_from<'p>(
    hashes: &mut Hashes,
    trees: &[Tree],
    height: u32,
    nodes: &mut [u8],
    path: impl Fn(usize, usize) -> &'p [u8],
) {
    let n = nodes.len() / trees.len();
    let window = hashes.window(2 * n);
    let mut pair = [0; 64];
    let pair = &mut pair[..2 * n];
    for level in 0..height {
        for first in (0..trees.len()).step_by(window) {
            let last = trees.len().min(first + window);
            for t in first..last {
                let (left, right) = pair.split_at_mut(n);
                let (own, sibling) = match trees[t].leaf >> level & 1 {
                    0 => (left, right),
                    _ => (right, left),
                };
                own.copy_from_slice(&nodes[t * n..][..n]);
                sibling.copy_from_slice(path(t, level as usize));
                hashes.push(&trees[t].node(level + 1, trees[t].leaf >> (level + 1)), pair);
            }
            for (node, value) in nodes[first * n..last * n].chunks_exact_mut(n).zip(hashes.hash()) {
                node.copy_from_slice(value);
            }
        }
    }
}
