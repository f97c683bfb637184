//! One-time keys, WOTS+ (FIPS 205 section 5): those of many leaves side by side.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::address::{Address, Kind};
use crate::parameters::{Dimensions, LAST};
use crate::tweak::{Chain, Hashes};

/// How many keys are made at a time: as many as fill the lanes when they are compressed.
const KEYS: usize = 32;

/// A one-time key: the layer and the tree of its leaf, and the leaf's number.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) layer: u8,
    pub(crate) tree: u64,
    pub(crate) number: u32,
}

impl Leaf {
    fn address(self, kind: Kind, chain: usize, index: u8) -> Address {
        Address {
            layer: self.layer,
            tree: self.tree,
            kind,
            key_pair: self.number,
            chain: chain as u32,
            index: index.into(),
        }
    }
}

/// The digits of a node with those of its checksum: each is the position of the message in a chain.
pub(crate) fn digits(node: &[u8]) -> Vec<u8> {
    let mut digits: Vec<u8> = node.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let checksum: u16 = digits.iter().map(|digit| u16::from(LAST - digit)).sum();
    digits.extend([8, 4, 0].map(|shift| (checksum >> shift) as u8 & 15));
    digits
}

/// Writes the public values of leaves to `nodes` (algorithm 6).
pub(crate) fn public_keys(
    hashes: &mut Hashes,
    dimensions: Dimensions,
    secret: &[u8],
    leaves: &[Leaf],
    nodes: &mut [u8],
) {
    let n = dimensions.n;
    let ends = vec![LAST; dimensions.chains()];
    for (leaves, nodes) in leaves.chunks(KEYS).zip(nodes.chunks_mut(KEYS * n)) {
        let ends: Vec<_> = leaves.iter().map(|&leaf| (leaf, &ends[..])).collect();
        let values = sign(hashes, dimensions, secret, &ends);
        compress(hashes, leaves, &values, nodes);
    }
}

/// The values at the positions `digits` of the chains of leaves: a signature for each (algorithm
/// 7).
pub(crate) fn sign(
    hashes: &mut Hashes,
    dimensions: Dimensions,
    secret: &[u8],
    messages: &[(Leaf, &[u8])],
) -> Zeroizing<Vec<u8>> {
    let length = dimensions.chains();
    let mut values = Zeroizing::new(vec![0; messages.len() * length * dimensions.n]);
    hashes.chain_secrets(secret, Kind::ChainSecret, &mut values, |i| {
        let ((leaf, digits), chain) = (messages[i / length], i % length);
        Chain { address: leaf.address(Kind::Chain, chain, 0), steps: digits[chain] }
    });
    values
}

/// Writes the public values that signatures of leaves lead to (algorithm 8). `values` are the
/// signatures, and become the ends of the chains.
pub(crate) fn public_keys_from(
    hashes: &mut Hashes,
    messages: &[(Leaf, &[u8])],
    values: &mut [u8],
    nodes: &mut [u8],
) {
    let length = messages[0].1.len();
    hashes.chain(values, |i| {
        let (leaf, digits) = messages[i / length];
        let (chain, digit) = (i % length, digits[i % length]);
        Chain { address: leaf.address(Kind::Chain, chain, digit), steps: LAST - digit }
    });
    let leaves: Vec<_> = messages.iter().map(|&(leaf, _)| leaf).collect();
    compress(hashes, &leaves, values, nodes);
}

/// Compresses the ends of the chains of each leaf to a node.
fn compress(hashes: &mut Hashes, leaves: &[Leaf], values: &[u8], nodes: &mut [u8]) {
    let length = values.len() / leaves.len();
    hashes.fill(length, nodes, |i| {
        (leaves[i].address(Kind::OneTimeKey, 0, 0), &values[i * length..][..length])
    });
}
