//! HKDF (RFC 5869): keys from secrets, many side by side.

use alloc::vec::Vec;

use super::key::HmacKey;
use super::pbkdf2::Digests;
use crate::api::by_name::LONGEST;
use crate::api::engine::Engine;
use crate::function::Function;
use crate::wipe::{self, Wipe};

/// How many keys are derived side by side: enough to fill the lanes of every kernel several times.
const ACTIVE: usize = 64;

/// The most blocks of a key.
const BLOCKS: usize = 255;

impl<A: Function> Engine<A> {
    /// Derives keys from secrets by HKDF (RFC 5869), many side by side: `keys[i]` from `salts[i]`,
    /// `secrets[i]` and `infos[i]`.
    ///
    /// A key may have any length up to 255 digests. Its blocks follow from each other, but those of
    /// different keys are computed side by side.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// // RFC 5869 appendix A.1.
    /// let salt: Vec<u8> = (0..13).collect();
    /// let info: Vec<u8> = (0xf0..0xfa).collect();
    /// let mut keys = [[0; 42]];
    /// Engine::<Sha256>::new().hkdf_many(&[salt], &[[0x0b; 22]], &[info], &mut keys);
    /// assert_eq!(keys[0][..4], [0x3c, 0xb2, 0x5f, 0x25]);
    /// assert_eq!(keys[0][38..], [0x87, 0x18, 0x58, 0x65]);
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths, or a key has more than 255 digests' bytes.
    pub fn hkdf_many(
        &self,
        salts: &[impl AsRef<[u8]>],
        secrets: &[impl AsRef<[u8]>],
        infos: &[impl AsRef<[u8]>],
        keys: &mut [impl AsMut<[u8]>],
    ) {
        let derived = self.hkdf_many_while(salts, secrets, infos, keys, &mut || true);
        debug_assert!(derived, "nothing ends it early");
    }

    /// Like [`hkdf_many`](Self::hkdf_many), but asks `go_on` before each block of up to 64 keys
    /// whether the keys are still wanted. Once it returns `false`, this returns `false`, and the
    /// keys must not be used.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// let (engine, mut key) = (Engine::<Sha256>::new(), [0; 42]);
    /// let (salts, secrets, infos, keys) = (["salt"], ["secret"], ["info"], &mut [&mut key]);
    /// assert!(!engine.hkdf_many_while(&salts, &secrets, &infos, keys, &mut || false));
    /// ```
    ///
    /// # Panics
    /// Like `hkdf_many`.
    #[must_use]
    pub fn hkdf_many_while(
        &self,
        salts: &[impl AsRef<[u8]>],
        secrets: &[impl AsRef<[u8]>],
        infos: &[impl AsRef<[u8]>],
        keys: &mut [impl AsMut<[u8]>],
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let count = keys.len();
        assert!(
            [salts.len(), secrets.len(), infos.len()] == [count; 3],
            "every key has a salt, a secret and an info: the slices must have the same length"
        );
        let most = BLOCKS * self.digest_len();
        let fits = keys.iter_mut().all(|key| key.as_mut().len() <= most);
        assert!(fits, "HKDF derives at most 255 blocks for a key");
        for first in (0..count).step_by(ACTIVE) {
            let some = first..count.min(first + ACTIVE);
            let derived = go_on()
                && wipe::call::<{ wipe::TREE }, _>(|| {
                    let key = |i: usize| (HmacKey::with_engine(*self, &salts[i]), &secrets[i]);
                    let pairs: Vec<_> = some.clone().map(key).collect();
                    let extracted = self.wiped_macs(&pairs);
                    self.expand(&extracted, &infos[some.clone()], &mut keys[some], go_on)
                });
            if !derived {
                return false;
            }
        }
        true
    }

    /// The second step (RFC 5869 section 2.3): keys of any length from those of the first. Returns
    /// `false` once `go_on` does.
    fn expand(
        &self,
        extracted: &Digests,
        infos: &[impl AsRef<[u8]>],
        keys: &mut [impl AsMut<[u8]>],
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let size = self.digest_len();
        let of = |key| HmacKey::with_engine(*self, key);
        let prepared: Vec<HmacKey<A>> = extracted.0.chunks(size).map(of).collect();
        let mut messages: Vec<_> = infos.iter().map(|info| Message::new(size, info)).collect();
        let mut keys: Vec<_> = keys.iter_mut().map(|key| key.as_mut().chunks_mut(size)).collect();
        for number in 1..=BLOCKS {
            let live: Vec<_> = (0..keys.len()).filter(|&i| keys[i].len() > 0).collect();
            if live.is_empty() {
                break;
            }
            if !go_on() {
                return false;
            }
            // Nothing precedes the first block.
            let start = if number == 1 { size } else { 0 };
            let pair = |&i: &usize| (&prepared[i], &messages[i].0[start..]);
            let macs = self.wiped_macs(&live.iter().map(pair).collect::<Vec<_>>());
            for (&i, mac) in live.iter().zip(macs.0.chunks(size)) {
                if let Some(block) = keys[i].next() {
                    block.copy_from_slice(&mac[..block.len()]);
                }
                messages[i].0[..size].copy_from_slice(mac);
                messages[i].count();
            }
        }
        true
    }
}

/// The last block of a key, the info and the number of the next block. Wiped when it is dropped.
struct Message(Vec<u8>);

impl Message {
    fn new(digest_len: usize, info: impl AsRef<[u8]>) -> Self {
        Self([&[0; LONGEST][..digest_len], info.as_ref(), &[1]].concat())
    }

    /// Sets the number of the next block.
    fn count(&mut self) {
        if let Some(number) = self.0.last_mut() {
            *number = number.wrapping_add(1);
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Wipe::wipe);
    }
}
