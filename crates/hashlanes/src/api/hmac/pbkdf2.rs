//! PBKDF2 (RFC 8018 section 5.2): keys from passwords, many side by side.

use alloc::vec::Vec;

use super::key::HmacKey;
use crate::api::engine::Engine;
use crate::function::HashFunction;
use crate::wipe::{self, Wipe};

/// How many blocks of output are computed side by side: enough to fill the lanes of every kernel
/// several times.
const ACTIVE: usize = 64;

impl<A: HashFunction> Engine<A> {
    /// Derives keys from passwords. See [`pbkdf2_many`](crate::pbkdf2_many).
    ///
    /// # Panics
    /// If the slices have different lengths, or `rounds` is 0.
    pub fn pbkdf2_many(
        &self,
        passwords: &[impl AsRef<[u8]>],
        salts: &[impl AsRef<[u8]>],
        rounds: u32,
        keys: &mut [impl AsMut<[u8]>],
    ) {
        let counts = (passwords.len(), salts.len());
        assert_eq!(
            counts,
            (keys.len(), keys.len()),
            "every key has a password and a salt: the slices must have the same length"
        );
        assert!(rounds > 0, "PBKDF2 has at least one round");
        let size = size_of::<A::Digest>();
        let mut blocks = Vec::new();
        for (i, key) in keys.iter_mut().enumerate() {
            blocks.extend(key.as_mut().chunks_mut(size).zip(1_u32..).map(|block| (i, block)));
        }
        for some in blocks.chunks_mut(ACTIVE) {
            let of = |(i, _): &(usize, _)| HmacKey::with_engine(*self, &passwords[*i]);
            let prepared: Vec<HmacKey<A>> = some.iter().map(of).collect();
            let mut totals = Digests::<A>(alloc::vec![A::ZERO; some.len()]);
            for (k, (i, (_, number))) in some.iter().enumerate() {
                let mut hasher = prepared[k].hasher();
                hasher.update(&salts[*i]).update(number.to_be_bytes());
                totals.0[k] = hasher.finalize();
            }
            self.repeat(&prepared, rounds - 1, &mut totals);
            wipe::stack::<{ wipe::MANY }>();
            for ((_, (block, _)), total) in some.iter_mut().zip(&totals.0) {
                block.copy_from_slice(&total.as_ref()[..block.len()]);
            }
        }
    }

    /// Adds the MACs of the next rounds to those of the first one: each is the MAC of the previous.
    /// The caller must wipe the stack.
    #[inline(never)]
    fn repeat(&self, keys: &[HmacKey<A>], rounds: u32, totals: &mut Digests<A>) {
        let mut macs = Digests::<A>(totals.0.clone());
        let mut next = Digests::<A>(totals.0.clone());
        for _ in 0..rounds {
            let pairs: [_; ACTIVE] = core::array::from_fn(|i| {
                let i = i.min(keys.len() - 1);
                (&keys[i], &macs.0[i])
            });
            self.put_macs(&pairs[..keys.len()], &mut next.0);
            core::mem::swap(&mut macs, &mut next);
            let bytes = A::bytes_of_mut(&mut totals.0).iter_mut();
            bytes.zip(A::bytes_of(&macs.0)).for_each(|(total, byte)| *total ^= byte);
        }
    }
}

/// Digests that are wiped when they are dropped.
pub(super) struct Digests<A: HashFunction>(pub(super) Vec<A::Digest>);

impl<A: HashFunction> Drop for Digests<A> {
    fn drop(&mut self) {
        A::bytes_of_mut(&mut self.0).iter_mut().for_each(Wipe::wipe);
    }
}
