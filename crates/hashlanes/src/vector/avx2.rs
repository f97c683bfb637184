//! AVX2: 8 lanes of `u32`, 4 of `u64`, in 256-bit registers.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, Vector, register::vector, reversed_bytes, rotated_bytes};

/// 16 bytes from `offset` of `data[0]` in the low half, of `data[APART]` in the high half.
///
/// The transposition's shuffles work within 128-bit halves. With lane `l` in the low half and lane
/// `l + LANES / 2` in the high one they leave the lanes in order. So no shuffle across the halves,
/// which would be slower, is needed.
///
/// # Safety
/// The CPU has AVX2. `data[0]` and `data[APART]` can be read, and are readable for 16 bytes from
/// `offset`.
#[inline(always)]
pub(crate) unsafe fn pair<const APART: usize>(data: *const *const u8, offset: usize) -> __m256i {
    /// # Safety
    /// Both pointers are readable for 16 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn of(low: *const u8, high: *const u8) -> __m256i {
        // SAFETY: the caller promises 16 readable bytes. `loadu` needs no alignment.
        unsafe {
            let (low, high) = (_mm_loadu_si128(low.cast()), _mm_loadu_si128(high.cast()));
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        }
    }
    // SAFETY: the caller promises AVX2, and two pointers at these places, each readable for 16
    // bytes from `offset`.
    unsafe { of(data.read().add(offset), data.add(APART).read().add(offset)) }
}

/// The bytes of each register of 128 bits in another order.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn shuffle_bytes(words: __m256i, [low, high]: [i64; 2]) -> __m256i {
    _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low)))
}

vector!(
    "avx2" transpositions of __m256i: _mm256_unpacklo_epi32, _mm256_unpackhi_epi32,
    _mm256_unpacklo_epi64, _mm256_unpackhi_epi64
);

/// Eight 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x8(pub(crate) __m256i);

impl U32x8 {
    vector!(row __m256i: pair::<4>, |row| shuffle_bytes(row, const { reversed_bytes(4) }));
}

impl Vector for U32x8 {
    vector!([U32x8 "avx2"] words 8 of u32 as i32 in 256: _mm256_set1_epi32, _mm256_add_epi32);
    vector!(
        [U32x8 "avx2"] shifts of 32: _mm256_sll_epi32, _mm256_srl_epi32, _mm256_or_si256,
        _mm256_add_epi32,
        bytes by shuffle_bytes, left 8, right 8
    );
    vector!(
        [U32x8 "avx2"] or_not: _mm256_sub_epi32, _mm256_xor_si256, _mm256_andnot_si256,
        _mm256_add_epi32, _mm256_set1_epi32
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
    vector!(
        [U64x4 "avx2"] shifts of 64: _mm256_sll_epi64, _mm256_srl_epi64, _mm256_or_si256,
        _mm256_add_epi64,
        bytes by shuffle_bytes, left 64, right 8
    );
    vector!(load_words of 64: transpose_64);
}
