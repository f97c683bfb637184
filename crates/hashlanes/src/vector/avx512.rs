//! AVX-512 (F, BW and DQ): 16 lanes of `u32`, 8 of `u64`, in 512-bit registers.
//!
//! `vpternlog` computes any function of three bits in one instruction, and `vprol` rotates in one.
//! So a round costs half of what it costs on AVX2. The immediate of `vpternlog` is the truth table:
//! bit `4a + 2b + c` is the result for bits a, b, c.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, PARTS, Vector, register::vector, reversed_bytes};

/// a ^ b ^ c
pub(super) const XOR3: i32 = 0b1001_0110;
/// a ^ (!b & c)
pub(super) const CHI: i32 = 0b1101_0010;
/// a ? b : c
pub(super) const CHOOSE: i32 = 0b1100_1010;
/// at least two of a, b, c
pub(super) const MAJORITY: i32 = 0b1110_1000;
/// a ^ (b | !c)
pub(super) const XOR_OR_NOT: i32 = 0b0010_1101;

/// 16 bytes from `offset` of each of `data[0]`, `data[APART]`, `data[2 * APART]` and
/// `data[3 * APART]`, one to each 128-bit quarter.
///
/// The transposition's shuffles work within quarters. With the lanes spread over the quarters like
/// this, the shuffles leave them in order without crossing quarters. A load that inserts from
/// memory costs less than a shuffle, for which there is only one port.
///
/// # Safety
/// The CPU has AVX-512. Those four pointers can be read, and are readable for 16 bytes from
/// `offset`.
#[inline(always)]
pub(crate) unsafe fn quarters<const APART: usize>(
    data: *const *const u8,
    offset: usize,
) -> __m512i {
    /// # Safety
    /// All pointers are readable for 16 bytes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn of(q0: *const u8, q1: *const u8, q2: *const u8, q3: *const u8) -> __m512i {
        // SAFETY: the caller promises 16 readable bytes. `loadu` needs no alignment.
        unsafe {
            let all = _mm512_castsi128_si512(_mm_loadu_si128(q0.cast()));
            let all = _mm512_inserti32x4::<1>(all, _mm_loadu_si128(q1.cast()));
            let all = _mm512_inserti32x4::<2>(all, _mm_loadu_si128(q2.cast()));
            _mm512_inserti32x4::<3>(all, _mm_loadu_si128(q3.cast()))
        }
    }
    // SAFETY: the caller promises AVX-512, and four pointers at these places, each readable for 16
    // bytes from `offset`.
    unsafe {
        of(
            data.read().add(offset),
            data.add(APART).read().add(offset),
            data.add(2 * APART).read().add(offset),
            data.add(3 * APART).read().add(offset),
        )
    }
}

/// A line of 64 bytes from `offset` of each of `data[0]`, `data[APART]`, `data[2 * APART]` and
/// `data[3 * APART]`: chunk `c` of 16 bytes of all four is row `c`.
///
/// Each line is touched once. Otherwise messages 4 KiB apart, whose lines compete for one set of
/// the first-level cache, would be loaded from the second level several times.
///
/// # Safety
/// Those four pointers can be read, and are readable for 64 bytes from `offset`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn lines<const APART: usize>(data: *const *const u8, offset: usize) -> [__m512i; 4] {
    // SAFETY: the caller promises four pointers at these places, each readable for 64 bytes from
    // `offset`. `loadu` needs no alignment.
    unsafe {
        let l0 = _mm512_loadu_si512(data.read().add(offset).cast());
        let l1 = _mm512_loadu_si512(data.add(APART).read().add(offset).cast());
        let l2 = _mm512_loadu_si512(data.add(2 * APART).read().add(offset).cast());
        let l3 = _mm512_loadu_si512(data.add(3 * APART).read().add(offset).cast());
        transpose_quarters([l0, l1, l2, l3])
    }
}

/// Quarter `q` of vector `i` becomes quarter `i` of vector `q`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transpose_quarters([v0, v1, v2, v3]: [__m512i; 4]) -> [__m512i; 4] {
    let (low01, high01) =
        (_mm512_shuffle_i32x4::<0x44>(v0, v1), _mm512_shuffle_i32x4::<0xee>(v0, v1));
    let (low23, high23) =
        (_mm512_shuffle_i32x4::<0x44>(v2, v3), _mm512_shuffle_i32x4::<0xee>(v2, v3));
    [
        _mm512_shuffle_i32x4::<0x88>(low01, low23),
        _mm512_shuffle_i32x4::<0xdd>(low01, low23),
        _mm512_shuffle_i32x4::<0x88>(high01, high23),
        _mm512_shuffle_i32x4::<0xdd>(high01, high23),
    ]
}

vector!(
    "avx512f" transpositions of __m512i: _mm512_unpacklo_epi32, _mm512_unpackhi_epi32,
    _mm512_unpacklo_epi64, _mm512_unpackhi_epi64
);

/// The bytes of each word of `BYTES` bytes, reversed.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn reverse<const BYTES: usize>(words: __m512i) -> __m512i {
    let [low, high] = const { reversed_bytes(BYTES) };
    _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(_mm_set_epi64x(high, low)))
}

/// The rows as words, their bytes reversed if `BIG_ENDIAN`, of `BYTES` bytes each.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn in_order<const BIG_ENDIAN: bool, const BYTES: usize>(
    [r0, r1, r2, r3]: [__m512i; 4],
) -> [__m512i; 4] {
    if !BIG_ENDIAN {
        return [r0, r1, r2, r3];
    }
    [reverse::<BYTES>(r0), reverse::<BYTES>(r1), reverse::<BYTES>(r2), reverse::<BYTES>(r3)]
}

/// Sixteen 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x16(pub(crate) __m512i);

impl U32x16 {
    vector!(row __m512i: quarters::<4>, |row| reverse::<4>(row));
    vector!(rows of __m512i);
}

impl Vector for U32x16 {
    vector!([U32x16 "avx512f"] words 16 of u32 as i32 in 512: _mm512_set1_epi32, _mm512_add_epi32);
    vector!([U32x16 "avx512f"] ternary: _mm512_ternarylogic_epi32, _mm512_add_epi32);
    vector!([U32x16 "avx512f"] rotations: _mm512_rol_epi32, _mm512_ror_epi32, _mm512_srl_epi32);
    vector!(load_words of 32: transpose_32);

    /// Row `c` of part `p` has chunk `c` of 16 bytes of lanes `p`, `p + 4`, `p + 8` and `p + 12`.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 16 pointers of
        // `data` is readable for a block, which is 64 bytes, from `offset`. `part` is below 4.
        Self::of(unsafe { in_order::<BIG_ENDIAN, 4>(lines::<4>(data.add(part), offset)) })
    }

    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        4 * i + part
    }

    vector!(words_of_rows: transpose_32);
}

/// Eight 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x8(pub(crate) __m512i);

impl U64x8 {
    vector!(row __m512i: quarters::<2>, |row| reverse::<8>(row));
    vector!(rows of __m512i);
}

impl Vector for U64x8 {
    vector!([U64x8 "avx512f"] words 8 of u64 as i64 in 512: _mm512_set1_epi64, _mm512_add_epi64);
    vector!([U64x8 "avx512f"] ternary: _mm512_ternarylogic_epi64, _mm512_add_epi64);
    vector!([U64x8 "avx512f"] rotations: _mm512_rol_epi64, _mm512_ror_epi64, _mm512_srl_epi64);
    vector!(load_words of 64: transpose_64);

    /// Part `p` has the line `p / 2` of lanes `p % 2`, `p % 2 + 2`, .., whose chunk `c` of 16 bytes
    /// is row `c`.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        let offset = offset + part / 2 * 64;
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 8 pointers of
        // `data` is readable for a block, which is 128 bytes, from `offset`. `part` is below 4.
        Self::of(unsafe { in_order::<BIG_ENDIAN, 8>(lines::<2>(data.add(part % 2), offset)) })
    }

    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        part / 2 * 8 + 2 * i + part % 2
    }

    vector!(words_of_rows: transpose_64);
}
