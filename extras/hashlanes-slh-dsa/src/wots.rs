//! One-time keys, WOTS+ (FIPS 205 section 5): those of many leaves side by side.

use alloc::vec::Vec;

use crate::address::{Address, Kind};
use crate::parameters::{Dimensions, LAST};
use crate::secrecy::Wiped;
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

/// Writes the public values of leaves to `nodes` (algorithm 6). `put(i, signature)` gets the
/// signature by leaf `i` of the digits that `signed(i)` returns (algorithm 7), if any.
pub(crate) fn public_keys<'d>(
    hashes: &mut Hashes<'_>,
    dimensions: Dimensions,
    secret: &[u8],
    leaves: &[Leaf],
    nodes: &mut [u8],
    signed: impl Fn(usize) -> Option<&'d [u8]>,
    mut put: impl FnMut(usize, &[u8]),
) {
    let (n, length) = (dimensions.n, dimensions.chains());
    for (w, (leaves, nodes)) in leaves.chunks(KEYS).zip(nodes.chunks_mut(KEYS * n)).enumerate() {
        let digits: Vec<_> = (0..leaves.len()).map(|i| signed(w * KEYS + i)).collect();
        let mut values = Wiped::new(leaves.len() * length * n);
        hashes.chain_secrets(secret, Kind::ChainSecret, &mut values, |i| {
            let (leaf, chain) = (i / length, i % length);
            let address = leaves[leaf].address(Kind::Chain, chain, 0);
            Chain { address, steps: digits[leaf].map_or(LAST, |digits| digits[chain]) }
        });
        for (i, values) in values.chunks_exact_mut(length * n).enumerate() {
            if let Some(digits) = digits[i] {
                put(w * KEYS + i, values);
                finish(hashes, &[(leaves[i], digits)], values);
            }
        }
        compress(hashes, leaves, &values, nodes);
    }
}

/// Continues the chains of signatures by leaves to their ends.
fn finish(hashes: &mut Hashes<'_>, messages: &[(Leaf, &[u8])], values: &mut [u8]) {
    let length = messages[0].1.len();
    hashes.chain(values, |i| {
        let (leaf, digits) = messages[i / length];
        let (chain, digit) = (i % length, digits[i % length]);
        Chain { address: leaf.address(Kind::Chain, chain, digit), steps: LAST - digit }
    });
}

/// Writes the public values that signatures of leaves lead to (algorithm 8). `values` are the
/// signatures, and become the ends of the chains.
pub(crate) fn public_keys_from(
    hashes: &mut Hashes<'_>,
    messages: &[(Leaf, &[u8])],
    values: &mut [u8],
    nodes: &mut [u8],
) {
    finish(hashes, messages, values);
    let leaves: Vec<_> = messages.iter().map(|&(leaf, _)| leaf).collect();
    compress(hashes, &leaves, values, nodes);
}

/// Compresses the ends of the chains of each leaf to a node.
fn compress(hashes: &mut Hashes<'_>, leaves: &[Leaf], values: &[u8], nodes: &mut [u8]) {
    let length = values.len() / leaves.len();
    hashes.fill(length, nodes, |i| {
        (leaves[i].address(Kind::OneTimeKey, 0, 0), &values[i * length..][..length])
    });
}
