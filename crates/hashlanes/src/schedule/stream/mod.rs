//! What is kept of a message between two pieces.
//!
//! | file | what |
//! |---|---|
//! | `midstate.rs` | how a piece continues a message |
//! | `compress.rs` | whole blocks of a single message |
//! | `squeeze.rs` | output of any length of sponges |

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

pub(super) mod compress;
#[forbid(unsafe_code)]
pub(super) mod midstate;
pub(super) mod squeeze;

use crate::family::{Rules, State};
use crate::schedule::refill::source::Work;
use crate::schedule::rules::Tabled;
use crate::schedule::stream::compress::compress_alone;
use crate::schedule::stream::midstate::{Midstate, Split};
#[cfg(feature = "alloc")]
use crate::vector::Word;
use crate::wipe::{Wipe, Wiped};

/// A message in progress.
#[derive(Clone)]
pub struct Stream<R: Rules> {
    rules: R,
    /// The state after the whole blocks.
    state: Wiped<State<R>>,
    /// The first bytes are those after the last whole block, which are held back.
    carry: Wiped<R::Block>,
    carried: usize,
    /// The lower and the upper half of the number of bytes so far. A `u128` would be aligned to 16
    /// bytes. Where that left padding, a move could copy bytes of a message from the stack into it,
    /// which nothing wipes.
    length: [u64; 2],
}

impl<R: Rules> Stream<R> {
    /// An empty message.
    pub(crate) fn new(rules: R, initial: State<R>) -> Self {
        Self::resume(rules, initial, 0)
    }

    /// A message whose first `length` bytes, a multiple of the block length, led to `state`.
    pub(crate) fn resume(rules: R, state: State<R>, length: u128) -> Self {
        assert!(
            length.is_multiple_of(rules.block() as u128),
            "the length must be a multiple of the block length"
        );
        let length = [length as u64, (length >> 64) as u64];
        Self { rules, state: Wiped(state), carry: Wiped(R::Block::ZERO), carried: 0, length }
    }

    pub(crate) fn rules(&self) -> R {
        self.rules
    }

    /// The number of bytes of the message so far.
    pub(crate) fn length(&self) -> u128 {
        let [low, high] = self.length;
        u128::from(high) << 64 | u128::from(low)
    }

    fn lengthen(&mut self, bytes: usize) {
        let length = self.length().wrapping_add(bytes as u128);
        self.length = [length as u64, (length >> 64) as u64];
    }

    /// The state so far, to be continued.
    pub(crate) fn midstate(&self) -> Midstate<'_, R> {
        Midstate {
            rules: self.rules,
            state: &self.state,
            carry: &self.carry.as_ref()[..self.carried],
            length: self.length(),
        }
    }

    /// The state after the whole blocks.
    pub(crate) fn state(&self) -> State<R> {
        *self.state
    }

    /// The state after the whole blocks, to be changed.
    pub(crate) fn state_mut(&mut self) -> &mut State<R> {
        &mut self.state
    }

    /// The number of blocks that `piece` completes, including the padding if it is the last one.
    pub(crate) fn blocks(&self, piece: &[u8], last: bool) -> usize {
        let midstate = self.midstate();
        if last { midstate.last_blocks(piece.len()) } else { midstate.blocks(piece.len()) }
    }

    /// See [`Midstate::work`].
    pub(crate) fn work<'a>(
        &self,
        id: usize,
        piece: &'a [u8],
        last: bool,
        skip: usize,
        stage: &mut [u8],
    ) -> Work<'a, R> {
        self.midstate().work(id, piece, last, skip, stage)
    }

    /// Records that the blocks of a piece were compressed, which led to `state`. Keeps the rest of
    /// the piece for later.
    pub(crate) fn absorb(&mut self, piece: &[u8], state: State<R>) {
        let Split { rest, .. } = self.midstate().split(piece);
        let after = self.rules.held(self.carried + piece.len());
        self.carry.as_mut()[after - rest.len()..after].copy_from_slice(rest);
        self.carried = after;
        self.lengthen(piece.len());
        *self.state = state;
    }

    /// Records that `blocks` blocks of a piece were compressed, which led to `state`. Returns how
    /// many bytes of the piece are in them. More bytes follow.
    #[cfg(feature = "std")]
    pub(crate) fn absorb_blocks(&mut self, blocks: usize, state: State<R>) -> usize {
        let bytes = blocks * self.rules.block() - self.carried;
        self.lengthen(bytes);
        (self.carried, *self.state) = (0, state);
        bytes
    }

    /// Records that `bytes` bytes, whole blocks, follow the whole blocks so far. They led to
    /// `state` with the last block, which is held back nevertheless, and whose bytes no longer
    /// matter.
    #[cfg(all(feature = "alloc", feature = "blake3"))]
    pub(crate) fn absorb_ahead(&mut self, bytes: usize, state: State<R>) {
        self.lengthen(bytes);
        (self.carried, *self.state) = (self.rules.block(), state);
    }

    /// Keeps a piece that completes no block.
    pub(crate) fn keep(&mut self, piece: &[u8]) {
        self.absorb(piece, *self.state);
    }

    /// Appends the state, in little-endian words, and the bytes that are held back.
    #[cfg(feature = "alloc")]
    pub(crate) fn save(&self, saved: &mut Vec<u8>) {
        self.rules.save(&self.state, &mut |word| {
            let mut bytes = [0; 8];
            word.write(&mut bytes[..R::Word::BYTES], false);
            saved.extend_from_slice(&bytes[..R::Word::BYTES]);
        });
        saved.extend_from_slice(self.midstate().carry);
    }

    /// An empty message, continued from what was saved after `length` bytes. `None` if there can be
    /// no such state.
    #[cfg(feature = "alloc")]
    pub(crate) fn restored(mut self, length: u128, saved: &[u8]) -> Option<Self> {
        // Of a longer one, only what does not fill a block matters here.
        let short = match u64::try_from(length) {
            Ok(length) => length,
            Err(_) if R::LAST_DIFFERS => return None,
            Err(_) => (length % self.rules.block() as u128) as u64,
        };
        let held = (short - self.rules.compressed(short)) as usize;
        let (words, carry) = saved.split_at_checked(saved.len().checked_sub(held)?)?;
        if !words.len().is_multiple_of(R::Word::BYTES) {
            return None;
        }
        let mut words = words.chunks_exact(R::Word::BYTES).map(|bytes| Word::read(bytes, false));
        if !self.rules.restore(&mut self.state, short, &mut words) {
            return None;
        }
        self.carry.as_mut()[..held].copy_from_slice(carry);
        self.carried = held;
        self.length = [length as u64, (length >> 64) as u64];
        Some(self)
    }

    /// Replaces the message. A move would also copy padding, which nothing wipes.
    #[cfg(feature = "alloc")]
    pub(crate) fn replace(&mut self, other: &Self) {
        *self.state = *other.state;
        self.carry.as_mut().copy_from_slice(other.carry.as_ref());
        (self.carried, self.length) = (other.carried, other.length);
    }

    /// Whether the state, or what is held back with it, has a key.
    #[cfg(feature = "alloc")]
    pub(crate) fn holds_key(&self) -> bool {
        self.rules.holds_key(&self.state)
    }

    /// Continues the message with the kernel of row `forced`, or with the best kernel for one
    /// message.
    pub(crate) fn update_alone(&mut self, piece: &[u8], forced: Option<usize>)
    where
        R: Tabled,
    {
        let rules = self.rules;
        self.update_with(piece, |state, bytes, held| {
            compress_alone(rules, state, &bytes[..bytes.len() - held], forced);
        });
    }

    /// Continues the message with a function that compresses whole blocks of bytes, of which this
    /// many at the end are held back.
    #[inline(always)]
    pub(crate) fn update_with(
        &mut self,
        piece: &[u8],
        compress: impl Fn(&mut State<R>, &[u8], usize),
    ) {
        let (carried, rules) = (self.carried, self.rules);
        self.carried = rules.held(carried + piece.len());
        self.lengthen(piece.len());
        let carry = self.carry.as_mut();
        let mut rest = piece;
        if carried > 0 {
            let room = rules.block() - carried;
            // Short pieces are only copied, since a call for no blocks would take as long.
            if piece.len() < room + usize::from(R::LAST_DIFFERS) {
                carry[carried..carried + piece.len()].copy_from_slice(piece);
                return;
            }
            let (head, after) = piece.split_at(room);
            carry[carried..carried + room].copy_from_slice(head);
            compress(&mut self.state, &carry[..carried + room], 0);
            rest = after;
        }
        let held = rules.held(rest.len());
        if rest.len() > held {
            compress(&mut self.state, rest, held);
        }
        carry[..held].copy_from_slice(&rest[rest.len() - held..]);
    }

    /// The state after the padding: the digest's words.
    pub(crate) fn finish_alone(&self, forced: Option<usize>) -> State<R>
    where
        R: Tabled,
    {
        let mut tail = Wiped(R::Tail::ZERO);
        let rules = self.rules;
        let blocks = rules.pad(&self.state, tail.as_mut(), self.midstate().carry, self.length());
        let mut state = *self.state;
        rules.enter_tail(&mut state, self.length() as u64);
        compress_alone(rules, &mut state, &tail.as_ref()[..blocks * rules.block()], forced);
        state
    }
}
