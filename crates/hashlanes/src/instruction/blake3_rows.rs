//! Two or four messages of BLAKE3, with the sixteen words of a state in four rows.
//!
//! The four columns of a state, and then its diagonals, are independent of each other (section
//! 2.2). So each row is a vector of four words, and G is computed once for all columns. Two
//! messages are in the halves of one vector, and the vectors of two such pairs are interleaved.
//!
//! A half of a round is a chain of 14 operations, so that a block takes 196 cycles at least. Before
//! the diagonals the rows are rotated against each other: all but the second one, which is the last
//! that G changes, and for which the next G waits.
//!
//! The words of the message are permuted from round to round by shuffles. They are in the order in
//! which G takes them, those of the diagonals from the fourth one on.

use core::arch::x86_64::*;

use crate::family::blake3::{BLOCK, CHUNK_START, COUNTER, Mixed, NODE, VALUE};
use crate::family::sha256::INITIAL_256 as IV;
use crate::family::unroll::unroll;
use crate::input::Span;
use crate::vector::{Vector, avx2::U32x8, avx2::pair};

/// Four words of each of two messages.
type Row = U32x8;

/// Four words in another order.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn shuffle<const ORDER: i32>(words: Row) -> Row {
    // SAFETY: the caller promises AVX2.
    U32x8(unsafe { _mm256_shuffle_epi32::<ORDER>(words.0) })
}

/// Two words of `a` and two of `b`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn select<const ORDER: i32>(a: Row, b: Row) -> Row {
    // SAFETY: the caller promises AVX2.
    let (a, b) = unsafe { (_mm256_castsi256_ps(a.0), _mm256_castsi256_ps(b.0)) };
    // SAFETY: the same.
    U32x8(unsafe { _mm256_castps_si256(_mm256_shuffle_ps::<ORDER>(a, b)) })
}

/// Those words of `b` whose bits are set, and the others of `a`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn blend<const BITS: i32>(a: Row, b: Row) -> Row {
    // SAFETY: the caller promises AVX2.
    U32x8(unsafe { _mm256_blend_epi32::<BITS>(a.0, b.0) })
}

/// The order of four words, the first one in the lowest bits.
const fn order(words: [i32; 4]) -> i32 {
    words[0] | words[1] << 2 | words[2] << 4 | words[3] << 6
}

/// The words of a block in four rows. From the first row a round takes the words that come first,
/// third, fifth and seventh in its order, numbers 0, 2, 4 and 6; from the second row 1, 3, 5 and 7;
/// from the third 14, 8, 10 and 12; from the last 15, 9, 11 and 13.
type Words = [Row; 4];

/// Loads the block at byte `offset` of two messages.
///
/// # Safety
/// The CPU has AVX2. `data` is readable for two pointers, and each of them for a block from
/// `offset`.
#[inline(always)]
unsafe fn load(data: *const *const u8, offset: usize) -> Words {
    // SAFETY: the caller promises AVX2, and 64 bytes from `offset` of both.
    unsafe {
        let row = |i: usize| U32x8(pair::<1>(data, offset + 16 * i));
        let (w0, w4, w8, w12) = (row(0), row(1), row(2), row(3));
        const EVEN: i32 = order([0, 2, 0, 2]);
        const ODD: i32 = order([1, 3, 1, 3]);
        const LAST_FIRST: i32 = order([3, 0, 1, 2]);
        [
            select::<EVEN>(w0, w4),
            select::<ODD>(w0, w4),
            shuffle::<LAST_FIRST>(select::<EVEN>(w8, w12)),
            shuffle::<LAST_FIRST>(select::<ODD>(w8, w12)),
        ]
    }
}

/// The words of the next round, which takes words 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15
/// and 8 of this one.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn permuted([even, odd, late_even, late_odd]: Words) -> Words {
    const MIDDLE_LAST: i32 = order([0, 2, 3, 1]);
    const MIDDLE_SWAPPED: i32 = order([0, 2, 1, 3]);
    // SAFETY: the caller promises AVX2.
    unsafe {
        let w10_w13 = blend::<0x88>(late_even, late_odd);
        let w1_w12 = blend::<0x88>(odd, late_even);
        let w11_w5 = select::<{ order([2, 2, 2, 2]) }>(late_odd, odd);
        [
            shuffle::<MIDDLE_LAST>(select::<{ order([1, 2, 1, 3]) }>(even, odd)),
            shuffle::<MIDDLE_SWAPPED>(select::<{ order([3, 0, 2, 3]) }>(even, w10_w13)),
            shuffle::<MIDDLE_LAST>(select::<{ order([0, 1, 0, 3]) }>(late_odd, w1_w12)),
            shuffle::<MIDDLE_LAST>(select::<{ order([1, 0, 0, 2]) }>(late_even, w11_w5)),
        ]
    }
}

/// Does something for each of `P` pairs of messages. A loop would keep vectors in memory.
macro_rules! each {
    ($p:ident => $body:expr) => {
        unroll!(2, $p => {
            if $p < P {
                $body;
            }
        })
    };
}

/// G on the columns of `P` pairs of messages.
#[inline(always)]
fn mix<const P: usize>(v: &mut [[Row; 4]; 2], words: &[Words; 2], x: usize, y: usize) {
    each!(I => v[I][0] = v[I][0].add(words[I][x]).add(v[I][1]));
    each!(I => v[I][3] = v[I][3].xor(v[I][0]).rotate_right::<16>());
    each!(I => v[I][2] = v[I][2].add(v[I][3]));
    each!(I => v[I][1] = v[I][1].xor(v[I][2]).rotate_right::<12>());
    each!(I => v[I][0] = v[I][0].add(words[I][y]).add(v[I][1]));
    each!(I => v[I][3] = v[I][3].xor(v[I][0]).rotate_right::<8>());
    each!(I => v[I][2] = v[I][2].add(v[I][3]));
    each!(I => v[I][1] = v[I][1].xor(v[I][2]).rotate_right::<7>());
}

/// Rotates the first row by one word, the third one by one in the other direction, and the last one
/// by two: to the diagonals, or `BACK`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn turn<const P: usize, const BACK: bool>(v: &mut [[Row; 4]; 2]) {
    const UP: i32 = order([1, 2, 3, 0]);
    const DOWN: i32 = order([3, 0, 1, 2]);
    const BY_TWO: i32 = order([2, 3, 0, 1]);
    // SAFETY: the caller promises AVX2.
    unsafe {
        each!(I => {
            let [a, _, c, d] = &mut v[I];
            (*a, *c) = if BACK {
                (shuffle::<UP>(*a), shuffle::<DOWN>(*c))
            } else {
                (shuffle::<DOWN>(*a), shuffle::<UP>(*c))
            };
            *d = shuffle::<BY_TWO>(*d);
        });
    }
}

/// The seven rounds on the rows of `P` pairs of messages.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn rounds<const P: usize>(v: &mut [[Row; 4]; 2], words: &mut [Words; 2]) {
    unroll!(7, ROUND => {
        // SAFETY: the caller promises AVX2.
        unsafe {
            mix::<P>(v, words, 0, 1);
            turn::<P, false>(v);
            mix::<P>(v, words, 2, 3);
            turn::<P, true>(v);
            if ROUND < 6 {
                each!(I => words[I] = permuted(words[I]));
            }
        }
    });
}

/// The most words of a state, and the most lanes.
const WORDS: usize = 2 * VALUE;
const LANES: usize = 4;

/// Four words of each of two states, from word `w` on.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn row(states: &[[u32; WORDS]; LANES], pair: usize, w: usize) -> Row {
    let half = |lane: usize| states[2 * pair + lane][w..][..4].as_ptr().cast();
    // SAFETY: the caller promises AVX2. The slices have four words.
    unsafe {
        let (low, high) = (_mm_loadu_si128(half(0)), _mm_loadu_si128(half(1)));
        U32x8(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high))
    }
}

/// Sets what [`row`] returns.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn set_row(states: &mut [[u32; WORDS]; LANES], pair: usize, w: usize, row: Row) {
    let mut half = |lane: usize| states[2 * pair + lane][w..][..4].as_mut_ptr().cast();
    // SAFETY: the caller promises AVX2. The slices have four words.
    unsafe {
        _mm_storeu_si128(half(0), _mm256_castsi256_si128(row.0));
        _mm_storeu_si128(half(1), _mm256_extracti128_si256::<1>(row.0));
    }
}

/// Compresses the blocks of a span of `P` pairs of messages: one or two.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress) with a span and AVX2, for `2 * P` lanes.
#[inline(always)]
pub(crate) unsafe fn compress<F: Mixed<Word = u32>, const P: usize>(span: &Span<u32>) {
    let lanes = 2 * P;
    let mut states = [[0; WORDS]; LANES];
    // SAFETY: the caller promises AVX2, states of all lanes at `from` and `to`, and `blocks`
    // blocks of each lane.
    unsafe {
        for w in 0..NODE {
            for (l, state) in states.iter_mut().enumerate().take(lanes) {
                state[w] = span.from.add(w * lanes + l).read();
            }
        }
        let zero = U32x8(_mm256_setzero_si256());
        let iv = U32x8(_mm256_broadcastsi128_si256(_mm_loadu_si128(IV.as_ptr().cast())));
        let not_first = !(CHUNK_START as i32);
        let not_first = U32x8(_mm256_broadcastsi128_si256(_mm_set_epi32(not_first, -1, -1, -1)));
        // The two rows that are chained, the one that says where in the message a block is, and
        // more output.
        let (mut values, mut place, mut output) = ([[zero; 2]; 2], [zero; 2], [[zero; 2]; 2]);
        each!(I => {
            values[I] = [row(&states, I, 0), row(&states, I, 4)];
            place[I] = row(&states, I, COUNTER);
        });
        for block in 0..span.blocks {
            let (mut v, mut words) = ([[zero; 4]; 2], [[zero; 4]; 2]);
            each!(I => {
                words[I] = load(span.data.add(2 * I), BLOCK * block);
                v[I] = [values[I][0], values[I][1], iv, place[I]];
            });
            rounds::<P>(&mut v, &mut words);
            each!(I => {
                let [a, b, c, d] = v[I];
                output[I] = [values[I][0].xor(c), values[I][1].xor(d)];
                values[I] = [a.xor(c), b.xor(d)];
                place[I] = place[I].and(not_first);
            });
        }
        each!(I => {
            let [next, last] = if F::IS_OUTPUT { output[I] } else { [place[I], zero] };
            set_row(&mut states, I, 0, values[I][0]);
            set_row(&mut states, I, 4, values[I][1]);
            set_row(&mut states, I, 8, next);
            set_row(&mut states, I, 12, last);
        });
        for w in 0..F::STATE_WORDS {
            for (l, state) in states.iter().enumerate().take(lanes) {
                span.to.add(w * lanes + l).write(state[w]);
            }
        }
    }
}
