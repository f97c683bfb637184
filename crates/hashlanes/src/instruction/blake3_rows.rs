//! One to four messages of BLAKE3, with the sixteen words of a state in four rows.
//!
//! The four columns of a state, and then its diagonals, are independent of each other (section
//! 2.2). So each row is four words, and G is computed once for all columns. A vector has the row of
//! one message, two or four; and two vectors of as many messages can be interleaved.
//!
//! A half of a round is a chain of 14 operations, so that a block takes 196 cycles at least; with
//! AVX-512, which rotates in one operation, 12 and 168. Before the diagonals the rows are rotated
//! against each other: all but the second one, which is the last that G changes, and for which the
//! next G waits.
//!
//! The words of the message are permuted from round to round by shuffles. They are in the order in
//! which G takes them, those of the diagonals from the fourth one on.

use core::arch::x86_64::*;

use crate::family::blake3::{BLOCK, CHUNK_START, COUNTER, NODE, VALUE};
use crate::family::sha256::INITIAL_256 as IV;
use crate::family::unroll::unroll;
use crate::input::Span;
use crate::vector::avx2::{self, pair};
use crate::vector::avx512::{self, quarters};
use crate::vector::{Vector, avx512_256, sse41};

/// A vector of four words of each of its messages.
pub(crate) trait Row: Vector<Word = u32> {
    /// 16 bytes from `offset` of each message.
    ///
    /// # Safety
    /// The CPU has the vector's instructions. `data` is readable for a pointer of each message, and
    /// each of them for 16 bytes from `offset`.
    unsafe fn gather(data: *const *const u8, offset: usize) -> Self;

    /// Four words in another order.
    fn shuffle<const ORDER: i32>(&self) -> Self;

    /// Two words of `self` and two of `other`.
    fn select<const ORDER: i32>(&self, other: &Self) -> Self;

    /// The last word of `other`, and the other words of `self`.
    fn with_last(&self, other: &Self) -> Self;
}

macro_rules! row {
    ($row:ty, $gather:path, $shuffle:ident, $select:ident, $with_last:expr) => {
        impl Row for $row {
            #[inline(always)]
            unsafe fn gather(data: *const *const u8, offset: usize) -> Self {
                // SAFETY: the caller promises the instructions, and 16 bytes from `offset` of each
                // message.
                Self(unsafe { $gather(data, offset) })
            }

            #[inline(always)]
            fn shuffle<const ORDER: i32>(&self) -> Self {
                // SAFETY: a value of this type proves that the CPU has its instructions.
                Self(unsafe { $shuffle::<ORDER>(self.0) })
            }

            #[inline(always)]
            fn select<const ORDER: i32>(&self, other: &Self) -> Self {
                // SAFETY: as in `shuffle`.
                Self(unsafe { $select::<ORDER>(self.0, other.0) })
            }

            #[inline(always)]
            fn with_last(&self, other: &Self) -> Self {
                // SAFETY: as in `shuffle`.
                Self(unsafe { $with_last(self.0, other.0) })
            }
        }
    };
}

/// [`Row::select`] in 128 bits.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn select_128<const ORDER: i32>(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: the caller promises the instructions.
    unsafe { _mm_castps_si128(_mm_shuffle_ps::<ORDER>(_mm_castsi128_ps(a), _mm_castsi128_ps(b))) }
}

/// [`Row::select`] in 256 bits.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn select_256<const ORDER: i32>(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller promises the instructions.
    unsafe {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_castps_si256(_mm256_shuffle_ps::<ORDER>(a, b))
    }
}

/// [`Row::select`] with AVX-512. LLVM would make one VPERMT2D of it and of the next shuffle, which
/// takes three cycles in place of two, and needs a copy and an order in a register. A block of four
/// messages took 236 cycles.
macro_rules! select {
    ($name:ident, $vector:ty, $class:ident) => {
        /// # Safety
        /// The CPU has AVX-512.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        unsafe fn $name<const ORDER: i32>(a: $vector, b: $vector) -> $vector {
            let words;
            // SAFETY: the caller promises the instructions.
            unsafe {
                core::arch::asm!(
                    "vshufps {words}, {a}, {b}, {order}",
                    words = lateout($class) words, a = in($class) a, b = in($class) b,
                    order = const ORDER,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            words
        }
    };
}

select!(select_256_vl, __m256i, ymm_reg);
select!(select_512, __m512i, zmm_reg);

row!(sse41::U32x4, sse41::row, _mm_shuffle_epi32, select_128, _mm_blend_epi16::<0xc0>);
row!(avx2::U32x8, pair::<1>, _mm256_shuffle_epi32, select_256, _mm256_blend_epi32::<0x88>);
row!(avx512_256::U32x8, pair::<1>, _mm256_shuffle_epi32, select_256_vl, _mm256_blend_epi32::<0x88>);
row!(avx512::U32x16, quarters::<1>, _mm512_shuffle_epi32, select_512, |words, other| {
    _mm512_mask_blend_epi32(0x8888, words, other)
});

/// The order of four words, the first one in the lowest bits.
const fn order(words: [i32; 4]) -> i32 {
    words[0] | words[1] << 2 | words[2] << 4 | words[3] << 6
}

/// The words of a block in four rows. From the first row a round takes the words that come first,
/// third, fifth and seventh in its order, numbers 0, 2, 4 and 6; from the second row 1, 3, 5 and 7;
/// from the third 14, 8, 10 and 12; from the last 15, 9, 11 and 13.
type Words<R> = [R; 4];

/// Loads the block at byte `offset` of each message.
///
/// # Safety
/// As for [`Row::gather`], for a block from `offset`.
#[inline(always)]
unsafe fn load<R: Row>(data: *const *const u8, offset: usize) -> Words<R> {
    // SAFETY: the caller promises the instructions, and 64 bytes from `offset` of each message.
    let row = |i: usize| unsafe { R::gather(data, offset + 16 * i) };
    let (w0, w4, w8, w12) = (row(0), row(1), row(2), row(3));
    const EVEN: i32 = order([0, 2, 0, 2]);
    const ODD: i32 = order([1, 3, 1, 3]);
    const LAST_FIRST: i32 = order([3, 0, 1, 2]);
    [
        w0.select::<EVEN>(&w4),
        w0.select::<ODD>(&w4),
        w8.select::<EVEN>(&w12).shuffle::<LAST_FIRST>(),
        w8.select::<ODD>(&w12).shuffle::<LAST_FIRST>(),
    ]
}

/// The words of the next round, which takes words 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15
/// and 8 of this one.
#[inline(always)]
fn permuted<R: Row>([even, odd, late_even, late_odd]: Words<R>) -> Words<R> {
    const MIDDLE_LAST: i32 = order([0, 2, 3, 1]);
    const MIDDLE_SWAPPED: i32 = order([0, 2, 1, 3]);
    let w10_w13 = late_even.with_last(&late_odd);
    let w1_w12 = odd.with_last(&late_even);
    let w11_w5 = late_odd.select::<{ order([2, 2, 2, 2]) }>(&odd);
    [
        even.select::<{ order([1, 2, 1, 3]) }>(&odd).shuffle::<MIDDLE_LAST>(),
        even.select::<{ order([3, 0, 2, 3]) }>(&w10_w13).shuffle::<MIDDLE_SWAPPED>(),
        late_odd.select::<{ order([0, 1, 0, 3]) }>(&w1_w12).shuffle::<MIDDLE_LAST>(),
        late_even.select::<{ order([1, 0, 0, 2]) }>(&w11_w5).shuffle::<MIDDLE_LAST>(),
    ]
}

/// Does something for each of `P` vectors. A loop would keep vectors in memory.
macro_rules! each {
    ($p:ident => $body:expr) => {
        unroll!(2, $p => {
            if $p < P {
                $body;
            }
        })
    };
}

/// G on the columns of `P` vectors of messages.
#[inline(always)]
fn mix<R: Row, const P: usize>(v: &mut [[R; 4]; 2], words: &[Words<R>; 2], x: usize, y: usize) {
    each!(I => v[I][0] = v[I][0].add(&words[I][x]).add(&v[I][1]));
    each!(I => v[I][3] = v[I][3].xor(&v[I][0]).rotate_right::<16>());
    each!(I => v[I][2] = v[I][2].add(&v[I][3]));
    each!(I => v[I][1] = v[I][1].xor(&v[I][2]).rotate_right::<12>());
    each!(I => v[I][0] = v[I][0].add(&words[I][y]).add(&v[I][1]));
    each!(I => v[I][3] = v[I][3].xor(&v[I][0]).rotate_right::<8>());
    each!(I => v[I][2] = v[I][2].add(&v[I][3]));
    each!(I => v[I][1] = v[I][1].xor(&v[I][2]).rotate_right::<7>());
}

/// Rotates the first row by one word, the third one by one in the other direction, and the last one
/// by two: to the diagonals, or `BACK`.
#[inline(always)]
fn turn<R: Row, const P: usize, const BACK: bool>(v: &mut [[R; 4]; 2]) {
    const UP: i32 = order([1, 2, 3, 0]);
    const DOWN: i32 = order([3, 0, 1, 2]);
    const BY_TWO: i32 = order([2, 3, 0, 1]);
    each!(I => {
        let [a, _, c, d] = &mut v[I];
        (*a, *c) = if BACK {
            (a.shuffle::<UP>(), c.shuffle::<DOWN>())
        } else {
            (a.shuffle::<DOWN>(), c.shuffle::<UP>())
        };
        *d = d.shuffle::<BY_TWO>();
    });
}

/// The seven rounds on the rows of `P` vectors of messages.
#[inline(always)]
fn rounds<R: Row, const P: usize>(v: &mut [[R; 4]; 2], words: &mut [Words<R>; 2]) {
    unroll!(7, ROUND => {
        mix::<R, P>(v, words, 0, 1);
        turn::<R, P, false>(v);
        mix::<R, P>(v, words, 2, 3);
        turn::<R, P, true>(v);
        if ROUND < 6 {
            each!(I => words[I] = permuted(words[I]));
        }
    });
}

/// The most words of a state, and the most messages.
const WORDS: usize = 2 * VALUE;
const MESSAGES: usize = 4;

/// Compresses the blocks of a span, whose messages are in `P` vectors: one or two. If it is output,
/// the span has one block.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress) with a span, for `P` times the messages of `R`.
#[inline(always)]
pub(crate) unsafe fn compress<R: Row, const P: usize>(span: &Span<u32>, is_output: bool) {
    let (each, lanes) = (R::LANES / 4, P * R::LANES / 4);
    let mut states = [[0; WORDS]; MESSAGES];
    // SAFETY: the caller promises the vector's instructions, states of all lanes at `from` and
    // `to`, and `blocks` blocks of each lane. All rows of `states` and of the constants have four
    // words.
    unsafe {
        for w in 0..NODE {
            for (l, state) in states.iter_mut().enumerate().take(lanes) {
                let word = span.from.add(w * lanes + l);
                // Callers have just written some of these, one by one. To load them as a vector
                // would have to wait until they are in the cache.
                state[w] = if w < VALUE { word.read() } else { word.read_volatile() };
            }
        }
        let row = |states: &[[u32; WORDS]; MESSAGES], i: usize, w: usize| {
            let at: [*const u8; MESSAGES] =
                core::array::from_fn(|l| states[l][w..][..4].as_ptr().cast());
            R::gather(at[each * i..].as_ptr(), 0)
        };
        let same = |words: &[u32; 4]| R::gather([words.as_ptr().cast(); MESSAGES].as_ptr(), 0);
        let (zero, iv) = (same(&[0; 4]), same(&[IV[0], IV[1], IV[2], IV[3]]));
        let not_first = same(&[u32::MAX, u32::MAX, u32::MAX, !CHUNK_START]);
        // The two rows that are chained, the one that says where in the message a block is, and
        // the last two after the rounds.
        let (mut values, mut place, mut last) = ([[zero; 2]; 2], [zero; 2], [[zero; 2]; 2]);
        each!(I => {
            values[I] = [row(&states, I, 0), row(&states, I, 4)];
            place[I] = row(&states, I, COUNTER);
        });
        for block in 0..span.blocks {
            let (mut v, mut words) = ([[zero; 4]; 2], [[zero; 4]; 2]);
            each!(I => {
                words[I] = load::<R>(span.data.add(each * I), BLOCK * block);
                v[I] = [values[I][0], values[I][1], iv, place[I]];
            });
            rounds::<R, P>(&mut v, &mut words);
            each!(I => {
                let [a, b, c, d] = v[I];
                values[I] = [a.xor(&c), b.xor(&d)];
                last[I] = [c, d];
                place[I] = place[I].and(&not_first);
            });
        }
        if is_output {
            // The chaining value before, read again, needs no registers during the rounds.
            each!(I => {
                let (first, second) = (row(&states, I, 0), row(&states, I, 4));
                last[I] = [first.xor(&last[I][0]), second.xor(&last[I][1])];
            });
        }
        let mut set_row = |i: usize, w: usize, row: R| {
            let mut words = [0; WORDS];
            row.store(words.as_mut_ptr());
            for (l, words) in words.as_chunks::<4>().0.iter().enumerate().take(each) {
                states[each * i + l][w..][..4].copy_from_slice(words);
            }
        };
        each!(I => {
            let [next, end] = if is_output { last[I] } else { [place[I], zero] };
            set_row(I, 0, values[I][0]);
            set_row(I, 4, values[I][1]);
            set_row(I, 8, next);
            set_row(I, 12, end);
        });
        if is_output {
            // Output may have any alignment.
            let bytes = span.to.cast::<u8>();
            bytes.copy_from(states.as_ptr().cast(), lanes * size_of::<[u32; WORDS]>());
            return;
        }
        for w in 0..NODE {
            for (l, state) in states.iter().enumerate().take(lanes) {
                span.to.add(w * lanes + l).write(state[w]);
            }
        }
    }
}
