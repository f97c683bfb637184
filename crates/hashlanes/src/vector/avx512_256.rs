//! AVX-512's instructions (VL) in 256-bit registers: 8 lanes of `u32`, 4 of `u64`.
//!
//! For messages that do not fill 512-bit registers. Intel's cores have three ports for 256 bits and
//! two for 512, so half as many lanes take two thirds to three quarters of the time. Compared with
//! AVX2, logic of three operands and rotation are one instruction each.

use core::arch::x86_64::*;

use super::avx2::{pair, shuffle_bytes, transpose_32, transpose_64};
use super::avx512::{CHI, CHOOSE, MAJORITY, XOR_OR_NOT, XOR3};
use super::{BLOCK_WORDS, Vector, register::vector, reversed_bytes};

/// Eight 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x8(pub(crate) __m256i);

impl U32x8 {
    vector!(row __m256i: pair::<4>, |row| shuffle_bytes(row, const { reversed_bytes(4) }));
}

impl Vector for U32x8 {
    vector!([U32x8 "avx2"] words 8 of u32 as i32 in 256: _mm256_set1_epi32, _mm256_add_epi32);
    vector!([U32x8 "avx512f,avx512vl"] ternary: _mm256_ternarylogic_epi32, _mm256_add_epi32);
    vector!(
        [U32x8 "avx512f,avx512vl"] rotations: _mm256_rol_epi32, _mm256_ror_epi32, _mm256_srl_epi32
    );
    vector!(load_words of 32: transpose_32);
}

/// Four 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x4(__m256i);

impl U64x4 {
    vector!(row __m256i: pair::<2>, |row| shuffle_bytes(row, const { reversed_bytes(8) }));
}

impl Vector for U64x4 {
    vector!([U64x4 "avx2"] words 4 of u64 as i64 in 256: _mm256_set1_epi64x, _mm256_add_epi64);
    vector!([U64x4 "avx512f,avx512vl"] ternary: _mm256_ternarylogic_epi64, _mm256_add_epi64);
    vector!(
        [U64x4 "avx512f,avx512vl"] rotations: _mm256_rol_epi64, _mm256_ror_epi64, _mm256_srl_epi64
    );
    vector!(load_words of 64: transpose_64);
}
