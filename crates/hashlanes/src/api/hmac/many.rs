//! Many pairs of a key and a message.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::ops::Range;

use super::key::HmacKey;
use crate::api::batch::output_of;
use crate::api::engine::Engine;
use crate::function::HashFunction;
use crate::schedule::{ByNumber, Slices};
use crate::wipe;

impl<A: HashFunction> Engine<A> {
    /// The MACs of many pairs of a key and a message, in the same order. See
    /// [`hmac_many`](crate::hmac_many).
    #[cfg(feature = "alloc")]
    pub fn hmac_many<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
    ) -> Vec<A::Digest> {
        let mut macs = alloc::vec![A::ZERO; pairs.len()];
        self.hmac_many_into(pairs, &mut macs);
        macs
    }

    /// Writes the MACs of many pairs of a key and a message to `macs`, in the same order. Allocates
    /// nothing. If this engine's kernel was chosen by name, it computes them, whatever engines the
    /// keys have.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn hmac_many_into<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
        macs: &mut [A::Digest],
    ) {
        assert_eq!(
            pairs.len(),
            macs.len(),
            "as many MACs are written as there are pairs: the slices must have the same length"
        );
        match (pairs, &mut *macs) {
            ([], _) => {}
            ([(key, message)], [mac]) => *mac = key.borrow().mac_in(self, message.as_ref()),
            _ => {
                self.put_macs(pairs, macs);
                wipe::stack::<{ wipe::MANY }>();
            }
        }
    }

    /// Writes the MACs of at least one pair. The caller must wipe the stack.
    pub(super) fn put_macs<K: Borrow<HmacKey<A>>>(
        &self,
        pairs: &[(K, impl AsRef<[u8]>)],
        macs: &mut [A::Digest],
    ) {
        let first = pairs[0].0.borrow();
        let inner = |i: usize| pairs[i].0.borrow().inner().state;
        self.digest_all(first.inner(), Some(&inner), &Pairs(pairs), macs);
        let before = first.outer();
        output_of::<A>(macs).replace(&mut |first, inner, macs| {
            let outer = |i: usize| pairs[first + i].0.borrow().outer().state;
            self.put_all(before, Some(&outer), &inner, macs);
        });
    }
}

impl<A: HashFunction> HmacKey<A> {
    /// The MACs of many independent messages under this key, in the same order. For messages under
    /// different keys, use [`hmac_many`](crate::hmac_many).
    #[cfg(feature = "alloc")]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut macs = alloc::vec![A::ZERO; messages.len()];
        self.mac_many_into(messages, &mut macs);
        macs
    }

    /// Writes the MACs of many independent messages under this key to `macs`, in the same order.
    /// Allocates nothing, and uses as much stack as [`digest_many`](crate::digest_many#stack).
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn mac_many_into(&self, messages: &[impl AsRef<[u8]>], macs: &mut [A::Digest]) {
        if let ([message], [mac]) = (messages, &mut *macs) {
            *mac = self.mac(message);
            return;
        }
        self.engine.digest_all(self.inner(), None, &Slices(messages), macs);
        output_of::<A>(macs).replace(&mut |_, inner, macs| {
            self.engine.put_all(self.outer(), None, &inner, macs);
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
