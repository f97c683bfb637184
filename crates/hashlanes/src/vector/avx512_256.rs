//! AVX-512's instructions (VL) in 256-bit registers: 8 lanes of `u32`, 4 of `u64`.
//!
//! For messages that do not fill 512-bit registers. Intel's cores have three ports for 256 bits and
//! two for 512, so half as many lanes take two thirds to three quarters of the time. Compared with
//! AVX2, logic of three operands and rotation are one instruction each.

use core::arch::x86_64::*;

use super::avx2::pair;
use super::avx512::{CHI, CHOOSE, MAJORITY, XOR_OR_NOT, XOR3, bitwise};
use super::{BLOCK_WORDS, Vector};

/// Eight 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x8(pub(crate) __m256i);

impl U32x8 {
    /// 16 bytes from `offset` of `data[0]` and of `data[4]`, the bytes of each word reversed if
    /// `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`pair`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m256i {
        // SAFETY: the contract is that of `pair`, which the caller promises.
        unsafe {
            let row = pair::<4>(data, offset);
            if BIG_ENDIAN {
                _mm256_shuffle_epi8(
                    row,
                    _mm256_broadcastsi128_si256(_mm_set_epi8(
                        12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                    )),
                )
            } else {
                row
            }
        }
    }
}

impl Vector for U32x8 {
    type Word = u32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that 8 words are readable and the CPU has AVX-512. `loadu`
        // needs no alignment.
        Self(unsafe { _mm256_loadu_si256(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller promises that 8 words are writable. `storeu` needs no alignment.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 8 pointers of
        // `data` is readable for 4 words, which is 16 bytes, from `offset`.
        unsafe {
            let (r0, r1) = (
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
            );
            let (r2, r3) = (
                Self::row::<BIG_ENDIAN>(data.add(2), offset),
                Self::row::<BIG_ENDIAN>(data.add(3), offset),
            );
            let (low01, high01) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
            let (low23, high23) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
            [
                Self(_mm256_unpacklo_epi64(low01, low23)),
                Self(_mm256_unpackhi_epi64(low01, low23)),
                Self(_mm256_unpacklo_epi64(high01, high23)),
                Self(_mm256_unpackhi_epi64(high01, high23)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        self.add(Self(unsafe { _mm256_set1_epi32(word as i32) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_rol_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_ror_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512. The count is a constant, so the shift
        // becomes an immediate one.
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!(_mm256_ternarylogic_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_xor_si256);
}

/// Four 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x4(__m256i);

impl U64x4 {
    /// 16 bytes from `offset` of `data[0]` and of `data[2]`, the bytes of each word reversed if
    /// `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`pair`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m256i {
        // SAFETY: the contract is that of `pair`, which the caller promises.
        unsafe {
            let row = pair::<2>(data, offset);
            if BIG_ENDIAN {
                _mm256_shuffle_epi8(
                    row,
                    _mm256_broadcastsi128_si256(_mm_set_epi8(
                        8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
                    )),
                )
            } else {
                row
            }
        }
    }
}

impl Vector for U64x4 {
    type Word = u64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that 4 words are readable and the CPU has AVX-512. `loadu`
        // needs no alignment.
        Self(unsafe { _mm256_loadu_si256(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller promises that 4 words are writable. `storeu` needs no alignment.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has AVX-512 and that each of the 4 pointers of
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
                Self(_mm256_unpacklo_epi64(r0, r1)),
                Self(_mm256_unpackhi_epi64(r0, r1)),
                Self(_mm256_unpacklo_epi64(r2, r3)),
                Self(_mm256_unpackhi_epi64(r2, r3)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        self.add(Self(unsafe { _mm256_set1_epi64x(word as i64) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_rol_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512.
        Self(unsafe { _mm256_ror_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX-512. The count is a constant, so the shift
        // becomes an immediate one.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!(_mm256_ternarylogic_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_xor_si256);
}
