//! The compression function, for callers that keep everything else themselves.
//!
//! A state is passed as 8 words of 64 bits, whatever the function. So callers with their own
//! representation (another language, a saved upload) need no type of this crate.

use super::engine::Engine;
use crate::family::{Rules, State};
use crate::function::MdFunction;
use crate::schedule::{LaneState, MdRules, Order, Scheduled, Source, WINDOW, When, Work};
use crate::vector::Word;
use crate::wipe;

impl<A: MdFunction> Engine<A> {
    /// The initial state of a message, for [`compress_many`](Engine::compress_many).
    pub fn initial_state() -> [u64; 8] {
        words(A::RULES, &A::INITIAL)
    }

    /// Continues one message by whole blocks, in the fastest code for a single message. See
    /// [`compress_many`](Engine::compress_many).
    ///
    /// # Panics
    /// If the length of the bytes is not a multiple of the block length.
    pub fn compress(&self, state: &mut [u64; 8], blocks: &[u8]) {
        assert_whole_blocks(A::RULES, blocks);
        let mut words = self::state::<A::Rules>(state);
        A::RULES.compress_alone(&mut words, blocks, self.forced());
        *state = self::words(A::RULES, &words);
        wipe::stack::<{ wipe::ALONE }>();
    }

    /// Continues many messages side by side by whole blocks: `states[i]` by `blocks[i]`. Allocates
    /// nothing.
    ///
    /// This is the compression function without padding. It is for callers that keep a message's
    /// length and its last bytes themselves, such as a binding for another language, or that have a
    /// state that other software saved. Everyone else should use [`Engine::update_many`].
    ///
    /// A state consists of the state words of the function's standard, in its order: 4 for MD5, 5
    /// for SHA-1, 8 for the others. Words of 32 bits are in the lower halves. The remaining words
    /// are set to 0. The digest consists of the first words of the final state.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// // "abc" with its padding: the byte 0x80, zeros, and the length in bits.
    /// let mut block = [0; 64];
    /// block[..4].copy_from_slice(b"abc\x80");
    /// block[63] = 24;
    ///
    /// let engine = Engine::<Sha256>::new();
    /// let mut states = [Engine::<Sha256>::initial_state(); 2];
    /// engine.compress_many(&mut states, &[&block[..], &[]]);
    /// assert_eq!(states[0][0], 0xba7816bf);
    /// assert_eq!(Sha256::digest("abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
    /// assert_eq!(states[1], Engine::<Sha256>::initial_state());
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths, or a length is not a multiple of the block length.
    pub fn compress_many(&self, states: &mut [[u64; 8]], blocks: &[&[u8]]) {
        assert_eq!(
            states.len(),
            blocks.len(),
            "every state gets some blocks: the slices must have the same length"
        );
        blocks.iter().for_each(|blocks| assert_whole_blocks(A::RULES, blocks));
        for (states, blocks) in states.chunks_mut(WINDOW).zip(blocks.chunks(WINDOW)) {
            compress_window::<A>(states, blocks, self.forced());
        }
        wipe::stack::<{ wipe::MANY }>();
    }
}

fn assert_whole_blocks(rules: impl Rules, bytes: &[u8]) {
    let block = rules.block();
    assert!(
        bytes.len().is_multiple_of(block),
        "only whole blocks are compressed: {} bytes are not a multiple of {block}",
        bytes.len(),
    );
}

/// Converts a state to the public form. Words that the family does not use are 0.
fn words<R: MdRules>(rules: R, state: &State<R>) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, number) in words.iter_mut().zip(&state[..rules.state_words()]) {
        *word = number.to_u64();
    }
    words
}

/// Converts a state from the public form.
fn state<R: MdRules>(words: &[u64; 8]) -> State<R> {
    words.map(R::Word::from_u64)
}

fn compress_window<A: MdFunction>(
    states: &mut [[u64; 8]],
    blocks: &[&[u8]],
    forced: Option<usize>,
) {
    let mut order = Order::new();
    order.fill(states.len(), &|first, counts| {
        for (count, blocks) in counts.iter_mut().zip(&blocks[first..]) {
            *count = blocks.len() / A::RULES.block();
        }
    });
    if !order.with_blocks().is_empty() {
        let mut source = States { rules: A::RULES, states, blocks, order: &order, handed_out: 0 };
        A::RULES.run(&mut source, forced, When::AllDone);
    }
}

/// A source of states with their blocks, a window of them.
struct States<'a, 's, R> {
    rules: R,
    states: &'s mut [[u64; 8]],
    blocks: &'s [&'a [u8]],
    order: &'s Order,
    handed_out: usize,
}

impl<'a, R: MdRules> Source<'a, R> for States<'a, '_, R> {
    fn waiting(&self) -> usize {
        self.order.with_blocks().len() - self.handed_out
    }

    fn next(&mut self, _: &mut [u8]) -> Option<Work<'a, R>> {
        let id = usize::from(*self.order.with_blocks().get(self.handed_out)?);
        self.handed_out += 1;
        let state = state::<R>(&self.states[id]);
        Some(Work { id, state, head: false, body: self.blocks[id], tail: 0, length: 0 })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, R>) {
        self.states[id] = words(self.rules, &state.get());
    }

    fn suspended(&mut self, _: usize, _: State<R>, _: usize) {
        unreachable!("the run continues until all blocks are done");
    }
}
