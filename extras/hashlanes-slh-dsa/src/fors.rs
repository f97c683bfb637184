//! The forest of few-time keys that sign messages, FORS (FIPS 205 section 8).

use alloc::vec;
use alloc::vec::Vec;

use crate::address::{Address, Kind};
use crate::message::Place;
use crate::parameters::Dimensions;
use crate::tree::{self, AT_ONCE, Tree};
use crate::tweak::{Chain, Hashes};

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
    hashes: &mut Hashes<'_>,
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
        hashes.chain_secrets(secret, Kind::ForsSecret, &mut nodes, |i| {
            let address = trees[i >> all.a].node(0, (i & ((1 << all.a) - 1)) as u32);
            Chain { address, steps: 1 }
        });
        // The few secrets that the signature reveals are derived once more.
        let mut chosen = vec![0; trees.len() * n];
        hashes.chain_secrets(secret, Kind::ForsSecret, &mut chosen, |t| Chain {
            address: trees[t].node(0, trees[t].leaf),
            steps: 0,
        });
        chosen.chunks_exact(n).enumerate().for_each(|(t, secret)| put(t, 0, secret));
        let path = |tree, height, node: &[u8]| put(tree, 1 + height, node);
        tree::roots(hashes, trees, all.a, &mut nodes, path);
        roots.copy_from_slice(&nodes[..roots.len()]);
    }
    compress(hashes, all, places, &roots)
}

/// The public keys that signatures lead to (algorithm 17).
pub(crate) fn public_keys_from(
    hashes: &mut Hashes<'_>,
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
    let mut nodes = (0..trees.len()).map(|tree| part(tree, 0)).collect::<Vec<_>>().concat();
    hashes.chain(&mut nodes, |i| Chain { address: trees[i].node(0, trees[i].leaf), steps: 1 });
    tree::roots_from(hashes, &trees, all.a, &mut nodes, |tree, height| part(tree, 1 + height));
    compress(hashes, all, places, &nodes)
}

/// Compresses the roots of each message's trees.
fn compress(hashes: &mut Hashes<'_>, all: Dimensions, places: &[Place], roots: &[u8]) -> Vec<u8> {
    let length = all.k * all.n;
    let mut keys = vec![0; places.len() * all.n];
    hashes.fill(length, &mut keys, |i| {
        let (tree, key_pair) = (places[i].tree, places[i].leaf);
        let kind = Kind::ForsRoots;
        let address = Address { layer: 0, tree, kind, key_pair, chain: 0, index: 0 };
        (address, &roots[i * length..][..length])
    });
    keys
}
