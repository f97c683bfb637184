//! SSE4.1 (with SSSE3's byte shuffle): 4 lanes of `u32`, 2 of `u64`, in 128-bit registers.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, Vector, rotated_bytes};

/// Bitwise logic, which is the same for both widths of words. Functions of three bits take several
/// instructions, where AVX-512 has one.
macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: a value of this type proves SSE4.1 (see the folder's documentation).
            Self(unsafe { _mm_xor_si128(self.0, other.0) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            self.xor(b).xor(c)
        }

        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves SSE4.1.
            Self(unsafe { _mm_or_si128(_mm_and_si128(self.0, b.0), _mm_andnot_si128(self.0, c.0)) })
        }

        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves SSE4.1.
            Self(unsafe {
                _mm_or_si128(
                    _mm_and_si128(self.0, b.0),
                    _mm_and_si128(c.0, _mm_or_si128(self.0, b.0)),
                )
            })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: a value of this type proves SSE4.1.
            Self(unsafe { _mm_and_si128(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: a value of this type proves SSE4.1.
            Self(unsafe { _mm_andnot_si128(self.0, other.0) })
        }

        #[inline(always)]
        fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
            // b | !d = !(!b & d), and c ^ !x = !(c ^ x) = -1 - (c ^ x): one subtraction in place of
            // a negation and an addition. The -1 disappears in the constant of the step.
            self.sub(b.and_not(d).xor(c)).add_word(!0)
        }
    };
}

/// 16 bytes from `offset` of `data[0]`.
///
/// # Safety
/// The CPU has SSE4.1. `data[0]` can be read, and is readable for 16 bytes from `offset`.
#[inline(always)]
pub(crate) unsafe fn row(data: *const *const u8, offset: usize) -> __m128i {
    // SAFETY: the caller promises SSE4.1, and 16 readable bytes from `offset` of `data[0]`. `loadu`
    // needs no alignment.
    unsafe { _mm_loadu_si128(data.read().add(offset).cast()) }
}

/// The bytes of each register of 128 bits in another order.
///
/// # Safety
/// The CPU has SSE4.1.
#[inline(always)]
unsafe fn shuffle_bytes(words: __m128i, [low, high]: [i64; 2]) -> __m128i {
    // SAFETY: the caller promises SSE4.1.
    unsafe { _mm_shuffle_epi8(words, _mm_set_epi64x(high, low)) }
}

/// Four 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x4(pub(crate) __m128i);

impl U32x4 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`row`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m128i {
        // SAFETY: the promise of this method's caller is the one that the function `row` asks for.
        unsafe {
            let row = row(data, offset);
            if BIG_ENDIAN {
                _mm_shuffle_epi8(
                    row,
                    _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3),
                )
            } else {
                row
            }
        }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_sub_epi32(self.0, other.0) })
    }
}

impl Vector for U32x4 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that 4 words are readable and the CPU has SSE4.1. `loadu`
        // needs no alignment.
        Self(unsafe { _mm_loadu_si128(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller promises that 4 words are writable. `storeu` needs no alignment.
        unsafe { _mm_storeu_si128(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has SSE4.1 and that each of the 4 pointers of
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
            let (low01, high01) = (_mm_unpacklo_epi32(r0, r1), _mm_unpackhi_epi32(r0, r1));
            let (low23, high23) = (_mm_unpacklo_epi32(r2, r3), _mm_unpackhi_epi32(r2, r3));
            [
                Self(_mm_unpacklo_epi64(low01, low23)),
                Self(_mm_unpackhi_epi64(low01, low23)),
                Self(_mm_unpacklo_epi64(high01, high23)),
                Self(_mm_unpackhi_epi64(high01, high23)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        self.add(Self(unsafe { _mm_set1_epi32(word as i32) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves SSE4.1. The counts are constants, so the shifts
        // become immediate ones.
        Self(unsafe {
            if N % 8 == 0 {
                return Self(shuffle_bytes(self.0, const { rotated_bytes(4, 32 - N) }));
            }
            _mm_or_si128(
                _mm_sll_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm_srl_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
            )
        })
    }

    #[inline(always)]
    fn rotate_left_add<const N: i32>(self, other: Self) -> Self {
        if N % 8 == 0 {
            return self.rotate_left::<N>().add(other);
        }
        // SAFETY: as in `rotate_left`.
        let (left, right) = unsafe {
            (
                _mm_sll_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm_srl_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
            )
        };
        Self(left).add(other).add(Self(right))
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: as in `rotate_left`.
        Self(unsafe {
            if N % 8 == 0 {
                return Self(shuffle_bytes(self.0, const { rotated_bytes(4, N) }));
            }
            _mm_or_si128(
                _mm_srl_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm_sll_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
            )
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!();
}

/// Two 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(__m128i);

impl U64x2 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`row`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> __m128i {
        // SAFETY: the promise of this method's caller is the one that the function `row` asks for.
        unsafe {
            let row = row(data, offset);
            if BIG_ENDIAN {
                _mm_shuffle_epi8(
                    row,
                    _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
                )
            } else {
                row
            }
        }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_sub_epi64(self.0, other.0) })
    }
}

impl Vector for U64x2 {
    type Word = u64;
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that 2 words are readable and the CPU has SSE4.1. `loadu`
        // needs no alignment.
        Self(unsafe { _mm_loadu_si128(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller promises that 2 words are writable. `storeu` needs no alignment.
        unsafe { _mm_storeu_si128(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has SSE4.1 and that each of the 2 pointers of
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
                Self(_mm_unpacklo_epi64(r0, r1)),
                Self(_mm_unpackhi_epi64(r0, r1)),
                Self(_mm_unpacklo_epi64(r2, r3)),
                Self(_mm_unpackhi_epi64(r2, r3)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        self.add(Self(unsafe { _mm_set1_epi64x(word as i64) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves SSE4.1. The counts are constants, so the shifts
        // become immediate ones.
        Self(unsafe {
            _mm_or_si128(
                _mm_sll_epi64(self.0, _mm_cvtsi32_si128(N)),
                _mm_srl_epi64(self.0, _mm_cvtsi32_si128(64 - N)),
            )
        })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: as in `rotate_left`.
        Self(unsafe {
            if N % 8 == 0 {
                return Self(shuffle_bytes(self.0, const { rotated_bytes(8, N) }));
            }
            _mm_or_si128(
                _mm_srl_epi64(self.0, _mm_cvtsi32_si128(N)),
                _mm_sll_epi64(self.0, _mm_cvtsi32_si128(64 - N)),
            )
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves SSE4.1.
        Self(unsafe { _mm_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!();
}
