//! The tree of trees whose one-time keys sign the keys of FORS (FIPS 205 sections 6 and 7).

use alloc::vec;
use alloc::vec::Vec;

use crate::address::{Address, Kind};
use crate::message::Place;
use crate::parameters::Dimensions;
use crate::secrecy::reveal;
use crate::tree::{self, AT_ONCE, Tree};
use crate::tweak::Hashes;
use crate::wots::{self, Leaf};

fn tree(layer: usize, (tree, leaf): (u64, u32)) -> Tree {
    let layer = layer as u8;
    Tree {
        address: Address { layer, tree, kind: Kind::Tree, key_pair: 0, chain: 0, index: 0 },
        leaf,
    }
}

impl Tree {
    /// The one-time key of a leaf.
    fn key(&self, number: u32) -> Leaf {
        Leaf { layer: self.address.layer, tree: self.address.tree, number }
    }
}

/// The root of the highest tree (algorithm 18, line 3).
pub(crate) fn root(hashes: &mut Hashes, all: Dimensions, secret: &[u8]) -> Vec<u8> {
    roots(hashes, all, secret, &[tree(all.d - 1, (0, 0))], |_, _, _| {})
}

/// Computes the roots of trees.
fn roots(
    hashes: &mut Hashes,
    all: Dimensions,
    secret: &[u8],
    trees: &[Tree],
    mut path: impl FnMut(usize, usize, &[u8]),
) -> Vec<u8> {
    let mut roots = Vec::with_capacity(trees.len() * all.n);
    let at_once = (AT_ONCE / (all.n << all.tree_height)).max(1);
    for (w, trees) in trees.chunks(at_once).enumerate() {
        let keys = trees.iter().flat_map(|tree| (0..1 << all.tree_height).map(|i| tree.key(i)));
        let mut nodes = vec![0; (trees.len() * all.n) << all.tree_height];
        wots::public_keys(hashes, all, secret, &keys.collect::<Vec<_>>(), &mut nodes);
        let path = |tree, height, node: &[u8]| path(w * at_once + tree, height, node);
        tree::roots(hashes, trees, all.tree_height, &mut nodes, path);
        roots.extend_from_slice(&nodes[..trees.len() * all.n]);
    }
    roots
}

/// Signs the public keys of FORS (algorithm 12). Writes the one-time signatures and authentication
/// paths to the signatures, which are one after another. Returns the roots of the highest trees.
///
/// The roots of all layers do not depend on what is signed, so all trees are computed side by side.
pub(crate) fn sign(
    hashes: &mut Hashes,
    all: Dimensions,
    secret: &[u8],
    places: &[Place],
    keys: &[u8],
    signatures: &mut [u8],
) -> Vec<u8> {
    let (n, size) = (all.n, signatures.len() / places.len());
    let of_place = |place: &Place| {
        (0..all.d).map(|layer| tree(layer, place.at(layer, all))).collect::<Vec<_>>()
    };
    let trees: Vec<Tree> = places.iter().flat_map(of_place).collect();
    let start =
        |tree: usize| tree / all.d * size + n + all.fors_len() + tree % all.d * all.layer_len();
    let roots = roots(hashes, all, secret, &trees, |tree, height, node| {
        signatures[start(tree) + (all.chains() + height) * n..][..n].copy_from_slice(node);
    });
    reveal(&roots);

    let signed = (0..trees.len()).map(|i| match i % all.d {
        0 => &keys[i / all.d * n..][..n],
        _ => &roots[(i - 1) * n..][..n],
    });
    let digits: Vec<_> = signed.map(wots::digits).collect();
    let messages: Vec<_> =
        trees.iter().map(|tree| tree.key(tree.leaf)).zip(digits.iter().map(|d| &d[..])).collect();
    let values = wots::sign(hashes, all, secret, &messages);
    for (i, value) in values.chunks_exact(all.chains() * n).enumerate() {
        signatures[start(i)..][..value.len()].copy_from_slice(value);
    }
    let highest = roots.chunks_exact(n).skip(all.d - 1).step_by(all.d);
    highest.flatten().copied().collect()
}

/// The roots of the highest trees that signatures of `nodes` lead to (algorithm 13).
pub(crate) fn roots_from(
    hashes: &mut Hashes,
    all: Dimensions,
    places: &[Place],
    mut nodes: Vec<u8>,
    signatures: &[&[u8]],
) -> Vec<u8> {
    let n = all.n;
    for layer in 0..all.d {
        let trees: Vec<_> = places.iter().map(|place| tree(layer, place.at(layer, all))).collect();
        let digits: Vec<_> = nodes.chunks_exact(n).map(wots::digits).collect();
        let keys = trees.iter().map(|tree| tree.key(tree.leaf));
        let messages: Vec<_> = keys.zip(digits.iter().map(|d| &d[..])).collect();
        let start = n + all.fors_len() + layer * all.layer_len();
        let one_time = signatures.iter().map(|all_of| &all_of[start..][..all.chains() * n]);
        let mut values = one_time.collect::<Vec<_>>().concat();
        wots::public_keys_from(hashes, &messages, &mut values, &mut nodes);
        tree::roots_from(hashes, &trees, all.tree_height, &mut nodes, |tree, height| {
            &signatures[tree][start + (all.chains() + height) * n..][..n]
        });
    }
    nodes
}
