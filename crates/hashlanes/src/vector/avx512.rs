//! AVX-512 (F, BW and DQ): 16 lanes of `u32`, 8 of `u64`, in 512-bit registers.
//!
//! `vpternlog` computes any function of three bits in one instruction, and `vprol` rotates in one.
//! So a round costs half of what it costs on AVX2. The immediate of `vpternlog` is the truth table:
//! bit `4a + 2b + c` is the result for bits a, b, c.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, PARTS, Vector};

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

/// Bitwise logic, in registers of any width. A function of three bits is one `vpternlog`.
macro_rules! bitwise {
    ($instruction:ident, $and:ident, $and_not:ident, $xor:ident) => {
        const TERNARY: bool = true;

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512 (see the folder's documentation).
            Self(unsafe { $instruction::<XOR3>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn chi(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $instruction::<CHI>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $instruction::<CHOOSE>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $instruction::<MAJORITY>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn majority_chained(self, b: Self, c: Self, b_xor_c: Self) -> (Self, Self) {
            (self.majority(b, c), b_xor_c)
        }

        #[inline(always)]
        fn add_choice(self, mask: Self, b: Self, c: Self) -> Self {
            self.add(mask.choose(b, c))
        }

        #[inline(always)]
        fn add_parity(self, b: Self, c: Self, d: Self) -> Self {
            self.add(b.xor3(c, d))
        }

        #[inline(always)]
        fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            self.add(Self(unsafe { $instruction::<XOR_OR_NOT>(c.0, b.0, d.0) }))
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $and(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $and_not(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX-512.
            Self(unsafe { $xor(self.0, other.0) })
        }
    };
}

pub(super) use bitwise;

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
    // SAFETY: the caller promises AVX-512, and four pointers at these places, each readable for 16
    // bytes from `offset`. `loadu` needs no alignment.
    unsafe {
        let q0 = _mm_loadu_si128(data.read().add(offset).cast());
        let q1 = _mm_loadu_si128(data.add(APART).read().add(offset).cast());
        let q2 = _mm_loadu_si128(data.add(2 * APART).read().add(offset).cast());
        let q3 = _mm_loadu_si128(data.add(3 * APART).read().add(offset).cast());
        let all = _mm512_castsi128_si512(q0);
        let all = _mm512_inserti32x4::<1>(all, q1);
        let all = _mm512_inserti32x4::<2>(all, q2);
        _mm512_inserti32x4::<3>(all, q3)
    }
}

/// A line of 64 bytes from `offset` of each of `data[0]`, `data[APART]`, `data[2 * APART]` and
/// `data[3 * APART]`: chunk `c` of 16 bytes of all four is row `c`.
///
/// Each line is touched once. Otherwise messages 4 KiB apart, whose lines compete for one set of
/// the first-level cache, would be loaded from the second level several times.
///
/// # Safety
/// The CPU has AVX-512. Those four pointers can be read, and are readable for 64 bytes from
/// `offset`.
#[inline(always)]
unsafe fn lines<const APART: usize>(data: *const *const u8, offset: usize) -> [__m512i; 4] {
    // SAFETY: the caller promises AVX-512, and four pointers at these places, each readable for 64
    // bytes from `offset`. `loadu` needs no alignment.
    unsafe {
        let l0 = _mm512_loadu_si512(data.read().add(offset).cast());
        let l1 = _mm512_loadu_si512(data.add(APART).read().add(offset).cast());
        let l2 = _mm512_loadu_si512(data.add(2 * APART).read().add(offset).cast());
        let l3 = _mm512_loadu_si512(data.add(3 * APART).read().add(offset).cast());
        transpose_quarters([l0, l1, l2, l3])
    }
}

/// Quarter `q` of vector `i` becomes quarter `i` of vector `q`.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn transpose_quarters([v0, v1, v2, v3]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller promises AVX-512; these shuffle registers only.
    unsafe {
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
}

/// Transposes 4 by 4 words of 32 bits in each quarter.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn transpose_words_32([r0, r1, r2, r3]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller promises AVX-512; these shuffle registers only.
    unsafe {
        let (low01, high01) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
        let (low23, high23) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
        [
            _mm512_unpacklo_epi64(low01, low23),
            _mm512_unpackhi_epi64(low01, low23),
            _mm512_unpacklo_epi64(high01, high23),
            _mm512_unpackhi_epi64(high01, high23),
        ]
    }
}

/// The bytes of each word of 32 bits, reversed.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn reverse_32(words: __m512i) -> __m512i {
    // SAFETY: the caller promises AVX-512; these shuffle registers only.
    unsafe {
        let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order))
    }
}

/// The bytes of each word of 64 bits, reversed.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn reverse_64(words: __m512i) -> __m512i {
    // SAFETY: the caller promises AVX-512; these shuffle registers only.
    unsafe {
        let order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order))
    }
}

/// Sixteen 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x16(pub(crate) __m512i);

impl U32x16 {
    /// 16 bytes from `offset` of `data[0]` and of `data[4]`, `data[8]`, `data[12]`, the bytes of
    /// each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`quarters`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m512i {
        // SAFETY: the contract is that of `quarters`, which the caller promises.
        unsafe {
            let row = quarters::<4>(data, offset);
            if BIG_ENDIAN { reverse_32(row) } else { row }
        }
    }
}

impl Vector for U32x16 {
    type Word = u32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that 16 words are readable and the CPU has AVX-512. `loadu`
        // needs no alignment.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller promises that 16 words are writable. `storeu` needs no alignment.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 16 pointers of
        // `data` is readable for 4 words, which is 16 bytes, from `offset`.
        unsafe {
            let [w0, w1, w2, w3] = transpose_words_32([
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
                Self::row::<BIG_ENDIAN>(data.add(2), offset),
                Self::row::<BIG_ENDIAN>(data.add(3), offset),
            ]);
            [Self(w0), Self(w1), Self(w2), Self(w3)]
        }
    }

    /// Row `c` of part `p` has chunk `c` of 16 bytes of lanes `p`, `p + 4`, `p + 8` and `p + 12`.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 16 pointers of
        // `data` is readable for a block, which is 64 bytes, from `offset`. `part` is below 4.
        unsafe {
            let mut rows = lines::<4>(data.add(part), offset);
            if BIG_ENDIAN {
                for row in &mut rows {
                    *row = reverse_32(*row);
                }
            }
            [Self(rows[0]), Self(rows[1]), Self(rows[2]), Self(rows[3])]
        }
    }

    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        4 * i + part
    }

    #[inline(always)]
    fn words_of_rows([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: a value of this type proves AVX-512.
        let [w0, w1, w2, w3] = unsafe { transpose_words_32([r0.0, r1.0, r2.0, r3.0]) };
        [Self(w0), Self(w1), Self(w2), Self(w3)]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        self.add(Self(unsafe { _mm512_set1_epi32(word as i32) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_rol_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_ror_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512. The count is a constant, so the shift
        // becomes an immediate one.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!(_mm512_ternarylogic_epi32, _mm512_and_si512, _mm512_andnot_si512, _mm512_xor_si512);
}

/// Eight 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x8(pub(crate) __m512i);

impl U64x8 {
    /// 16 bytes from `offset` of `data[0]` and of `data[2]`, `data[4]`, `data[6]`, the bytes of
    /// each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`quarters`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m512i {
        // SAFETY: the contract is that of `quarters`, which the caller promises.
        unsafe {
            let row = quarters::<2>(data, offset);
            if BIG_ENDIAN { reverse_64(row) } else { row }
        }
    }
}

impl Vector for U64x8 {
    type Word = u64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that 8 words are readable and the CPU has AVX-512. `loadu`
        // needs no alignment.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller promises that 8 words are writable. `storeu` needs no alignment.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 8 pointers of
        // `data` is readable for 4 words, which is 32 bytes, from `offset`.
        unsafe {
            let (r0, r1) = (
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
            );
            let (r2, r3) = (
                Self::row::<BIG_ENDIAN>(data, offset + 16),
                Self::row::<BIG_ENDIAN>(data.add(1), offset + 16),
            );
            [
                Self(_mm512_unpacklo_epi64(r0, r1)),
                Self(_mm512_unpackhi_epi64(r0, r1)),
                Self(_mm512_unpacklo_epi64(r2, r3)),
                Self(_mm512_unpackhi_epi64(r2, r3)),
            ]
        }
    }

    /// Part `p` has the line `p / 2` of lanes `p % 2`, `p % 2 + 2`, .., whose chunk `c` of 16 bytes
    /// is row `c`.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 8 pointers of
        // `data` is readable for a block, which is 128 bytes, from `offset`. `part` is below 4.
        unsafe {
            let mut rows = lines::<2>(data.add(part % 2), offset + part / 2 * 64);
            if BIG_ENDIAN {
                for row in &mut rows {
                    *row = reverse_64(*row);
                }
            }
            [Self(rows[0]), Self(rows[1]), Self(rows[2]), Self(rows[3])]
        }
    }

    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        part / 2 * 8 + 2 * i + part % 2
    }

    #[inline(always)]
    fn words_of_rows([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: a value of this type proves AVX-512.
        unsafe {
            [
                Self(_mm512_unpacklo_epi64(r0.0, r1.0)),
                Self(_mm512_unpackhi_epi64(r0.0, r1.0)),
                Self(_mm512_unpacklo_epi64(r2.0, r3.0)),
                Self(_mm512_unpackhi_epi64(r2.0, r3.0)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        self.add(Self(unsafe { _mm512_set1_epi64(word as i64) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_rol_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm512_ror_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512. The count is a constant, so the shift
        // becomes an immediate one.
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!(_mm512_ternarylogic_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_xor_si512);
}
