//! Many pairs of a key and a message.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::ops::Range;

use super::key::HmacKey;
use crate::api::engine::Engine;
use crate::function::Function;
use crate::function::choice::Before;
use crate::schedule::{ByNumber, Output, Slices};
use crate::wipe;

impl<A: Function> Engine<A> {
    /// The MACs (HMAC: RFC 2104, FIPS 198-1) of many independent pairs of a key and a message, in
    /// the same order. A key is prepared once, and any number of pairs may share it. There may be
    /// any number of messages, of any lengths.
    ///
    /// ```
    /// use hashlanes::{Engine, HmacKey, Sha256};
    ///
    /// let keys = ["of one", "of another"].map(HmacKey::<Sha256>::new);
    /// let pairs = [(&keys[0], "message"), (&keys[1], "message"), (&keys[0], "more")];
    /// let macs = Engine::new().hmac_many(&pairs);
    /// assert_eq!(macs[2], keys[0].mac("more"));
    /// assert_ne!(macs[0], macs[1]);
    /// ```
    ///
    /// For messages under one key, use [`HmacKey::mac_many`]. The call uses as much stack as
    /// [`digest_many`](crate::digest_many#stack).
    ///
    /// # Panics
    /// If a key is of another algorithm.
    #[cfg(feature = "alloc")]
    pub fn hmac_many<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
    ) -> Vec<A::Digest> {
        self.function().collect(pairs.len(), |macs| self.hmac_many_into(pairs, macs))
    }

    /// Writes the MACs of many pairs of a key and a message to `macs`, as
    /// [`digest_many_into`](Self::digest_many_into) does. Allocates nothing. If this engine's
    /// kernel was chosen by name, it computes them, whatever engines the keys have.
    ///
    /// # Panics
    /// If there are not as many MACs as pairs, or a key is of another algorithm.
    pub fn hmac_many_into<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
        macs: &mut A::Digests,
    ) {
        self.put_each_mac(pairs, A::bytes_mut(macs));
    }

    /// [`hmac_many_into`](Self::hmac_many_into), to bytes.
    pub(super) fn put_each_mac<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
        macs: &mut [u8],
    ) {
        assert!(
            macs.len() == pairs.len() * self.digest_len(),
            "as many MACs are written as there are pairs: the slices must have the same length"
        );
        match pairs {
            [] => {}
            [(key, message)] => {
                macs.copy_from_slice(self.right(key).mac_in(self, message.as_ref()).as_ref());
            }
            _ => {
                self.put_macs(pairs, macs);
                wipe::stack::<{ wipe::MANY }>();
            }
        }
    }

    /// The key, whose `borrow` may return another one each time.
    ///
    /// # Panics
    /// If it is of another algorithm.
    fn right<'k>(&self, key: &'k impl Borrow<HmacKey<A>>) -> &'k HmacKey<A> {
        let key = key.borrow();
        let right = key.algorithm() == self.algorithm();
        assert!(right, "the keys must be of the engine's algorithm");
        key
    }

    /// Writes the MACs of at least one pair. The caller must wipe the stack.
    pub(super) fn put_macs<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
        macs: &mut [u8],
    ) {
        let first = self.right(&pairs[0].0);
        let mut output = Output::new(macs, self.digest_len(), pairs.len());
        let inner = |i: usize| &self.right(&pairs[i].0).inner;
        A::hash_each(first.before(), inner, self.many(&Pairs(pairs)), &mut output);
        output.replace(&mut |window, inner, macs| {
            let outer = |i: usize| &self.right(&pairs[window + i].0).outer;
            A::hash_each(first.before_inner(), outer, self.many(&inner), macs);
        });
    }
}

impl<A: Function> HmacKey<A> {
    /// The MACs of many independent messages under this key, in the same order. For messages under
    /// different keys, use [`Engine::hmac_many`].
    #[cfg(feature = "alloc")]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let fill = |macs: &mut _| self.mac_many_into(messages, macs);
        self.engine.function().collect(messages.len(), fill)
    }

    /// Writes the MACs of many independent messages under this key to `macs`, as
    /// [`Engine::digest_many_into`] does. Allocates nothing, and uses as much stack as
    /// [`digest_many`](crate::digest_many#stack).
    ///
    /// # Panics
    /// If there are not as many MACs as messages.
    pub fn mac_many_into(&self, messages: &[impl AsRef<[u8]>], macs: &mut A::Digests) {
        let mut output = self.engine.output(macs);
        if let [message] = messages
            && output.count() == 1
        {
            A::bytes_mut(macs).copy_from_slice(self.mac(message).as_ref());
            return;
        }
        self.before().hash_many(self.engine.many(&Slices(messages)), &mut output);
        output.replace(&mut |_, inner, macs| {
            self.before_inner().hash_many(self.engine.many(&inner), macs);
        });
        wipe::stack::<{ wipe::MANY }>();
    }
}

/// The messages of pairs of a key and a message.
struct Pairs<'a, K, M>(&'a [(K, M)]);

impl<K, M> Clone for Pairs<'_, K, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M> Copy for Pairs<'_, K, M> {}

impl<'a, K, M: AsRef<[u8]>> ByNumber<'a> for Pairs<'a, K, M> {
    fn count(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.0[i].1.as_ref()
    }

    fn range(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }
}
