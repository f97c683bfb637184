//! The compression functions: one file per family of hash functions.
//!
//! A [`Family`] is a compression function and its conventions. A hash function is a family with an
//! initial state and a digest length: SHA-224 is a function of SHA-256's family. The files are
//! independent of CPUs: `compress` is written once over [`Vector`], and the table of kernels joins
//! families with instruction sets.

#![forbid(unsafe_code)]

use core::fmt::Debug;
use core::ops::IndexMut;

use self::known::{Sums, TABLE_BLOCKS};
use crate::vector::{BLOCK_WORDS, Vector, Word};
use crate::wipe::Wipe;

pub(crate) mod blake;
pub(crate) mod blake2;
pub(crate) mod blake3;
pub(crate) mod keccak;
pub(crate) mod known;
pub(crate) mod md5;
pub(crate) mod padding;
pub(crate) mod sha1;
mod sha2;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod sm3;
pub(crate) mod unroll;

/// A compression function, as kernels know it. What becomes of messages is in [`Rules`].
pub trait Family: Copy + 'static {
    /// The word of the state.
    type Word: Word;

    /// Words of the state that lanes hold.
    const STATE_WORDS: usize;

    /// Bytes in a message block.
    const BLOCK: usize;
}

/// How a family of hash functions goes through a message: block by block, with a state between two
/// blocks.
///
/// The scheduler, streams and all that stands on them need no more than this. It is a value: the
/// families of the MD4 kind with one word, and all sponges, differ in a few numbers, so what is
/// compiled for one of them serves all. What only the MD4 kind has is in
/// [`MerkleDamgard`].
pub trait Rules: Copy + Send + Sync + 'static {
    /// The word of the state.
    type Word: Word;

    /// The state of one message. The first [`state_words`](Self::state_words) words are used.
    type State: Array<Self::Word>;

    /// The states of all lanes of a kernel.
    type LaneStates: Array<Self::Word>;

    /// Room for a block of one message.
    type Block: Array<u8>;

    /// Room for the last blocks of one message, with the padding.
    type Tail: Array<u8>;

    /// Whether the last block is compressed in another way than those before it. Then a block that
    /// is full is held back until it is known whether more bytes follow.
    const LAST_DIFFERS: bool = false;

    /// The most words of the state that lanes hold, which are copied: a constant.
    const WORDS: usize;

    /// Words of the state that lanes hold.
    #[inline(always)]
    fn state_words(self) -> usize {
        Self::WORDS
    }

    /// Bytes in a message block, at least 1.
    fn block(self) -> usize;

    /// The number of blocks of the last `rest` bytes of a message, as many as are
    /// [`held`](Self::held), with its padding: 1 or 2.
    fn tail_blocks(self, rest: usize) -> usize;

    /// Writes the last blocks of a message to the start of `tail`: `rest`, the bytes that are held
    /// back, and the padding of a message of `length` bytes in total. `state` is a state of the
    /// message. Returns the number of blocks.
    fn pad(self, state: &Self::State, tail: &mut [u8], rest: &[u8], length: u128) -> usize;

    /// The sums of the last block of a message of `length` bytes, if they are in a table.
    #[inline(always)]
    fn known_padding(self, _length: u64) -> Option<&'static Sums<Self::Word>> {
        None
    }

    /// Writes the digest of a message whose final state this is.
    fn write_digest(self, state: &Self::State, digest: &mut [u8]);

    /// Prepares a state for the tail of a message of `length` bytes. A second call changes nothing.
    #[inline(always)]
    fn enter_tail(self, _state: &mut Self::State, _length: u64) {}

    /// Prepares a state for the case that nothing follows `block`, which is compressed next. Then
    /// [`pad`](Self::pad) and [`enter_tail`](Self::enter_tail) give that block once more, and the
    /// state before it.
    #[inline(always)]
    fn remember(self, _state: &mut Self::State, _block: &[u8]) {}

    /// The domain separation byte, if this is a sponge.
    #[cfg(feature = "alloc")]
    fn domain(self, _state: &mut Self::State) -> Option<&mut u64> {
        None
    }

    /// How many words of a state are saved: the first ones.
    #[cfg(feature = "alloc")]
    fn saved_words(self) -> usize {
        self.state_words()
    }

    /// Calls `put` with the words that are saved of a message in pieces.
    #[cfg(feature = "alloc")]
    fn save(self, state: &Self::State, put: &mut dyn FnMut(Self::Word)) {
        state.as_ref()[..self.saved_words()].iter().for_each(|&word| put(word));
    }

    /// Makes the initial state of a message the one after `length` bytes, from saved words. Returns
    /// whether there can be such a state. If not, it is useless, but safe.
    #[cfg(feature = "alloc")]
    fn restore(
        self,
        state: &mut Self::State,
        _length: u64,
        words: &mut dyn ExactSizeIterator<Item = Self::Word>,
    ) -> bool {
        let state = &mut state.as_mut()[..self.saved_words()];
        let fits = words.len() == state.len();
        state.iter_mut().zip(words).for_each(|(word, saved)| *word = saved);
        fits
    }

    /// Whether a state of a message in pieces, or the bytes held back with it, have a key.
    #[cfg(feature = "alloc")]
    fn holds_key(self, _state: &Self::State) -> bool {
        false
    }

    /// The number of full blocks of the first `length` bytes.
    #[inline(always)]
    fn full_blocks(self, length: usize) -> usize {
        length / self.block()
    }

    /// The number of whole blocks of the first `length` bytes that are not held back.
    #[inline(always)]
    fn whole_blocks(self, length: usize) -> usize {
        let full = self.full_blocks(length);
        full - usize::from(Self::LAST_DIFFERS && length > 0 && full * self.block() == length)
    }

    /// How many of the first `length` bytes of a message are held back, after whole blocks: fewer
    /// than a block, or at most a block if the last one differs.
    #[inline(always)]
    fn held(self, length: usize) -> usize {
        length - self.whole_blocks(length) * self.block()
    }

    /// How many of the first `length` bytes of a message are not held back.
    #[cfg(feature = "alloc")]
    fn compressed(self, length: u64) -> u64 {
        let block = self.block() as u64;
        // A length that ends like this one, and fits a `usize`.
        let short = length.min(length % block + block);
        length - self.held(short as usize) as u64
    }

    /// The number of blocks of a message of `length` bytes with its padding.
    #[inline(always)]
    fn padded_blocks(self, length: usize) -> usize {
        let whole = self.whole_blocks(length);
        whole + self.tail_blocks(length - whole * self.block())
    }
}

/// Rules of families whose messages end in one block: the bytes that are [`held`](Rules::held)
/// back, a byte of padding if there is room, and zeros. The last byte may have more bits.
pub(crate) trait OneBlockTail: Rules {
    /// What the last byte of the tail has besides: bits for an exclusive or.
    const LAST: u8;

    /// The byte after a message. `state` is a state of the message.
    fn after(self, state: &Self::State) -> u8;

    /// Calls `set` with the place and the value of each word that a lane's state has before the
    /// tail of a message of `length` bytes that began with the state `initial`.
    fn set_for_tail(self, initial: &Self::State, length: u64, set: impl FnMut(usize, Self::Word));
}

/// An array of any length.
pub trait Array<T>:
    Wipe + AsRef<[T]> + AsMut<[T]> + IndexMut<usize, Output = T> + Debug + Eq
where
    Self: Send + Sync + 'static,
{
}

impl<T: Wipe + Debug + Eq + Send + Sync + 'static, const N: usize> Array<T> for [T; N] {}

/// A compression function of the MD4 family with its conventions of byte order and padding. Blocks
/// have 16 words. A state is an array of 8 words, of which 4, 5 or 8 are used.
pub(crate) trait MerkleDamgard: Family {
    /// Whether words are big-endian in messages and digests.
    const BIG_ENDIAN: bool;

    /// Bytes of the length field at the end of the padding: two words, 8 or 16 bytes. It counts
    /// the bits of the message.
    #[cfg(target_arch = "x86_64")]
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

/// Implements [`Family`] for a family of the MD4 kind: its name, word, and words of state.
macro_rules! merkle_damgard {
    ($family:ident, $word:ident, $words:literal) => {
        impl $crate::family::Family for $family {
            type Word = $word;
            const STATE_WORDS: usize = $words;
            const BLOCK: usize = $crate::vector::BLOCK_WORDS * size_of::<$word>();
        }
    };
}

use merkle_damgard;

/// The state of one message.
pub(crate) type State<R> = <R as Rules>::State;

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
pub(crate) trait Between {
    /// Does part `part` of the work: 0, 1, 2 or 3.
    fn part(&mut self, part: usize);
}

/// No work.
impl Between for () {
    #[inline(always)]
    fn part(&mut self, _: usize) {}
}

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

/// Writes the first little-endian bytes of words, by number.
#[inline(always)]
pub(crate) fn write_words<W: Word>(word: impl Fn(usize) -> W, bytes: &mut [u8]) {
    let whole = bytes.len() / W::BYTES;
    let (first, rest) = bytes.split_at_mut(whole * W::BYTES);
    for (w, bytes) in first.chunks_exact_mut(W::BYTES).enumerate() {
        word(w).write(bytes, false);
    }
    if !rest.is_empty() {
        let mut bytes = [0; 8];
        word(whole).write(&mut bytes[..W::BYTES], false);
        rest.copy_from_slice(&bytes[..rest.len()]);
    }
}
