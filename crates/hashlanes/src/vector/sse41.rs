//! SSE4.1 (with SSSE3's byte shuffle): 4 lanes of `u32`, 2 of `u64`, in 128-bit registers.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, Vector, register::vector, reversed_bytes, rotated_bytes};

/// 16 bytes from `offset` of `data[0]`.
///
/// # Safety
/// `data[0]` can be read, and is readable for 16 bytes from `offset`.
#[inline(always)]
pub(crate) unsafe fn row(data: *const *const u8, offset: usize) -> __m128i {
    // SAFETY: the caller promises 16 readable bytes from `offset` of `data[0]`. `loadu` needs no
    // alignment. SSE2 is part of x86-64.
    unsafe { _mm_loadu_si128(data.read().add(offset).cast()) }
}

/// The bytes of each register of 128 bits in another order.
#[inline]
#[target_feature(enable = "ssse3")]
fn shuffle_bytes(words: __m128i, [low, high]: [i64; 2]) -> __m128i {
    _mm_shuffle_epi8(words, _mm_set_epi64x(high, low))
}

vector!(
    "sse2" transpositions of __m128i: _mm_unpacklo_epi32, _mm_unpackhi_epi32,
    _mm_unpacklo_epi64, _mm_unpackhi_epi64
);

/// Four 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x4(pub(crate) __m128i);

impl U32x4 {
    vector!(row __m128i: row, |row| shuffle_bytes(row, const { reversed_bytes(4) }));
}

impl Vector for U32x4 {
    vector!([U32x4 "sse4.1,ssse3"] words 4 of u32 as i32 in 128: _mm_set1_epi32, _mm_add_epi32);
    vector!(
        [U32x4 "sse4.1,ssse3"] shifts of 32: _mm_sll_epi32, _mm_srl_epi32, _mm_or_si128,
        _mm_add_epi32,
        bytes by shuffle_bytes, left 8, right 8
    );
    vector!(
        [U32x4 "sse4.1,ssse3"] or_not: _mm_sub_epi32, _mm_xor_si128, _mm_andnot_si128,
        _mm_add_epi32, _mm_set1_epi32
    );
    vector!(load_words of 32: transpose_32);
}

/// Two 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(__m128i);

impl U64x2 {
    vector!(row __m128i: row, |row| shuffle_bytes(row, const { reversed_bytes(8) }));
}

impl Vector for U64x2 {
    vector!([U64x2 "sse4.1,ssse3"] words 2 of u64 as i64 in 128: _mm_set1_epi64x, _mm_add_epi64);
    vector!(
        [U64x2 "sse4.1,ssse3"] shifts of 64: _mm_sll_epi64, _mm_srl_epi64, _mm_or_si128,
        _mm_add_epi64,
        bytes by shuffle_bytes, left 64, right 64
    );
    vector!(load_words of 64: transpose_64);
}
