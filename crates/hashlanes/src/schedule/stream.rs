//! A message that comes in pieces: what is kept between two of them.

use super::compress::compress_alone;
use super::midstate::{Midstate, Split};
use super::padding::pad;
use super::source::Work;
use crate::family::{Family, MAX_BLOCK, State};
use crate::kernel::Kernels;
use crate::wipe::Wiped;

/// A message of which some bytes have come.
#[derive(Clone)]
pub struct Stream<F: Family> {
    /// The state after the whole blocks.
    state: Wiped<State<F>>,
    /// The first `length % BLOCK` bytes are those that do not fill a block yet.
    carry: Wiped<[u8; MAX_BLOCK]>,
    /// Bytes of the message so far.
    length: u128,
}

impl<F: Family> Stream<F> {
    /// A message of which nothing has come.
    pub(crate) fn new(initial: State<F>) -> Self {
        Self::resume(initial, 0)
    }

    /// A message of which `length` bytes, whole blocks, were compressed to `state`.
    pub(crate) fn resume(state: State<F>, length: u128) -> Self {
        assert!(length.is_multiple_of(F::BLOCK as u128), "a state stands for whole blocks");
        Self { state: Wiped(state), carry: Wiped([0; MAX_BLOCK]), length }
    }

    /// Bytes of the message so far.
    pub(crate) fn length(&self) -> u128 {
        self.length
    }

    fn carried(&self) -> usize {
        (self.length % F::BLOCK as u128) as usize
    }

    /// What has come, to be continued.
    pub(crate) fn midstate(&self) -> Midstate<'_, F> {
        Midstate { state: &self.state, carry: &self.carry[..self.carried()], length: self.length }
    }

    /// The state after the whole blocks.
    #[cfg(feature = "alloc")]
    pub(crate) fn state(&self) -> State<F> {
        *self.state
    }

    /// Blocks that `piece` completes, or, if it is the last one, that it and the padding make.
    pub(crate) fn blocks(&self, piece: &[u8], last: bool) -> usize {
        let midstate = self.midstate();
        if last { midstate.last_blocks(piece.len()) } else { midstate.blocks(piece.len()) }
    }

    /// As [`Midstate::work`].
    pub(crate) fn work<'a>(
        &self,
        id: usize,
        piece: &'a [u8],
        last: bool,
        skip: usize,
        stage: &mut [u8],
    ) -> Work<'a, F> {
        self.midstate().work(id, piece, last, skip, stage)
    }

    /// Takes note of a piece whose blocks are compressed, which led to `state`. Keeps the rest of
    /// the piece for later.
    pub(crate) fn absorb(&mut self, piece: &[u8], state: State<F>) {
        let Split { rest, .. } = self.midstate().split(piece);
        let after = (self.carried() + piece.len()) % F::BLOCK;
        self.carry[after - rest.len()..after].copy_from_slice(rest);
        self.length += piece.len() as u128;
        *self.state = state;
    }

    /// Takes note of a piece that completes no block.
    pub(crate) fn keep(&mut self, piece: &[u8]) {
        self.absorb(piece, *self.state);
    }

    /// Continues the message at once, alone: in row `forced`, or in the best kernel for one
    /// message.
    pub(super) fn update_alone(&mut self, piece: &[u8], forced: Option<usize>)
    where
        F: Kernels,
    {
        let carried = self.carried();
        self.length += piece.len() as u128;
        let mut rest = piece;
        if carried > 0 {
            let room = F::BLOCK - carried;
            // Short pieces are copied and nothing else: a call for no blocks takes as long.
            let Some((head, after)) = piece.split_at_checked(room) else {
                self.carry[carried..carried + piece.len()].copy_from_slice(piece);
                return;
            };
            self.carry[carried..F::BLOCK].copy_from_slice(head);
            compress_alone::<F>(&mut self.state, &self.carry[..F::BLOCK], forced);
            rest = after;
        }
        let (body, rest) = rest.split_at(rest.len() - rest.len() % F::BLOCK);
        if !body.is_empty() {
            compress_alone::<F>(&mut self.state, body, forced);
        }
        self.carry[..rest.len()].copy_from_slice(rest);
    }

    /// The state after the padding: the digest's words.
    pub(super) fn finish_alone(&self, forced: Option<usize>) -> State<F>
    where
        F: Kernels,
    {
        let mut tail = Wiped([0; 2 * MAX_BLOCK]);
        let blocks = pad::<F>(&mut *tail, self.midstate().carry, self.length);
        let mut state = *self.state;
        compress_alone::<F>(&mut state, &tail[..blocks * F::BLOCK], forced);
        state
    }
}
