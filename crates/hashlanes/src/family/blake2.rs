//! BLAKE2b and BLAKE2s (RFC 7693).
//!
//! After the eight words that are chained, a state has the number of bytes that are compressed
//! (BLAKE2b: one word, which suffices for 2^64 bytes; BLAKE2s: two), and the flag of the last
//! block. The compression advances the number by a block.
//!
//! The last block is compressed in another way, so streams hold a full block back. A state after
//! which there may be nothing (HMAC's, after the block with the key) remembers how to compress its
//! last block again: the eight words before it, and the block.

use super::blake::{Blake, LANE_WORDS, pad, round, words};
use super::unroll::unroll;
use super::{Between, Family, OneBlockTail, Rules, State, write_words};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// IV of BLAKE2b (section 2.6): that of SHA-512.
use super::sha512::INITIAL_512 as IV_B;

/// IV of BLAKE2s (section 2.6): that of SHA-256.
pub(crate) use super::sha256::INITIAL_256 as IV_S;

/// SIGMA (section 2.7): the places of the message's words in each round.
#[rustfmt::skip]
const SIGMA: [[u8; BLOCK_WORDS]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The compression of BLAKE2b: 12 rounds on 64-bit words.
#[derive(Clone, Copy)]
pub struct Blake2bFamily;

/// The compression of BLAKE2s: 10 rounds on 32-bit words.
#[derive(Clone, Copy)]
pub struct Blake2sFamily;

/// Where the number of bytes is in a state. In BLAKE2s, its higher word follows.
const COUNT: usize = 8;

/// Where the flag of the last block is in a state: all ones, or zero.
const LAST_B: usize = COUNT + 1;
const LAST_S: usize = COUNT + 2;

/// The words that a state remembers: eight, and a block.
const REMEMBERED: usize = 8 + BLOCK_WORDS;

macro_rules! blake2 {
    ($family:ident, $word:ident, $block:literal, $last:expr, $iv:ident, $initial:ident) => {
        impl Family for $family {
            type Word = $word;
            const STATE_WORDS: usize = $last + 1;
            const BLOCK: usize = $block;
        }

        impl Rules for $family {
            type Word = $word;
            type State = [$word; $last + 1 + REMEMBERED];
            type LaneStates = [$word; ($last + 1) * 64 / size_of::<$word>()];
            type Block = [u8; $block];
            type Tail = [u8; $block];
            const LAST_DIFFERS: bool = true;
            const WORDS: usize = $last + 1;

            #[inline(always)]
            fn block(self) -> usize {
                $block
            }

            #[inline(always)]
            fn tail_blocks(self, _: usize) -> usize {
                1
            }

            #[inline(always)]
            fn pad(self, state: &State<Self>, tail: &mut [u8], rest: &[u8], length: u128) -> usize {
                let tail = &mut tail[..$block];
                if rest.is_empty() && length > 0 {
                    write_words(|w| state[$last + 9 + w], tail);
                } else {
                    pad(tail, rest);
                }
                1
            }

            #[inline(always)]
            fn enter_tail(self, state: &mut State<Self>, length: u64) {
                if length > 0 && count(&state[COUNT..$last]) == length {
                    state.copy_within($last + 1..$last + 9, 0);
                }
                Self::set_last(length, |w, word| state[w] = word);
            }

            fn remember(self, state: &mut State<Self>, block: &[u8]) {
                state.copy_within(..8, $last + 1);
                for (word, bytes) in
                    state[$last + 9..].iter_mut().zip(block.chunks_exact($word::BYTES))
                {
                    *word = Word::read(bytes, false);
                }
            }

            fn write_digest(self, state: &State<Self>, digest: &mut [u8]) {
                write_words(|w| state[w], digest);
            }

            /// The chained words and the length of the key.
            #[cfg(feature = "alloc")]
            fn save(self, state: &State<Self>, put: &mut dyn FnMut($word)) {
                state[..COUNT].iter().for_each(|&word| put(word));
                put(state[$last + 1]);
            }

            #[cfg(feature = "alloc")]
            fn restore(
                self,
                state: &mut State<Self>,
                length: u64,
                words: &mut dyn ExactSizeIterator<Item = $word>,
            ) -> bool {
                if words.len() != COUNT + 1 {
                    return false;
                }
                let (chained, rest) = state.split_at_mut(COUNT);
                let key = &mut rest[$last + 1 - COUNT];
                chained.iter_mut().chain([key]).zip(words).for_each(|(word, saved)| *word = saved);
                let compressed = self.compressed(length);
                for w in COUNT..$last {
                    state[w] = (compressed >> ($word::BITS as usize * (w - COUNT))) as $word;
                }
                true
            }

            #[cfg(feature = "alloc")]
            fn holds_key(self, state: &State<Self>) -> bool {
                state[$last + 1] != 0
            }
        }

        impl OneBlockTail for $family {
            const LAST: u8 = 0;

            #[inline(always)]
            fn after(self, _: &State<Self>) -> u8 {
                0
            }

            #[inline(always)]
            fn set_for_tail(self, _: &State<Self>, length: u64, set: impl FnMut(usize, $word)) {
                Self::set_last(length, set);
            }
        }

        impl $family {
            /// Sets the words of the number of bytes and of the flag for the last block.
            #[inline(always)]
            fn set_last(length: u64, mut set: impl FnMut(usize, $word)) {
                // The compression adds a block to the number of bytes.
                let before = length.wrapping_sub($block);
                for w in COUNT..$last {
                    set(w, (before >> ($word::BITS as usize * (w - COUNT))) as $word);
                }
                set($last, !0);
            }
        }

        /// The initial state (section 2.5) for digests and a key of this many bytes. Until a block
        /// is remembered, the first word for it is the length of the key.
        pub(crate) const fn $initial(digest: usize, key: usize) -> State<$family> {
            let mut state = [0; $last + 1 + REMEMBERED];
            let mut i = 0;
            while i < $iv.len() {
                state[i] = $iv[i];
                i += 1;
            }
            state[0] ^= 0x0101_0000 ^ (key << 8 ^ digest) as $word;
            state[$last + 1] = key as $word;
            state
        }
    };
}

blake2!(Blake2bFamily, u64, 128, LAST_B, IV_B, initial_b);
blake2!(Blake2sFamily, u32, 64, LAST_S, IV_S, initial_s);

/// A number of bytes in the words of a state.
fn count<W: Word>(words: &[W]) -> u64 {
    let number = |(i, word): (usize, &W)| word.to_u64() << (8 * W::BYTES * i);
    words.iter().enumerate().map(number).sum()
}

impl Blake for Blake2bFamily {
    type Last<V: Vector<Word = u64>> = ();

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(
        state: &mut [V; LANE_WORDS],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) {
        state[COUNT] = state[COUNT].add_word(Self::BLOCK as u64);
        let mut v = words(state, super::fresh(&IV_B));
        v[12] = v[12].xor(&state[COUNT]);
        v[14] = v[14].xor(&state[LAST_B]);
        unroll!(12, T => {
            if T.is_multiple_of(3) {
                between.part(T / 3);
            }
            round::<V, 32, 24, 16, 63>(&mut v, block, &SIGMA[T % 10]);
        });
        for i in 0..8 {
            state[i] = state[i].xor3(&v[i], &v[8 + i]);
        }
    }
}

impl Blake for Blake2sFamily {
    type Last<V: Vector<Word = u32>> = ();

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(
        state: &mut [V; LANE_WORDS],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) {
        let low = state[COUNT].add_word(Self::BLOCK as u32);
        // The highest bit was one and is zero if the sum has a carry.
        let carry = low.and_not(&state[COUNT]).shift_right::<{ u32::BITS as i32 - 1 }>();
        (state[COUNT], state[COUNT + 1]) = (low, state[COUNT + 1].add(&carry));
        let mut v = words(state, super::fresh(&IV_S));
        v[12] = v[12].xor(&state[COUNT]);
        v[13] = v[13].xor(&state[COUNT + 1]);
        v[14] = v[14].xor(&state[LAST_S]);
        unroll!(10, T => {
            if T.is_multiple_of(3) {
                between.part(T / 3);
            }
            round::<V, 16, 12, 8, 7>(&mut v, block, &SIGMA[T]);
        });
        for i in 0..8 {
            state[i] = state[i].xor3(&v[i], &v[8 + i]);
        }
    }
}
