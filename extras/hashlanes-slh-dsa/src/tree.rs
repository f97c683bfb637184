//! Merkle trees of the same height, side by side: in the hypertree and in FORS.

use alloc::vec::Vec;

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
    hashes: &mut Hashes<'_>,
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
        let (children, half) = (nodes[..trees.len() * width * n].to_vec(), width / 2);
        hashes.fill(2 * n, &mut nodes[..trees.len() * half * n], |i| {
            let address = trees[i / half].node(level + 1, (i % half) as u32);
            (address, &children[2 * i * n..][..2 * n])
        });
    }
}

/// Computes the roots that leaves and their authentication paths lead to (algorithms 11 and 17).
/// `nodes` are the leaves, one for each tree, and become the roots. `path(tree, height)` is a node
/// of an authentication path.
pub(crate) fn roots_from<'p>(
    hashes: &mut Hashes<'_>,
    trees: &[Tree],
    height: u32,
    nodes: &mut [u8],
    path: impl Fn(usize, usize) -> &'p [u8],
) {
    let n = nodes.len() / trees.len();
    let mut children = Vec::with_capacity(2 * nodes.len());
    for level in 0..height {
        children.clear();
        for (t, own) in nodes.chunks_exact(n).enumerate() {
            let sibling = path(t, level as usize);
            let pair = match trees[t].leaf >> level & 1 {
                0 => [own, sibling],
                _ => [sibling, own],
            };
            pair.into_iter().for_each(|node| children.extend_from_slice(node));
        }
        hashes.fill(2 * n, nodes, |t| {
            let address = trees[t].node(level + 1, trees[t].leaf >> (level + 1));
            (address, &children[2 * t * n..][..2 * n])
        });
    }
}
