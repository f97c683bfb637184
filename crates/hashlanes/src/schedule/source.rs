//! The scheduler's view of where messages come from.

use crate::family::{Family, State};

/// A message, or the rest of one, that waits for a lane.
pub(crate) struct Work<'a, F: Family> {
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

/// Where messages come from and their states go.
pub(crate) trait Source<'a, F: Family> {
    /// How many messages [`next`](Source::next) will hand out from now on.
    fn waiting(&self) -> usize;

    /// The next message, which has at least one block; called only if one is waiting. Its head is
    /// written to the first block of `stage`, its tail to the other two. `None` says that none
    /// was waiting after all.
    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, F>>;

    /// All blocks of message `id` are compressed.
    fn done(&mut self, id: usize, state: State<F>);

    /// The first `blocks` blocks (head, body and tail counted together) of message `id` are
    /// compressed, the others not. That is at least one block.
    ///
    /// Called only in a run that ends [`When::LanesIdle`].
    fn suspended(&mut self, id: usize, state: State<F>, blocks: usize);
}
