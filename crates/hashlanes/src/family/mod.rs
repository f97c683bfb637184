//! The compression functions: one file per family of hash functions.
//!
//! A [`Family`] is a compression function and its conventions. A hash function is a family with an
//! initial state and a digest length: SHA-224 is a function of SHA-256's family. The files are
//! independent of CPUs: `compress` is written once over [`Vector`], and the table of kernels joins
//! families with instruction sets.

#![forbid(unsafe_code)]

use self::known::{Sums, TABLE_BLOCKS};
use crate::vector::{BLOCK_WORDS, Vector, Word};

pub(crate) mod known;
pub(crate) mod md5;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod sm3;
pub(crate) mod unroll;

/// A compression function of the MD4 family with its conventions of byte order and padding.
pub trait Family: Copy + 'static {
    /// The word of state and message.
    type Word: Word;

    /// Words in the state: 4, 5 or 8. A state is always an array of 8 words, of which the first
    /// `STATE_WORDS` are used.
    const STATE_WORDS: usize;

    /// Whether words are big-endian in messages and digests.
    const BIG_ENDIAN: bool;

    /// Bytes in a message block: 64 or 128.
    const BLOCK: usize = BLOCK_WORDS * Self::Word::BYTES;

    /// Bytes of the length field at the end of the padding: two words, 8 or 16 bytes. It counts
    /// the bits of the message.
    const LENGTH_BYTES: usize = 2 * Self::Word::BYTES;

    /// Compresses one block into the state, in every lane. Does the four parts of `between` at
    /// points that divide the compression about evenly.
    fn compress<V: Vector<Word = Self::Word>>(
        state: &mut [V; 8],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    );

    /// [`compress`](Self::compress) of a block that is the same in every lane, by its sums.
    fn compress_known<V: Vector<Word = Self::Word>>(
        state: &mut [V; 8],
        sums: &Sums<Self::Word>,
        between: &mut impl Between,
    );

    /// At index `i`, the sums of the last block of a message of `i + 1` whole blocks.
    const PADDING_SUMS: &'static [Sums<Self::Word>; TABLE_BLOCKS];

    /// The sums of any block.
    fn sums(block: &[Self::Word; BLOCK_WORDS]) -> Sums<Self::Word>;
}

/// The state of one message. The first `STATE_WORDS` words are used.
pub(crate) type State<F> = [<F as Family>::Word; 8];

/// The table of constants, hidden from the optimiser.
///
/// If the compiler knew the values, it would broadcast each to a vector before the loop over the
/// blocks, and keep 64 vectors on the stack. A call for one block would pay for all of them. It
/// would also move each constant to the end of its sum, which is the critical path. Hidden, a
/// constant is broadcast from memory by the instruction that adds it, or by a load of its own.
#[inline(always)]
fn fresh<T>(table: &'static T) -> &'static T {
    core::hint::black_box(table)
}

/// Unrelated work that is interleaved with a compression. A trait rather than a closure, because a
/// closure cannot be `inline(always)`, which everything that uses vectors must be (see
/// [`vector`](crate::vector)).
pub trait Between {
    /// Does part `part` of the work: 0, 1, 2 or 3.
    fn part(&mut self, part: usize);
}

/// No work.
impl Between for () {
    #[inline(always)]
    fn part(&mut self, _: usize) {}
}

/// The largest block of any family, in bytes.
pub(crate) const MAX_BLOCK: usize = 128;

/// A state of fewer than 8 words in an array of 8. The rest is never used.
const fn first_words<const N: usize>(words: [u32; N]) -> [u32; 8] {
    let mut state = [0; 8];
    let mut i = 0;
    while i < N {
        state[i] = words[i];
        i += 1;
    }
    state
}

/// Writes the first words of a state to `digest`, whose length is a multiple of the word's.
pub(crate) fn write_digest<F: Family>(state: &[F::Word; 8], digest: &mut [u8]) {
    for (bytes, word) in digest.chunks_exact_mut(F::Word::BYTES).zip(state) {
        word.write(bytes, F::BIG_ENDIAN);
    }
}
