//! PBKDF2 (RFC 8018 section 5.2): keys from passwords, many side by side.

use alloc::vec::Vec;
use core::borrow::Borrow;

use super::key::HmacKey;
use crate::api::engine::Engine;
use crate::function::Function;
use crate::schedule::Rounds;
use crate::wipe::{self, Wipe};

/// How many blocks of output are computed side by side: enough to fill the lanes of every kernel
/// several times.
const ACTIVE: usize = 64;

impl<A: Function> Engine<A> {
    /// Derives keys from passwords by PBKDF2 (RFC 8018 section 5.2) with HMAC, many side by side:
    /// `keys[i]` from `passwords[i]` and `salts[i]`.
    ///
    /// A key may have any length. Each block of output as long as a digest takes `rounds` MACs, one
    /// after another; the blocks of all keys are computed side by side. So this helps whoever
    /// verifies or migrates many passwords, and whoever guesses them.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// // RFC 7914 section 11.
    /// let mut keys = [[0; 64]; 2];
    /// let engine = Engine::<Sha256>::new();
    /// engine.pbkdf2_many(&["passwd", "other"], &["salt", "salt"], 1, &mut keys);
    /// assert_eq!(keys[0][..4], [0x55, 0xac, 0x04, 0x6e]);
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths, `rounds` is 0, or a key has more than 2^32 - 1
    /// digests' bytes.
    pub fn pbkdf2_many(
        &self,
        passwords: &[impl AsRef<[u8]>],
        salts: &[impl AsRef<[u8]>],
        rounds: u32,
        keys: &mut [impl AsMut<[u8]>],
    ) {
        let derived = self.pbkdf2_many_while(passwords, salts, rounds, keys, &mut || true);
        debug_assert!(derived, "nothing ends it early");
    }

    /// Like [`pbkdf2_many`](Self::pbkdf2_many), but asks `go_on` every few milliseconds whether the
    /// keys are still wanted. Once it returns `false`, this returns `false` soon, and the keys must
    /// not be used.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// let (engine, mut key) = (Engine::<Sha256>::new(), [0; 32]);
    /// let mut questions = 0;
    /// let mut go_on = || {
    ///     questions += 1;
    ///     questions < 5
    /// };
    /// let (passwords, salts, keys) = (["password"], ["salt"], &mut [&mut key]);
    /// assert!(!engine.pbkdf2_many_while(&passwords, &salts, u32::MAX, keys, &mut go_on));
    /// ```
    ///
    /// # Panics
    /// Like `pbkdf2_many`.
    #[must_use]
    pub fn pbkdf2_many_while(
        &self,
        passwords: &[impl AsRef<[u8]>],
        salts: &[impl AsRef<[u8]>],
        rounds: u32,
        keys: &mut [impl AsMut<[u8]>],
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let counts = (passwords.len(), salts.len());
        assert_eq!(
            counts,
            (keys.len(), keys.len()),
            "every key has a password and a salt: the slices must have the same length"
        );
        assert!(rounds > 0, "PBKDF2 needs at least one round");
        let size = self.digest_len();
        for key in &mut *keys {
            check_length(key.as_mut().len(), size);
        }
        let blocks_of = |(i, key): (usize, _)| {
            let blocks = AsMut::<[u8]>::as_mut(key).chunks_mut(size).zip(1_u32..);
            blocks.map(move |(block, number)| (i, block, number))
        };
        let mut blocks = keys.iter_mut().enumerate().flat_map(blocks_of);
        loop {
            let mut some: Vec<_> = blocks.by_ref().take(ACTIVE).collect();
            if some.is_empty() {
                return true;
            }
            // With a single round, `derive` asks nothing.
            if !go_on() {
                return false;
            }
            let mut is_wanted = true;
            let mut go_on = || {
                is_wanted = is_wanted && go_on();
                is_wanted
            };
            let rounds = &mut Rounds { count: rounds - 1, go_on: &mut go_on };
            wipe::call::<{ wipe::MANY }, _>(|| self.derive(passwords, salts, rounds, &mut some));
            if !is_wanted {
                return false;
            }
        }
    }

    /// Derives blocks, which are given with the numbers of their keys and their own.
    fn derive(
        &self,
        passwords: &[impl AsRef<[u8]>],
        salts: &[impl AsRef<[u8]>],
        rounds: &mut Rounds<'_>,
        some: &mut [(usize, &mut [u8], u32)],
    ) {
        let mut prepared: Vec<HmacKey<A>> = Vec::with_capacity(ACTIVE);
        for (k, (i, ..)) in some.iter().enumerate() {
            // A long key has many blocks.
            let same = k.checked_sub(1).filter(|&before| some[before].0 == *i);
            prepared.push(match same {
                Some(before) => prepared[before].clone(),
                None => HmacKey::with_engine(*self, &passwords[*i]),
            });
        }
        let size = self.digest_len();
        let mut totals = Digests(alloc::vec![0; some.len() * size]);
        for ((i, _, number), (key, total)) in
            some.iter().zip(prepared.iter().zip(totals.0.chunks_mut(size)))
        {
            let mut hasher = key.hasher();
            hasher.update(&salts[*i]).update(number.to_be_bytes());
            total.copy_from_slice(hasher.finalize().as_ref());
        }
        self.repeat(&prepared, rounds, &mut totals);
        for ((_, block, _), total) in some.iter_mut().zip(totals.0.chunks(size)) {
            block.copy_from_slice(&total[..block.len()]);
        }
    }

    /// Adds the MACs of the next rounds to those of the first one: each is the MAC of the previous.
    /// The caller must wipe the stack.
    #[inline(never)]
    fn repeat(&self, keys: &[HmacKey<A>], rounds: &mut Rounds<'_>, totals: &mut Digests) {
        let states = keys.iter().map(|key| [&key.inner, &key.outer]);
        if self.function().add_macs(states, rounds, &mut totals.0, self.forced()) {
            return;
        }
        let size = self.digest_len();
        let (mut macs, mut next) = (totals.clone(), totals.clone());
        rounds.each(|count| {
            for _ in 0..count {
                let pairs: [_; ACTIVE] = core::array::from_fn(|i| {
                    let i = i.min(keys.len() - 1);
                    (&keys[i], &macs.0[i * size..][..size])
                });
                self.put_macs(&pairs[..keys.len()], &mut next.0);
                core::mem::swap(&mut macs, &mut next);
                totals.0.iter_mut().zip(&macs.0).for_each(|(total, byte)| *total ^= byte);
            }
        });
    }

    /// The MACs of pairs of a key and a message.
    pub(super) fn wiped_macs<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
    ) -> Digests {
        let mut macs = Digests(alloc::vec![0; pairs.len() * self.digest_len()]);
        self.put_each_mac(pairs, &mut macs.0);
        macs
    }
}

/// Panics if a key of `length` bytes has more blocks of `size` bytes than PBKDF2 can number.
fn check_length(length: usize, size: usize) {
    assert!(
        length.div_ceil(size) as u64 <= u32::MAX.into(),
        "PBKDF2 derives at most 2^32 - 1 blocks of {size} bytes, not {length} bytes"
    );
}

/// The bytes of digests, which are wiped when they are dropped.
#[derive(Clone)]
pub(super) struct Digests(pub(super) Vec<u8>);

impl Drop for Digests {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Wipe::wipe);
    }
}

#[cfg(all(test, feature = "all", target_pointer_width = "64"))]
mod tests {
    use super::check_length;

    #[test]
    fn the_longest_key_has_as_many_blocks_as_can_be_numbered() {
        check_length(0xffff_ffff * 20, 20);
    }

    #[test]
    #[should_panic(expected = "at most 2^32 - 1 blocks of 20 bytes, not 85899345901 bytes")]
    fn longer_keys_are_refused() {
        check_length(0xffff_ffff * 20 + 1, 20);
    }
}
