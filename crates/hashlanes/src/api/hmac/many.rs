//! Many pairs of a key and a message.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::ops::Range;

use super::key::HmacKey;
use crate::api::batch::Batch;
use crate::api::engine::Engine;
use crate::family::{Family, State};
use crate::function::HashFunction;
use crate::schedule::{Chunks, Messages, Slices};
use crate::wipe::{self, Wiped};

impl<A: HashFunction> Engine<A> {
    /// The MACs of many pairs of a key and a message, in their order. See
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

    /// Writes the MACs of many pairs of a key and a message, in their order, to `macs`. Allocates
    /// nothing. If this engine's kernel was chosen by name, it makes them, whatever engines the
    /// keys have.
    ///
    /// # Panics
    /// If the slices are of different lengths.
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
        let first = match (pairs, &mut *macs) {
            ([(first, _), _, ..], _) => first.borrow(),
            ([(key, message)], [mac]) => {
                *mac = key.borrow().mac_in(self, message.as_ref());
                return;
            }
            _ => return,
        };
        let key = |i: usize| pairs[i].0.borrow();
        let messages = After { messages: Pairs(pairs), state: |i| key(i).inner().state, first: 0 };
        Batch::after(self, first.inner()).digest_all(messages, macs);
        let batch = Batch::after(self, first.outer());
        in_windows::<A>(macs, |first, inner, macs| {
            let state = |i| key(i).outer().state;
            batch.digest_all(After { messages: inner, state, first }, macs);
        });
        wipe::stack::<{ wipe::MANY }>();
    }
}

impl<A: HashFunction> HmacKey<A> {
    /// The MACs of many independent messages under this key, in their order. For messages under
    /// different keys there is [`hmac_many`](crate::hmac_many).
    #[cfg(feature = "alloc")]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut macs = alloc::vec![A::ZERO; messages.len()];
        self.mac_many_into(messages, &mut macs);
        macs
    }

    /// Writes the MACs of many independent messages under this key, in their order, to `macs`.
    /// Allocates nothing. It takes as much of the stack as
    /// [`digest_many`](crate::digest_many#stack).
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn mac_many_into(&self, messages: &[impl AsRef<[u8]>], macs: &mut [A::Digest]) {
        if let ([message], [mac]) = (messages, &mut *macs) {
            *mac = self.mac(message);
            return;
        }
        Batch::after(&self.engine, self.inner()).digest_all(Slices(messages), macs);
        finish(Batch::after(&self.engine, self.outer()), macs);
        wipe::stack::<{ wipe::MANY }>();
    }
}

/// Makes MACs under one key of inner digests, in place.
fn finish<A: HashFunction>(outer: Batch<'_, A>, digests: &mut [A::Digest]) {
    in_windows::<A>(digests, |_, inner, macs| outer.digest_all(inner, macs));
}

/// Up to this many digests use a small window: clearing the large one takes longer than hashing.
const FEW: usize = 8;

/// Inner digests in a window, as many as the widest kernel takes in four groups.
const MANY: usize = 128;

/// Bytes of the longest digest.
const DIGEST: usize = 64;

/// Makes MACs of inner digests, in place, window by window. `hash` is given the number of the
/// first one, the inner digests, and where the MACs go.
fn in_windows<A: HashFunction>(
    digests: &mut [A::Digest],
    hash: impl FnMut(usize, Chunks<'_>, &mut [A::Digest]),
) {
    if digests.len() <= FEW {
        in_windows_of::<A, { FEW * DIGEST }>(digests, hash);
    } else {
        in_windows_of::<A, { MANY * DIGEST }>(digests, hash);
    }
}

#[inline(never)]
fn in_windows_of<A: HashFunction, const BYTES: usize>(
    digests: &mut [A::Digest],
    mut hash: impl FnMut(usize, Chunks<'_>, &mut [A::Digest]),
) {
    let size = size_of::<A::Digest>();
    let mut memory = Wiped([0; BYTES]);
    let mut first = 0;
    for window in digests.chunks_mut(BYTES / DIGEST) {
        let inner = &mut memory[..size_of_val(window)];
        inner.copy_from_slice(A::bytes_of(window));
        hash(first, Chunks::new(inner, size), window);
        first += window.len();
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

impl<'a, F: Family, K, M: AsRef<[u8]>> Messages<'a, F> for Pairs<'a, K, M> {
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

/// Messages that come after states of their own: number `i` after `state(first + i)`.
#[derive(Clone, Copy)]
struct After<M, S> {
    messages: M,
    state: S,
    first: usize,
}

impl<'a, F, M, S> Messages<'a, F> for After<M, S>
where
    F: Family,
    M: Messages<'a, F>,
    S: Fn(usize) -> &'a State<F> + Copy,
{
    fn count(self) -> usize {
        self.messages.count()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.messages.message(i)
    }

    #[inline(always)]
    fn state(self, i: usize) -> Option<&'a State<F>> {
        Some((self.state)(self.first + i))
    }

    fn lengths(self) -> (usize, usize) {
        self.messages.lengths()
    }

    fn range(self, range: Range<usize>) -> Self {
        let first = self.first + range.start;
        Self { messages: self.messages.range(range), first, ..self }
    }
}
