//! The forest of few-time keys that sign messages, FORS (FIPS 205 section 8).

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::address::{Address, Kind};
use crate::message::Place;
use crate::parameters::Dimensions;
use crate::tree::{self, AT_ONCE, Tree};
use crate::tweak::Hashes;

/// The trees of all messages.
fn trees(all: Dimensions, places: &[Place]) -> Vec<Tree> {
    let of_place = |place: &Place| {
        let (tree, key_pair) = (place.tree, place.leaf);
        let address =
            Address { layer: 0, tree, kind: Kind::ForsTree, key_pair, chain: 0, index: 0 };
        let tree = |(i, &leaf): (usize, &u32)| {
            let index = (i << all.a) as u32;
            Tree { address: Address { index, ..address }, leaf }
        };
        place.fors.iter().enumerate().map(tree).collect::<Vec<_>>()
    };
    places.iter().flat_map(of_place).collect()
}

/// Writes the secrets and authentication paths to the signatures (algorithm 16), which are one
/// after another. Returns the public keys.
pub(crate) fn sign(
    hashes: &mut Hashes,
    all: Dimensions,
    secret: &[u8],
    places: &[Place],
    signatures: &mut [u8],
) -> Vec<u8> {
    let (n, size) = (all.n, signatures.len() / places.len());
    let trees = trees(all, places);
    let mut roots = vec![0; trees.len() * n];
    let at_once = (AT_ONCE / (n << all.a)).max(1);
    for (w, (trees, roots)) in trees.chunks(at_once).zip(roots.chunks_mut(at_once * n)).enumerate()
    {
        let mut put = |tree: usize, part: usize, value: &[u8]| {
            let (message, tree) = ((w * at_once + tree) / all.k, (w * at_once + tree) % all.k);
            let start = message * size + n + tree * all.fors_tree_len() + part * n;
            signatures[start..][..n].copy_from_slice(value);
        };
        let mut nodes = vec![0; (trees.len() * n) << all.a];
        leaves(hashes, all, secret, trees, &mut nodes, |tree, secret| put(tree, 0, secret));
        let path = |tree, height, node: &[u8]| put(tree, 1 + height, node);
        tree::roots(hashes, trees, all.a, &mut nodes, path);
        roots.copy_from_slice(&nodes[..roots.len()]);
    }
    compress(hashes, all, places, &roots)
}

/// Writes the leaves of trees to `nodes`. `chosen(tree, secret)` gets the secrets that sign.
fn leaves(
    hashes: &mut Hashes,
    all: Dimensions,
    secret: &[u8],
    trees: &[Tree],
    nodes: &mut [u8],
    mut chosen: impl FnMut(usize, &[u8]),
) {
    let n = all.n;
    let window = hashes.window(n);
    let mut secrets = Zeroizing::new(vec![0; window * n]);
    for (w, nodes) in nodes.chunks_mut(window * n).enumerate() {
        let place = |i: usize| ((w * window + i) >> all.a, ((w * window + i) & ((1 << all.a) - 1)));
        let count = nodes.len() / n;
        for i in 0..count {
            let (tree, leaf) = place(i);
            let address = trees[tree].node(0, leaf as u32);
            hashes.push(&Address { kind: Kind::ForsSecret, ..address }, secret);
        }
        for (i, (kept, secret)) in secrets.chunks_exact_mut(n).zip(hashes.hash()).enumerate() {
            kept.copy_from_slice(secret);
            let (tree, leaf) = place(i);
            if trees[tree].leaf as usize == leaf {
                chosen(tree, secret);
            }
        }
        for (i, secret) in secrets.chunks_exact(n).take(count).enumerate() {
            let (tree, leaf) = place(i);
            hashes.push(&trees[tree].node(0, leaf as u32), secret);
        }
        for (node, value) in nodes.chunks_exact_mut(n).zip(hashes.hash()) {
            node.copy_from_slice(value);
        }
    }
}

/// The public keys that signatures lead to (algorithm 17).
pub(crate) fn public_keys_from(
    hashes: &mut Hashes,
    all: Dimensions,
    places: &[Place],
    signatures: &[&[u8]],
) -> Vec<u8> {
    let n = all.n;
    let trees = trees(all, places);
    let part = |tree: usize, part: usize| {
        let start = n + tree % all.k * all.fors_tree_len() + part * n;
        &signatures[tree / all.k][start..][..n]
    };
    let mut nodes = vec![0; trees.len() * n];
    let window = hashes.window(n);
    for (w, nodes) in nodes.chunks_mut(window * n).enumerate() {
        for i in w * window..w * window + nodes.len() / n {
            hashes.push(&trees[i].node(0, trees[i].leaf), part(i, 0));
        }
        for (node, value) in nodes.chunks_exact_mut(n).zip(hashes.hash()) {
            node.copy_from_slice(value);
        }
    }
    tree::roots_from(hashes, &trees, all.a, &mut nodes, |tree, height| part(tree, 1 + height));
    compress(hashes, all, places, &nodes)
}

/// Compresses the roots of each message's trees.
fn compress(hashes: &mut Hashes, all: Dimensions, places: &[Place], roots: &[u8]) -> Vec<u8> {
    let (n, length) = (all.n, all.k * all.n);
    let mut keys = Vec::with_capacity(places.len() * n);
    let window = hashes.window(length);
    for (places, roots) in places.chunks(window).zip(roots.chunks(window * length)) {
        for (place, roots) in places.iter().zip(roots.chunks_exact(length)) {
            let (tree, key_pair) = (place.tree, place.leaf);
            let kind = Kind::ForsRoots;
            hashes.push(&Address { layer: 0, tree, kind, key_pair, chain: 0, index: 0 }, roots);
        }
        hashes.hash().for_each(|key| keys.extend_from_slice(key));
    }
    keys
}
