//! What the API asks of a hash function, whether it is a type or the value of an [`Algorithm`]: the
//! state before a message, a message in pieces, and the states of a key for HMAC.
//!
//! Everything is compiled for each type of rules. With a type, all of it is known when it is
//! compiled. With a value, `api/by_name/choice.rs` chooses between the types of rules.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::Algorithm;
use super::sealed::Typed;
use crate::family::{Rules, State};
use crate::input::Chains;
use crate::kernel::{self, KernelInfo};
use crate::schedule::{Batch, Messages, Midstate, Output, Scheduled, Stream};
#[cfg(feature = "alloc")]
use crate::schedule::{KeyStates, Rounds};
use crate::wipe::{Wipe, Wiped};

/// A hash function, as a type or as a value.
pub trait Choice:
    Copy + Debug + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static
{
    type Midstate<'m>: Before;

    /// A message in pieces.
    type Stream: InPieces;

    /// The state after one of the two blocks of a key for HMAC.
    type KeyState: Clone + Send + Sync + 'static;

    fn algorithm(self) -> Algorithm;

    /// What precedes a message.
    fn beginning(self) -> Self::Midstate<'static>;

    /// Writes the digest of a message.
    fn put_digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]);

    /// Writes the digests of many messages.
    fn put_digests(self, many: Many<'_, '_>, output: &mut Output<'_>);

    /// Calls `visit` with what precedes a message.
    fn visit<V: Visit>(self, visit: V) -> V::Output;

    /// An empty message.
    fn stream(self) -> Self::Stream;

    /// The function with this value, if it is one of these; else the value that it would have.
    #[cfg(feature = "alloc")]
    fn of_value(algorithm: Algorithm) -> Result<Self, Algorithm>;

    /// A message of `length` bytes, from what [`save`](InPieces::save) appended. `None` if there is
    /// none that is saved so.
    #[cfg(feature = "alloc")]
    fn restore(self, length: u128, saved: &[u8]) -> Option<Self::Stream>;

    /// What precedes the rest of a message.
    fn midstate(stream: &Self::Stream) -> Self::Midstate<'_>;

    /// The states after the inner and the outer block of a key.
    fn key_states(self, key: &[u8], forced: Option<usize>) -> [Self::KeyState; 2];

    /// What precedes the message, or the inner digest, after a block of a key.
    fn after_key(state: &Self::KeyState) -> Self::Midstate<'_>;

    /// The message that begins with a block of a key.
    fn stream_after_key(state: &Self::KeyState) -> Self::Stream;

    /// Hashes messages, of which each continues the state that `each` gives for its number. All
    /// have the length of `before`.
    ///
    /// # Panics
    /// If they are not of the function of `before`.
    fn hash_each<'s>(
        before: Self::Midstate<'s>,
        each: impl Fn(usize) -> &'s Self::KeyState,
        many: Many<'s, '_>,
        output: &mut Output<'_>,
    );

    /// Adds the MACs of more rounds to totals: see [`Scheduled::add_macs`].
    #[cfg(feature = "alloc")]
    fn add_macs<'k>(
        self,
        keys: impl Iterator<Item = [&'k Self::KeyState; 2]>,
        rounds: &mut Rounds<'_>,
        totals: &mut [u8],
        forced: Option<usize>,
    ) -> bool;
}

/// Many messages of a call, and its options.
#[derive(Clone, Copy)]
pub struct Many<'s, 'a> {
    pub(crate) messages: &'s dyn Messages<'a>,
    pub(crate) forced: Option<usize>,
    pub(crate) uncached: bool,
}

impl<'s, 'a> Many<'s, 'a> {
    pub(crate) fn batch<R: Rules>(self, before: Midstate<'s, R>) -> Batch<'s, 'a, R> {
        let Self { messages, forced, uncached } = self;
        Batch { messages, before, states: None, carries: None, forced, uncached }
    }
}

/// What precedes messages: all that can follow it, and the kernels.
pub trait Before: Copy {
    /// Writes the digest of a message.
    fn digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]);

    /// Writes the digests of many messages.
    fn hash_many(self, many: Many<'_, '_>, output: &mut Output<'_>);

    /// Continues hash chains.
    fn continue_chains(self, chains: &mut Chains<'_>, digest_len: usize, forced: Option<usize>);

    /// The kernel of a row, if there is one.
    fn kernel(self, row: usize) -> Option<KernelInfo>;

    /// The row of the kernel for a number of messages, at least one.
    fn row(self, messages: usize, forced: Option<usize>) -> usize;

    /// The row of the kernel that the environment asks for.
    fn row_of_environment(self) -> Option<usize>;
}

/// A message in pieces.
pub trait InPieces: Clone + Send + Sync + 'static {
    fn update(&mut self, piece: &[u8], forced: Option<usize>);

    /// Writes the digest of the message so far.
    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]);

    /// The length of the message so far in bytes.
    fn length(&self) -> u128;

    /// Appends the state and the bytes that are held back.
    #[cfg(feature = "alloc")]
    fn save(&self, saved: &mut Vec<u8>);

    /// Whether what is saved has a key.
    #[cfg(feature = "alloc")]
    fn holds_key(&self) -> bool;

    /// Calls `visit` with the stream.
    #[cfg(feature = "std")]
    fn visit<V: VisitStream>(self, visit: V) -> V::Output;
}

/// What is done with the beginning of a message, of whatever rules.
pub trait Visit {
    type Output;

    fn visit<R: Scheduled>(self, beginning: Midstate<'static, R>) -> Self::Output;
}

/// What is done with a stream, of whatever rules.
#[cfg(feature = "std")]
pub trait VisitStream {
    type Output;

    fn visit<R: Scheduled>(self, stream: Stream<R>) -> Self::Output;
}

impl<A: Typed> Choice for A {
    type Midstate<'m> = Midstate<'m, A::Rules>;
    type Stream = Stream<A::Rules>;
    type KeyState = KeyState<A::Rules>;

    #[inline(always)]
    fn algorithm(self) -> Algorithm {
        A::VALUE
    }

    #[inline(always)]
    fn beginning(self) -> Midstate<'static, A::Rules> {
        A::BEGINNING
    }

    #[inline(always)]
    fn put_digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]) {
        Before::digest(A::BEGINNING, message, forced, digest);
    }

    #[inline(always)]
    fn put_digests(self, many: Many<'_, '_>, output: &mut Output<'_>) {
        Before::hash_many(A::BEGINNING, many, output);
    }

    #[inline(always)]
    fn visit<V: Visit>(self, visit: V) -> V::Output {
        visit.visit(A::BEGINNING)
    }

    #[inline(always)]
    fn stream(self) -> Stream<A::Rules> {
        Stream::new(A::RULES, A::INITIAL)
    }

    #[cfg(feature = "alloc")]
    fn of_value(algorithm: Algorithm) -> Result<Self, Algorithm> {
        if algorithm == A::VALUE { Ok(A::default()) } else { Err(A::VALUE) }
    }

    #[cfg(feature = "alloc")]
    fn restore(self, length: u128, saved: &[u8]) -> Option<Stream<A::Rules>> {
        self.stream().restored(length, saved)
    }

    #[inline(always)]
    fn midstate(stream: &Stream<A::Rules>) -> Midstate<'_, A::Rules> {
        stream.midstate()
    }

    #[inline(always)]
    fn key_states(self, key: &[u8], forced: Option<usize>) -> [KeyState<A::Rules>; 2] {
        KeyState::of_key(A::BEGINNING, A::VALUE.digest_len(), key, forced)
    }

    #[inline(always)]
    fn after_key(state: &KeyState<A::Rules>) -> Midstate<'_, A::Rules> {
        // The same rules, but known when this is compiled.
        Midstate { rules: A::RULES, ..state.midstate() }
    }

    #[inline(always)]
    fn stream_after_key(state: &KeyState<A::Rules>) -> Stream<A::Rules> {
        state.stream()
    }

    #[inline(always)]
    fn hash_each<'s>(
        before: Midstate<'s, A::Rules>,
        each: impl Fn(usize) -> &'s KeyState<A::Rules>,
        many: Many<'s, '_>,
        output: &mut Output<'_>,
    ) {
        hash_each(before, |i| each(i), many, output);
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn add_macs<'k>(
        self,
        keys: impl Iterator<Item = [&'k KeyState<A::Rules>; 2]>,
        rounds: &mut Rounds<'_>,
        totals: &mut [u8],
        forced: Option<usize>,
    ) -> bool {
        add_macs(A::RULES, keys, rounds, totals, A::VALUE.digest_len(), forced)
    }
}

/// [`Choice::hash_each`], for each type of rules.
#[inline(always)]
pub(crate) fn hash_each<'s, R: Scheduled>(
    before: Midstate<'s, R>,
    each: impl Fn(usize) -> &'s KeyState<R>,
    many: Many<'s, '_>,
    output: &mut Output<'_>,
) {
    let state = |i: usize| &*each(i).state;
    before.rules.hash_many(&Batch { states: Some(&state), ..many.batch(before) }, output);
}

/// [`Choice::add_macs`], for each type of rules.
#[cfg(feature = "alloc")]
pub(crate) fn add_macs<'k, R: Scheduled>(
    rules: R,
    keys: impl Iterator<Item = [&'k KeyState<R>; 2]>,
    rounds: &mut Rounds<'_>,
    totals: &mut [u8],
    digest_len: usize,
    forced: Option<usize>,
) -> bool {
    let states = |[inner, outer]: [&'k KeyState<R>; 2]| KeyStates {
        inner: &*inner.state,
        outer: &*outer.state,
    };
    let states: alloc::vec::Vec<_> = keys.map(states).collect();
    rules.add_macs(&states, rounds, totals, digest_len, forced)
}

impl<R: Scheduled> Before for Midstate<'_, R> {
    #[inline(always)]
    fn digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]) {
        self.rules.digest(&self, message, forced, digest);
    }

    #[inline(always)]
    fn hash_many(self, many: Many<'_, '_>, output: &mut Output<'_>) {
        self.rules.hash_many(&many.batch(self), output);
    }

    #[inline(always)]
    fn continue_chains(self, chains: &mut Chains<'_>, digest_len: usize, forced: Option<usize>) {
        self.rules.continue_chains(&self, chains, digest_len, forced);
    }

    fn kernel(self, row: usize) -> Option<KernelInfo> {
        self.rules.table().rows.get(row).map(KernelInfo::new)
    }

    #[inline(always)]
    fn row(self, messages: usize, forced: Option<usize>) -> usize {
        self.rules.row(messages, forced)
    }

    fn row_of_environment(self) -> Option<usize> {
        kernel::from_environment(self.rules.table().rows)
    }
}

impl<R: Scheduled> InPieces for Stream<R> {
    #[inline(always)]
    fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        self.update(piece, forced);
    }

    #[inline(always)]
    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        self.write_digest(forced, digest);
    }

    #[inline(always)]
    fn length(&self) -> u128 {
        self.length()
    }

    #[cfg(feature = "alloc")]
    fn save(&self, saved: &mut Vec<u8>) {
        self.save(saved);
    }

    #[cfg(feature = "alloc")]
    fn holds_key(&self) -> bool {
        self.holds_key()
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn visit<V: VisitStream>(self, visit: V) -> V::Output {
        visit.visit(self)
    }
}

/// The state after one of the two blocks of a key for HMAC.
#[derive(Clone)]
pub struct KeyState<R: Rules> {
    rules: R,
    pub(crate) state: Wiped<State<R>>,
}

/// The byte with which a key is mixed before a message (RFC 2104 section 2: ipad).
const INNER: u8 = 0x36;

/// The byte with which a key is mixed before the inner digest (RFC 2104 section 2: opad).
const OUTER: u8 = 0x5c;

impl<R: Scheduled> KeyState<R> {
    /// The states after the inner and the outer block of a key.
    pub(crate) fn of_key(
        beginning: Midstate<'static, R>,
        digest_len: usize,
        key: &[u8],
        forced: Option<usize>,
    ) -> [Self; 2] {
        let rules = beginning.rules;
        let mut block = Wiped(R::Block::ZERO);
        let block = &mut block.as_mut()[..rules.block()];
        match block.get_mut(..key.len()) {
            Some(start) => start.copy_from_slice(key),
            None => rules.digest(&beginning, key, forced, &mut block[..digest_len]),
        }
        let mut after = |pad: u8| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            let mut state = Wiped(*beginning.state);
            rules.remember(&mut state, block);
            rules.compress_alone(&mut state, block, forced);
            Self { rules, state }
        };
        let inner = after(INNER);
        // This xor removes the inner pad and adds the outer one.
        [inner, after(INNER ^ OUTER)]
    }

    #[inline(always)]
    pub(crate) fn midstate(&self) -> Midstate<'_, R> {
        Midstate::after_block(self.rules, &self.state)
    }

    pub(crate) fn stream(&self) -> Stream<R> {
        self.midstate().stream()
    }
}
