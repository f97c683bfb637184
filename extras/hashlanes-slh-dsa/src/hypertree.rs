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
pub(crate) fn root(hashes: &mut Hashes<'_>, all: Dimensions, secret: &[u8]) -> Vec<u8> {
    roots(hashes, all, secret, &[tree(all.d - 1, (0, 0))], &[], |_, _, _| {})
}

/// Computes the roots of trees. If there are `digits`, the chosen leaf of each tree signs those of
/// its number. `put(tree, part, values)` gets the parts of the signatures: part 0 is the one-time
/// signature, and a node of the authentication path is as many values later as its height says.
fn roots(
    hashes: &mut Hashes<'_>,
    all: Dimensions,
    secret: &[u8],
    trees: &[Tree],
    digits: &[Vec<u8>],
    mut put: impl FnMut(usize, usize, &[u8]),
) -> Vec<u8> {
    let width = 1 << all.tree_height;
    let mut roots = Vec::with_capacity(trees.len() * all.n);
    let at_once = (AT_ONCE / (all.n * width)).max(1);
    for (w, trees) in trees.chunks(at_once).enumerate() {
        let keys = trees.iter().flat_map(|tree| (0..width as u32).map(|i| tree.key(i)));
        let keys: Vec<_> = keys.collect();
        let mut nodes = vec![0; keys.len() * all.n];
        let signed = |key: usize| {
            let tree = key / width;
            let chosen = trees[tree].leaf as usize == key % width;
            digits.get(w * at_once + tree).filter(|_| chosen).map(|digits| &digits[..])
        };
        wots::public_keys(hashes, all, secret, &keys, &mut nodes, signed, |key, values| {
            put(w * at_once + key / width, 0, values);
        });
        tree::roots(hashes, trees, all.tree_height, &mut nodes, |tree, height, node| {
            put(w * at_once + tree, all.chains() + height, node);
        });
        roots.extend_from_slice(&nodes[..trees.len() * all.n]);
    }
    roots
}

/// Signs the public keys of FORS (algorithm 12). Writes the one-time signatures and authentication
/// paths to the signatures, which are one after another. Returns the roots of the highest trees.
///
/// Layer after layer, so that what a leaf signs is known when its chains are computed, and they
/// are computed only once. One tree has enough chains to fill the lanes.
pub(crate) fn sign(
    hashes: &mut Hashes<'_>,
    all: Dimensions,
    secret: &[u8],
    places: &[Place],
    keys: &[u8],
    signatures: &mut [u8],
) -> Vec<u8> {
    let (n, size) = (all.n, signatures.len() / places.len());
    let mut nodes = keys.to_vec();
    for layer in 0..all.d {
        let trees: Vec<_> = places.iter().map(|place| tree(layer, place.at(layer, all))).collect();
        let digits: Vec<_> = nodes.chunks_exact(n).map(wots::digits).collect();
        let start = n + all.fors_len() + layer * all.layer_len();
        nodes = roots(hashes, all, secret, &trees, &digits, |tree, part, values| {
            signatures[tree * size + start + part * n..][..values.len()].copy_from_slice(values);
        });
        reveal(&nodes);
    }
    nodes
}

/// The roots of the highest trees that signatures of `nodes` lead to (algorithm 13).
pub(crate) fn roots_from(
    hashes: &mut Hashes<'_>,
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
