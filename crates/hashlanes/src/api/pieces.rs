//! Pieces of messages whose states their owner keeps in its own memory layout.

use core::marker::PhantomData;

use super::engine::Engine;
use crate::family::Rules;
use crate::function::{HashFunction, sealed};
use crate::schedule::{LaneState, Midstate, Scheduled, Source, When, Work};
use crate::wipe;

/// The unit of a function's state: `u32`, or `u64` for SHA-512 and its siblings.
pub type Word<A> = <A as sealed::Typed>::Word;

/// The state of a message between two blocks. A function whose state has fewer words uses only the
/// first ones: 4 for MD5, 5 for SHA-1.
pub type State<A> = <<A as sealed::Typed>::Rules as Rules>::State;

/// A piece of a message, with the state of the message before it.
pub struct Piece<'a, 'm, A: HashFunction> {
    /// Identifier handed back to the owner.
    pub id: usize,
    /// The state after the whole blocks of the message. It starts as [`initial`].
    pub state: State<A>,
    /// The bytes after the whole blocks: `length` modulo the block length. BLAKE2 and BLAKE3
    /// compress their last block differently. So if that is 0, and `length` is not, these are the
    /// bytes of the last whole block, which `state` does not include.
    pub carry: &'m [u8],
    /// The number of bytes of the message before this piece, including those of `carry`.
    pub length: u64,
    /// The piece. It may be empty.
    pub bytes: &'a [u8],
    /// Whether it is the last one, so that the padding follows.
    pub last: bool,
    /// The number of blocks of this piece that are already compressed, as an earlier run reported
    /// to [`Pieces::suspended`]. `state` is the state after them, while `carry` and `length` are
    /// still those from before the piece.
    pub compressed: usize,
}

/// Supplies pieces and receives their states.
pub trait Pieces<'a, A: HashFunction> {
    /// How many pieces wait for a lane.
    fn waiting(&self) -> usize;

    /// The next piece, which has at least one block ([`blocks`]) that is not compressed. The
    /// longest should come first. `None` means that no piece waits after all.
    fn next(&mut self) -> Option<Piece<'a, '_, A>>;

    /// All blocks of piece `id` are compressed, with the result `state`. If the piece was the last
    /// one, these are the words of the digest.
    ///
    /// The bytes after those blocks are the carry of the next piece.
    fn done(&mut self, id: usize, state: State<A>);

    /// The first `blocks` blocks of piece `id` are compressed, with the result `state`, and the
    /// others are not. Only a run until [`Until::LanesIdle`] calls this.
    fn suspended(&mut self, id: usize, state: State<A>, blocks: usize);
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All pieces are done, including those that begin to wait during the run.
    AllDone,
    /// No more pieces wait and a quarter of the lanes is idle. Then the rest is suspended, to be
    /// continued together with later pieces. If there was any piece, at least one is done.
    LanesIdle,
}

/// The initial state of a message. Words that the function does not use are 0.
pub fn initial<A: HashFunction>() -> State<A> {
    A::INITIAL
}

/// The number of blocks to compress when a piece of `piece` bytes follows `carry` bytes, at most a
/// block. If it is the last piece, the padding is included.
///
/// ```
/// use hashlanes::{Sha256, hazmat::blocks};
///
/// assert_eq!(blocks::<Sha256>(60, 3, false), 0);
/// assert_eq!(blocks::<Sha256>(60, 4, false), 1);
/// assert_eq!(blocks::<Sha256>(60, 3, true), 2);
/// ```
pub fn blocks<A: HashFunction>(carry: usize, piece: usize, last: bool) -> usize {
    let bytes = carry.saturating_add(piece);
    if last { A::RULES.padded_blocks(bytes) } else { A::RULES.whole_blocks(bytes) }
}

impl<A: HashFunction> Engine<A> {
    /// Hashes pieces of messages whose states their owner keeps, side by side.
    ///
    /// # Panics
    /// If the length of a piece's carry does not match `length`, or the piece has no block left to
    /// compress.
    pub fn run_pieces<'a>(&self, pieces: &mut impl Pieces<'a, A>, until: Until) {
        if pieces.waiting() == 0 {
            return;
        }
        let when = match until {
            Until::AllDone => When::AllDone,
            Until::LanesIdle => When::LanesIdle,
        };
        let mut source = Kept { pieces, function: PhantomData::<A> };
        loop {
            A::RULES.run(&mut source, self.forced(), when);
            // The scheduler takes no more pieces once it finishes the last ones.
            if until == Until::LanesIdle || source.pieces.waiting() == 0 {
                break;
            }
        }
        wipe::stack::<{ wipe::MANY }>();
    }
}

/// Pieces as a source of work.
struct Kept<'p, P, A> {
    pieces: &'p mut P,
    function: PhantomData<A>,
}

impl<'a, A: HashFunction, P: Pieces<'a, A>> Source<'a, A::Rules> for Kept<'_, P, A> {
    fn waiting(&self) -> usize {
        self.pieces.waiting()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Rules>> {
        let piece = self.pieces.next()?;
        let Piece { id, state, carry, length, bytes, last, compressed } = piece;
        let block = A::RULES.block() as u64;
        // A length that fits a `usize` and ends like this one.
        let short = length.min(length % block + block) as usize;
        assert_eq!(
            carry.len(),
            A::RULES.held(short),
            "the carry is what does not fill a block, or a last block that differs"
        );
        let before = Midstate { rules: A::RULES, state: &state, carry, length: length.into() };
        let work = before.work(id, bytes, last, compressed, stage);
        assert!(work.blocks(A::RULES) > 0, "a piece that wants a lane has a block to compress");
        Some(work)
    }

    fn done(&mut self, id: usize, state: LaneState<'_, A::Rules>) {
        self.pieces.done(id, state.get());
    }

    fn suspended(&mut self, id: usize, state: State<A>, blocks: usize) {
        self.pieces.suspended(id, state, blocks);
    }
}
