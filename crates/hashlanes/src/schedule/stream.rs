//! A message that comes in pieces: its state between two pieces, and how a piece becomes blocks.

use super::alone::compress_alone;
use super::padding::{pad, padded_blocks};
use super::source::Work;
use crate::algorithm::{Family, MAX_BLOCK, State};
use crate::kernel::Kernels;

/// A message of which some bytes have come.
#[derive(Clone)]
pub(crate) struct Stream<F: Family> {
    state: State<F>,
    /// Bytes that do not fill a block yet: the first `length % BLOCK`.
    carry: [u8; MAX_BLOCK],
    /// Bytes of the message so far. 128 bits, since SHA-512 counts up to 2^128 - 1 bits.
    length: u128,
}

#[cfg(feature = "zeroize")]
impl<F: Family> Drop for Stream<F> {
    fn drop(&mut self) {
        use crate::vector::Word;
        F::Word::wipe(&mut self.state);
        zeroize::Zeroize::zeroize(&mut self.carry);
    }
}

/// How a piece continues a message. The parts are in the piece's order; `head` and `rest` may be
/// empty.
#[derive(Clone, Copy)]
pub(crate) struct Split<'a> {
    /// The bytes that complete the carried ones to a block. Empty if nothing is carried, or no
    /// block is completed.
    pub(crate) head: &'a [u8],
    /// Whole blocks.
    pub(crate) body: &'a [u8],
    /// What does not fill a block.
    pub(crate) rest: &'a [u8],
}

impl<F: Family> Stream<F> {
    pub(crate) fn new(initial: State<F>) -> Self {
        Self { state: initial, carry: [0; MAX_BLOCK], length: 0 }
    }

    /// A message of which `length` bytes, a multiple of the block, have been compressed to `state`.
    #[cfg(test)]
    pub(crate) fn resume(state: State<F>, length: u128) -> Self {
        assert_eq!(length % F::BLOCK as u128, 0, "a state stands for whole blocks");
        Self { state, carry: [0; MAX_BLOCK], length }
    }

    pub(crate) fn state(&self) -> State<F> {
        self.state
    }

    pub(crate) fn length(&self) -> u128 {
        self.length
    }

    fn carried(&self) -> usize {
        (self.length % F::BLOCK as u128) as usize
    }

    /// How `piece` continues the message.
    pub(crate) fn split<'a>(&self, piece: &'a [u8]) -> Split<'a> {
        let missing = (F::BLOCK - self.carried()) % F::BLOCK;
        if piece.len() < missing {
            return Split { head: &[], body: &[], rest: piece };
        }
        let (head, piece) = piece.split_at(missing);
        let (body, rest) = piece.split_at(piece.len() - piece.len() % F::BLOCK);
        Split { head, body, rest }
    }

    /// Blocks that `piece` completes, or, if it is the last one, that it and the padding make.
    pub(crate) fn blocks(&self, piece: &[u8], last: bool) -> usize {
        let bytes = self.carried() + piece.len();
        if last { padded_blocks::<F>(bytes) } else { bytes / F::BLOCK }
    }

    /// The blocks of [`blocks`](Stream::blocks), without the first `skip` of them, as work for a
    /// lane.
    pub(crate) fn work<'a>(
        &self,
        id: usize,
        piece: &'a [u8],
        last: bool,
        skip: usize,
        stage: &mut [u8],
    ) -> Work<'a, F> {
        let Split { head, body, rest } = self.split(piece);
        let (stage_head, stage_tail) = stage.split_at_mut(F::BLOCK);
        let has_head = !head.is_empty();
        let carried = &self.carry[..self.carried()];

        let mut work = Work { id, state: self.state, head: has_head && skip == 0, body, tail: 0 };
        if work.head {
            stage_head[..carried.len()].copy_from_slice(carried);
            stage_head[carried.len()..].copy_from_slice(head);
        }
        let skip = skip - usize::from(has_head && skip > 0);
        work.body = &body[body.len().min(skip * F::BLOCK)..];
        if last {
            let skip = skip.saturating_sub(body.len() / F::BLOCK);
            let length = self.length + piece.len() as u128;
            let blocks = if has_head || carried.is_empty() {
                pad::<F>(stage_tail, rest, length)
            } else {
                // No block was completed: the carried bytes come before the rest.
                let mut joined = self.carry;
                let end = carried.len() + rest.len();
                joined[carried.len()..end].copy_from_slice(rest);
                pad::<F>(stage_tail, &joined[..end], length)
            };
            work.tail = blocks.saturating_sub(skip);
            if skip == 1 {
                stage_tail.copy_within(F::BLOCK.., 0);
            }
        }
        work
    }

    /// All blocks of `piece` have been compressed, which led to `state`; the rest of the piece is
    /// kept for later.
    pub(crate) fn absorb(&mut self, piece: &[u8], state: State<F>) {
        let Split { rest, .. } = self.split(piece);
        let after = (self.carried() + piece.len()) % F::BLOCK;
        self.carry[after - rest.len()..after].copy_from_slice(rest);
        self.length += piece.len() as u128;
        self.state = state;
    }

    /// Compresses whole blocks with the best kernel for one message, or with row `forced`.
    fn compress(state: &mut State<F>, blocks: &[u8], forced: Option<usize>)
    where
        F: Kernels,
    {
        compress_alone::<F>(state, blocks, forced);
    }

    /// Continues the message at once, alone.
    pub(crate) fn update(&mut self, piece: &[u8], forced: Option<usize>)
    where
        F: Kernels,
    {
        let Split { head, body, .. } = self.split(piece);
        let mut state = self.state;
        if !head.is_empty() {
            let mut block = self.carry;
            block[self.carried()..F::BLOCK].copy_from_slice(head);
            Self::compress(&mut state, &block[..F::BLOCK], forced);
        }
        Self::compress(&mut state, body, forced);
        self.absorb(piece, state);
    }

    /// The state after the padding: the digest's words.
    pub(crate) fn finish(&self, forced: Option<usize>) -> State<F>
    where
        F: Kernels,
    {
        let mut tail = [0; 2 * MAX_BLOCK];
        let blocks = pad::<F>(&mut tail, &self.carry[..self.carried()], self.length);
        let mut state = self.state;
        Self::compress(&mut state, &tail[..blocks * F::BLOCK], forced);
        state
    }
}
