//! The scheduler's view of where messages come from.

use crate::family::{Family, State};

/// A message, or the rest of one, that waits for a lane.
pub struct Work<'a, F: Family> {
    /// Identifier handed back to the source.
    pub(crate) id: usize,
    /// The state before the first of the blocks below.
    pub(crate) state: State<F>,
    /// Whether the stage's head block is to be compressed first.
    pub(crate) head: bool,
    /// Whole blocks.
    pub(crate) body: &'a [u8],
    /// Blocks of the stage's tail to be compressed last: 0 (the message goes on), 1 or 2.
    pub(crate) tail: usize,
}

impl<F: Family> Work<'_, F> {
    /// Blocks to be compressed.
    pub(crate) fn blocks(&self) -> usize {
        usize::from(self.head) + self.body.len() / F::BLOCK + self.tail
    }
}

/// The state of one lane, among those of the others. Whoever wants it takes it from there: a copy
/// on the way, word by word, would have to be in the cache before it can be read as vectors.
#[derive(Clone, Copy)]
pub struct LaneState<'l, F: Family> {
    /// Word-major: word `w` at `w * lanes + lane`.
    words: &'l [F::Word],
    lanes: usize,
    lane: usize,
}

impl<'l, F: Family> LaneState<'l, F> {
    pub(super) fn new(words: &'l [F::Word], lanes: usize, lane: usize) -> Self {
        Self { words, lanes, lane }
    }

    /// A state that was in no lane.
    pub(super) fn alone(state: &'l State<F>) -> Self {
        Self { words: state, lanes: 1, lane: 0 }
    }

    #[inline(always)]
    pub(crate) fn get(self) -> State<F> {
        let mut state = [F::Word::default(); 8];
        for (w, word) in state.iter_mut().enumerate().take(F::STATE_WORDS) {
            *word = self.words[w * self.lanes + self.lane];
        }
        state
    }
}

/// Where messages come from and their states go.
pub trait Source<'a, F: Family> {
    /// How many messages [`next`](Source::next) will hand out from now on.
    fn waiting(&self) -> usize;

    /// The next message, which has at least one block; called only if one is waiting. Its head is
    /// written to the first block of `stage`, its tail to the other two. `None` says that none
    /// was waiting after all.
    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, F>>;

    /// All blocks of message `id` are compressed.
    fn done(&mut self, id: usize, state: LaneState<'_, F>);

    /// The first `blocks` blocks (head, body and tail counted together) of message `id` are
    /// compressed, the others not. That is at least one block.
    ///
    /// Called only in a run that ends [`When::LanesIdle`].
    fn suspended(&mut self, id: usize, state: State<F>, blocks: usize);
}
