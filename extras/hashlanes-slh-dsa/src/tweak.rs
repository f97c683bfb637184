//! The tweakable hash functions F, H, T and PRF (FIPS 205 section 11), of many inputs side by side.
//!
//! All inputs begin with the public seed. In the SHA-2 sets it fills a block, which is compressed
//! once for a key.

use alloc::vec::Vec;

use hashlanes::{Algorithm, Prefix};

use crate::address::{Address, COMPRESSED, FULL, Kind};
use crate::parameters::{LAST, ParameterSet};
use crate::secrecy::Wiped;

/// The most inputs of a call: enough to fill the lanes of every kernel many times.
const MOST: usize = 512;

/// The most bytes of the inputs of a call.
const ROOM: usize = 64 << 10;

/// Says between two calls of the library whether the results are still wanted.
pub(crate) type GoOn<'g> = &'g mut dyn FnMut() -> bool;

/// The functions of a key, with memory for their inputs and digests.
pub(crate) struct Hashes<'g> {
    /// F and PRF.
    short: Prefix,
    /// H and T.
    long: Prefix,
    n: usize,
    /// The bytes of an address in an input.
    address: usize,
    /// Memory for inputs and digests.
    inputs: Wiped,
    digests: Wiped,
    go_on: Option<GoOn<'g>>,
    is_stopped: bool,
}

/// A chain to continue.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    /// The address of its first hash.
    pub(crate) address: Address,
    /// The number of hashes, at most `LAST`.
    pub(crate) steps: u8,
}

impl<'g> Hashes<'g> {
    /// Once `go_on` returns `false`, the functions compute nothing.
    pub(crate) fn new(set: ParameterSet, seed: &[u8], go_on: Option<GoOn<'g>>) -> Self {
        let n = seed.len();
        let (short, long) = match (set.is_shake(), n) {
            (true, _) => (Algorithm::Shake256, Algorithm::Shake256),
            (false, 16) => (Algorithm::Sha256, Algorithm::Sha256),
            (false, _) => (Algorithm::Sha256, Algorithm::Sha512),
        };
        let prefix = |algorithm: Algorithm| {
            let mut bytes = seed.to_vec();
            if !set.is_shake() {
                bytes.resize(algorithm.block_len(), 0);
            }
            Prefix::of(algorithm, bytes)
        };
        Self {
            short: prefix(short),
            long: prefix(long),
            n,
            address: if set.is_shake() { FULL } else { COMPRESSED },
            inputs: Wiped::new(ROOM),
            digests: Wiped::new(MOST * long.digest_len()),
            go_on,
            is_stopped: false,
        }
    }

    /// Whether the functions have stopped, so that what they wrote is of no use.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    fn goes_on(&mut self) -> bool {
        if let Some(go_on) = &mut self.go_on {
            self.is_stopped = self.is_stopped || !go_on();
        }
        !self.is_stopped
    }

    /// Writes values of H or T to `values`: number `i` is that of the message and the address that
    /// `at(i)` returns. All messages have `length` bytes.
    pub(crate) fn fill<'m>(
        &mut self,
        length: usize,
        values: &mut [u8],
        at: impl Fn(usize) -> (Address, &'m [u8]),
    ) {
        let (n, size) = (self.n, self.address + length);
        let window = MOST.min(ROOM / size);
        let digest = self.long.algorithm().digest_len();
        for (w, values) in values.chunks_mut(window * n).enumerate() {
            if !self.goes_on() {
                return;
            }
            let count = values.len() / n;
            let inputs = &mut self.inputs[..count * size];
            for (input, i) in inputs.chunks_exact_mut(size).zip(w * window..) {
                let (address, message) = at(i);
                put(input, self.address, &address, message);
            }
            let digests = &mut self.digests[..count * digest];
            self.long.digest_chunks_into(inputs, size, digests);
            for (value, digest) in values.chunks_exact_mut(n).zip(digests.chunks_exact(digest)) {
                copy(value, &digest[..n]);
            }
        }
    }

    /// Continues chains of F side by side: each value is replaced by that at the end of its chain
    /// (FIPS 205 algorithm 5).
    pub(crate) fn chain(&mut self, values: &mut [u8], chain: impl Fn(usize) -> Chain) {
        self.chain_all(values, None, chain);
    }

    /// [`chain`](Self::chain) of values that PRF derives from a secret, with addresses that differ
    /// from those of the chains in their kind.
    pub(crate) fn chain_secrets(
        &mut self,
        secret: &[u8],
        kind: Kind,
        values: &mut [u8],
        chain: impl Fn(usize) -> Chain,
    ) {
        self.chain_all(values, Some((secret, kind)), chain);
    }

    fn chain_all(
        &mut self,
        values: &mut [u8],
        secret: Option<(&[u8], Kind)>,
        chain: impl Fn(usize) -> Chain,
    ) {
        let (n, size) = (self.n, self.address + self.n);
        let mut lengths = Vec::with_capacity(MOST);
        for (w, values) in values.chunks_mut(MOST * n).enumerate() {
            if !self.goes_on() {
                return;
            }
            let count = values.len() / n;
            let chains: Vec<_> = (w * MOST..w * MOST + count).map(&chain).collect();
            let order = longest_first(&chains);
            let order = || order[..count].iter().map(|&i| usize::from(i));
            lengths.clear();
            lengths.extend(order().map(|i| u64::from(chains[i].steps)));
            let inputs = &mut self.inputs[..count * size];
            for (input, i) in inputs.chunks_exact_mut(size).zip(order()) {
                let address = &chains[i].address;
                match secret {
                    None => put(input, self.address, address, &values[i * n..][..n]),
                    Some((secret, kind)) => {
                        put(input, self.address, &Address { kind, ..*address }, secret);
                    }
                }
            }
            if secret.is_some() {
                self.short.digest_numbered_chains(inputs, size, n, &[1; MOST][..count]);
                for (input, i) in inputs.chunks_exact_mut(size).zip(order()) {
                    // The addresses differ in the kind, and in the index, which was counted.
                    chains[i].address.write(&mut input[..self.address]);
                }
            }
            self.short.digest_numbered_chains(inputs, size, n, &lengths);
            for (input, i) in inputs.chunks_exact(size).zip(order()) {
                copy(&mut values[i * n..][..n], &input[self.address..]);
            }
        }
    }
}

/// Writes an input: an address of `length` bytes, and a message.
#[inline(always)]
fn put(input: &mut [u8], length: usize, address: &Address, message: &[u8]) {
    let (first, second) = input.split_at_mut(length);
    address.write(first);
    copy(second, message);
}

/// Copies a few bytes, usually one or two nodes, without a call.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    match to.len() {
        16 => to[..16].copy_from_slice(&from[..16]),
        24 => to[..24].copy_from_slice(&from[..24]),
        32 => to[..32].copy_from_slice(&from[..32]),
        48 => to[..48].copy_from_slice(&from[..48]),
        64 => to[..64].copy_from_slice(&from[..64]),
        _ => to.copy_from_slice(from),
    }
}

/// The numbers of chains, the longest first, so that lanes are full until the end.
fn longest_first(chains: &[Chain]) -> [u16; MOST] {
    let mut places = [0; LAST as usize + 1];
    chains.iter().for_each(|chain| places[usize::from(chain.steps)] += 1);
    let mut next = 0;
    for place in places.iter_mut().rev() {
        (*place, next) = (next, next + *place);
    }
    let mut order = [0; MOST];
    for (i, chain) in chains.iter().enumerate() {
        let place = &mut places[usize::from(chain.steps)];
        order[*place] = i as u16;
        *place += 1;
    }
    order
}
