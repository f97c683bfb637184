//! The tweakable hash functions F, H, T and PRF (FIPS 205 section 11), of many inputs side by side.
//!
//! All inputs begin with the public seed. In the SHA-2 sets it fills a block, which is compressed
//! once for a key.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use hashlanes::{Algorithm, AnyPrefix};
use zeroize::Zeroizing;

use crate::address::{Address, COMPRESSED, FULL, Kind};
use crate::parameters::ParameterSet;

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
            digests: Zeroizing::new(vec![0; MOST * long.digest_len()]),
        }
    }

    /// Writes values of H or T to `values`: number `i` is that of the message and the address that
    /// `input(i)` returns. All messages have `length` bytes.
    pub(crate) fn fill<'m>(
        &mut self,
        length: usize,
        values: &mut [u8],
        input: impl Fn(usize) -> (Address, &'m [u8]),
    ) {
        let (n, size) = (self.n, self.address + length);
        let window = MOST.min(ROOM / size);
        let digest = self.long.algorithm().digest_len();
        for (w, values) in values.chunks_mut(window * n).enumerate() {
            let count = values.len() / n;
            for i in w * window..w * window + count {
                let (address, message) = input(i);
                self.push(&address, message);
            }
            let digests = &mut self.digests[..count * digest];
            self.long.digest_chunks_into(&self.inputs, size, digests);
            for (value, digest) in values.chunks_exact_mut(n).zip(digests.chunks_exact(digest)) {
                value.copy_from_slice(&digest[..n]);
            }
            self.inputs.clear();
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
        let (mut order, mut lengths) = (Vec::with_capacity(MOST), Vec::with_capacity(MOST));
        for (w, values) in values.chunks_mut(MOST * n).enumerate() {
            let chain = |i: usize| chain(w * MOST + i);
            // The longest first, so that lanes are full until the end.
            order.extend((0..values.len() / n).map(|i| (Reverse(chain(i).steps), i as u16)));
            order.sort_unstable();
            for &(_, i) in &order {
                let i = usize::from(i);
                let Chain { address, steps } = chain(i);
                lengths.push(u64::from(steps));
                match secret {
                    None => self.push(&address, &values[i * n..][..n]),
                    Some((secret, kind)) => self.push(&Address { kind, ..address }, secret),
                }
            }
            if secret.is_some() {
                let once = &[1; MOST][..order.len()];
                self.short.digest_numbered_chains(&mut self.inputs, size, n, once);
                for (&(_, i), input) in order.iter().zip(self.inputs.chunks_exact_mut(size)) {
                    chain(i.into()).address.write(&mut input[..self.address]);
                }
            }
            self.short.digest_numbered_chains(&mut self.inputs, size, n, &lengths);
            for (&(_, i), input) in order.iter().zip(self.inputs.chunks_exact(size)) {
                values[usize::from(i) * n..][..n].copy_from_slice(&input[self.address..]);
            }
            self.inputs.clear();
            order.clear();
            lengths.clear();
        }
    }

    /// Appends an input to the next call.
    fn push(&mut self, address: &Address, message: &[u8]) {
        let start = self.inputs.len();
        assert!(start + self.address + message.len() <= ROOM, "the inputs would move");
        self.inputs.resize(start + self.address, 0);
        address.write(&mut self.inputs[start..]);
        self.inputs.extend_from_slice(message);
    }
}
