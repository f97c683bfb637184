//! The state of a message after some bytes, and how the next bytes form blocks.

use crate::family::{Rules, State};
use crate::schedule::refill::source::Work;
use crate::schedule::stream::Stream;
use crate::wipe::{Wipe, Wiped};

/// The state of a message after some bytes.
#[derive(Clone, Copy)]
pub struct Midstate<'m, R: Rules> {
    pub(crate) rules: R,
    /// The state after the whole blocks.
    pub(crate) state: &'m State<R>,
    /// The bytes after the whole blocks, which are [`held`](Rules::held).
    pub(crate) carry: &'m [u8],
    /// The number of bytes so far, including those of `carry`. It has 128 bits because SHA-512
    /// counts up to 2^128 - 1 bits.
    pub(crate) length: u128,
}

/// The parts in which a piece continues a message, in order. Each may be empty.
#[derive(Clone, Copy)]
pub(crate) struct Split<'a> {
    /// Whether there is a head: the carry, completed to a block that is not held back.
    pub(crate) has_head: bool,
    /// The bytes that complete the carry. There may be none, if the carry is a block.
    pub(crate) head: &'a [u8],
    /// Whole blocks.
    pub(crate) body: &'a [u8],
    /// The bytes after the last whole block.
    pub(crate) rest: &'a [u8],
}

impl<'m, R: Rules> Midstate<'m, R> {
    /// The initial state of a message.
    pub(crate) const fn beginning(rules: R, initial: &'m State<R>) -> Self {
        Self { rules, state: initial, carry: &[], length: 0 }
    }

    /// After one block, which led to `state`.
    #[inline(always)]
    pub(crate) fn after_block(rules: R, state: &'m State<R>) -> Self {
        Self { rules, state, carry: &[], length: rules.block() as u128 }
    }

    /// The message in pieces that continues this beginning, which has whole blocks.
    pub(crate) fn stream(&self) -> Stream<R> {
        Stream::resume(self.rules, *self.state, self.length)
    }

    /// Whether there is no carry, and the sum of its length and that of any message fits in 61
    /// bits.
    pub(crate) fn is_whole_blocks(&self) -> bool {
        self.carry.is_empty() && self.length < 1 << 60
    }

    /// The same without the carry.
    pub(crate) fn without_carry(&self) -> Self {
        let length = self.length - self.carry.len() as u128;
        Self { carry: &[], length, ..*self }
    }

    /// How `piece` continues the message.
    #[inline(always)]
    pub(crate) fn split<'a>(&self, piece: &'a [u8]) -> Split<'a> {
        let rules = self.rules;
        let has_head = !self.carry.is_empty();
        let missing = if has_head { rules.block() - self.carry.len() } else { 0 };
        if has_head && piece.len() < missing + usize::from(R::LAST_DIFFERS) {
            return Split { has_head: false, head: &[], body: &[], rest: piece };
        }
        let (head, piece) = piece.split_at(missing);
        let (body, rest) = piece.split_at(piece.len() - rules.held(piece.len()));
        Split { has_head, head, body, rest }
    }

    /// The number of blocks that a piece of `piece` bytes completes.
    pub(crate) fn blocks(&self, piece: usize) -> usize {
        self.rules.whole_blocks(self.carry.len() + piece)
    }

    /// The number of blocks that a last piece of `piece` bytes and the padding complete.
    pub(crate) fn last_blocks(&self, piece: usize) -> usize {
        self.rules.padded_blocks(self.carry.len() + piece)
    }

    /// The blocks that `piece` completes, except for the first `skip`, as work for a lane. They
    /// include the padding if the piece is the last one.
    pub(crate) fn work<'a>(
        &self,
        id: usize,
        piece: &'a [u8],
        last: bool,
        skip: usize,
        stage: &mut [u8],
    ) -> Work<'a, R> {
        let Split { has_head, head, body, rest } = self.split(piece);
        let block = self.rules.block();
        let (stage_head, stage_tail) = stage.split_at_mut(block);
        let mut to_skip = skip;
        let mut skipped = |blocks: usize| {
            let count = blocks.min(to_skip);
            to_skip -= count;
            count
        };

        let wants_head = has_head && skipped(1) == 0;
        if wants_head {
            stage_head[..self.carry.len()].copy_from_slice(self.carry);
            stage_head[self.carry.len()..].copy_from_slice(head);
        }
        let body = &body[skipped(body.len() / block) * block..];
        let mut tail = 0;
        if last {
            let carry = if has_head { &[] } else { self.carry };
            let blocks =
                self.pad(stage_tail, carry, rest, self.length.wrapping_add(piece.len() as u128));
            let done = skipped(blocks);
            if done == 1 {
                stage_tail.copy_within(block.., 0);
            }
            tail = blocks - done;
        }
        let length = (self.length.wrapping_add(piece.len() as u128)) as u64;
        let mut state = *self.state;
        if R::LAST_DIFFERS && tail > 0 && !wants_head && body.is_empty() {
            // Only here is there what the state remembers, for a message that is empty.
            self.rules.enter_tail(&mut state, length);
        }
        Work { id, state, head: wants_head, body, tail, length }
    }

    /// A last piece after whole blocks, followed by a few bytes, as work for a lane.
    pub(crate) fn work_with_ending<'a>(
        &self,
        id: usize,
        piece: &'a [u8],
        ending: &[u8],
        stage: &mut [u8],
    ) -> Work<'a, R> {
        assert!(self.carry.is_empty() && !R::LAST_DIFFERS);
        let Split { body, rest, .. } = self.split(piece);
        let (rules, block) = (self.rules, self.rules.block());
        let tail = &mut stage[block..];
        let length = self.length + (piece.len() + ending.len()) as u128;
        let mut last = Wiped(R::Block::ZERO);
        let last = last.as_mut();
        let (first, second) = ending.split_at(ending.len().min(block - rest.len()));
        let end = rest.len() + first.len();
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()..end].copy_from_slice(first);
        let tail = if end < block {
            rules.pad(self.state, tail, &last[..end], length)
        } else {
            tail[..block].copy_from_slice(&last[..block]);
            1 + rules.pad(self.state, &mut tail[block..], second, length)
        };
        let length = length as u64;
        Work { id, state: *self.state, head: false, body, tail, length }
    }

    /// Writes the tail of a message of `length` bytes that ends with `carry` and `rest`, which
    /// together are held back. Returns its number of blocks: 1 or 2.
    #[inline(always)]
    fn pad(&self, tail: &mut [u8], carry: &[u8], rest: &[u8], length: u128) -> usize {
        if carry.is_empty() {
            return self.rules.pad(self.state, tail, rest, length);
        }
        let mut last = Wiped(R::Block::ZERO);
        let last = last.as_mut();
        let end = carry.len() + rest.len();
        last[..carry.len()].copy_from_slice(carry);
        last[carry.len()..end].copy_from_slice(rest);
        self.rules.pad(self.state, tail, &last[..end], length)
    }
}
