//! The tweakable hash functions F, H, T and PRF (FIPS 205 section 11), of many inputs side by side.
//!
//! All inputs begin with the public seed. In the SHA-2 sets it fills a block, which is compressed
//! once for a key.

use alloc::vec;
use alloc::vec::Vec;

use hashlanes::{Algorithm, AnyPrefix};
use zeroize::Zeroizing;

use crate::address::{Address, COMPRESSED, FULL};
use crate::parameters::{LAST, ParameterSet};

/// The most inputs of a call: enough to fill the lanes of every kernel many times.
const MOST: usize = 512;

/// The most bytes of the inputs of a call.
const ROOM: usize = 64 << 10;

/// The functions of a key, with memory for their inputs and digests.
pub(crate) struct Hashes {
    /// F and PRF.
    short: AnyPrefix,
    /// H and T.
    long: AnyPrefix,
    n: usize,
    /// The bytes of an address in an input.
    address: usize,
    /// The inputs. They may be secret, so this never grows: no copy stays behind.
    inputs: Zeroizing<Vec<u8>>,
    count: usize,
    digests: Zeroizing<Vec<u8>>,
}

/// A chain to continue.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    /// The address of its first hash.
    pub(crate) address: Address,
    /// The number of hashes.
    pub(crate) steps: u8,
}

impl Hashes {
    pub(crate) fn new(set: ParameterSet, seed: &[u8]) -> Self {
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
            AnyPrefix::new(algorithm, bytes)
        };
        Self {
            short: prefix(short),
            long: prefix(long),
            n,
            address: if set.is_shake() { FULL } else { COMPRESSED },
            inputs: Zeroizing::new(Vec::with_capacity(ROOM)),
            count: 0,
            digests: Zeroizing::new(vec![0; MOST * long.digest_len()]),
        }
    }

    /// How many messages of `length` bytes fit into a call.
    pub(crate) fn window(&self, length: usize) -> usize {
        MOST.min(ROOM / (self.address + length))
    }

    /// Appends an input to the next call. All its messages have the same length.
    pub(crate) fn push(&mut self, address: &Address, message: &[u8]) {
        let start = self.inputs.len();
        assert!(start + self.address + message.len() <= ROOM && self.count < MOST);
        self.inputs.resize(start + self.address, 0);
        address.write(&mut self.inputs[start..]);
        self.inputs.extend_from_slice(message);
        self.count += 1;
    }

    /// Hashes the inputs, and yields their values in the same order.
    pub(crate) fn hash(&mut self) -> impl Iterator<Item = &[u8]> {
        let (count, n) = (self.count, self.n);
        let length = self.digest(count);
        self.clear();
        self.digests.chunks_exact(length).take(count).map(move |digest| &digest[..n])
    }

    fn clear(&mut self) {
        self.inputs.clear();
        self.count = 0;
    }

    /// Writes the digests of the first inputs. Returns the length of a digest.
    fn digest(&mut self, count: usize) -> usize {
        let size = self.inputs.len() / self.count.max(1);
        let prefix = if size == self.address + self.n { &self.short } else { &self.long };
        let length = prefix.algorithm().digest_len();
        if count > 0 {
            let digests = &mut self.digests[..count * length];
            prefix.digest_chunks_into(&self.inputs[..count * size], size, digests);
        }
        length
    }

    /// Continues chains side by side: each value is replaced by that at the end of its chain
    /// (FIPS 205 algorithm 5).
    pub(crate) fn chain(&mut self, chains: &[Chain], values: &mut [u8]) {
        let window = self.window(self.n);
        for (chains, values) in chains.chunks(window).zip(values.chunks_mut(window * self.n)) {
            self.chain_window(chains, values);
        }
    }

    fn chain_window(&mut self, chains: &[Chain], values: &mut [u8]) {
        let n = self.n;
        // The longest first, so that those with steps left are always the first ones.
        let mut order = Vec::with_capacity(chains.len());
        for steps in (1..=LAST).rev() {
            order.extend((0..chains.len()).filter(|&i| chains[i].steps == steps));
        }
        for &i in &order {
            self.push(&chains[i].address, &values[i * n..][..n]);
        }
        let size = self.address + n;
        let mut left = order.len();
        for step in 1..=LAST {
            if left == 0 {
                break;
            }
            self.step(left, size);
            left = order.partition_point(|&i| chains[i].steps > step);
        }
        for (input, &i) in self.inputs.chunks_exact(size).zip(&order) {
            values[i * n..][..n].copy_from_slice(&input[self.address..]);
        }
        self.clear();
    }

    /// The next hash of the first `count` chains.
    fn step(&mut self, count: usize, size: usize) {
        match self.n {
            16 => self.step_of::<16>(count, size),
            24 => self.step_of::<24>(count, size),
            _ => self.step_of::<32>(count, size),
        }
    }

    /// [`step`](Self::step) for values of `N` bytes, whose copies are then a few instructions.
    fn step_of<const N: usize>(&mut self, count: usize, size: usize) {
        let (length, index) = (self.digest(count), self.address - 1);
        let inputs = self.inputs.chunks_exact_mut(size).take(count);
        for (input, digest) in inputs.zip(self.digests.chunks_exact(length)) {
            input[index] += 1;
            if let (Some(value), Some(digest)) = (input.last_chunk_mut(), digest.first_chunk()) {
                let _: &[u8; N] = digest;
                *value = *digest;
            }
        }
    }
}
