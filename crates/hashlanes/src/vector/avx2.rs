//! AVX2: 8 lanes of `u32`, 4 of `u64`, in 256-bit registers.

use core::arch::x86_64::*;

use super::{BLOCK_WORDS, Vector, rotated_bytes};

/// Bitwise logic, which is the same for both widths of words. Functions of three bits take several
/// instructions, where AVX-512 has one.
macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX2 (see the folder's documentation).
            Self(unsafe { _mm256_xor_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            self.xor(b).xor(c)
        }

        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX2.
            Self(unsafe {
                _mm256_or_si256(_mm256_and_si256(self.0, b.0), _mm256_andnot_si256(self.0, c.0))
            })
        }

        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // SAFETY: a value of this type proves AVX2.
            Self(unsafe {
                _mm256_or_si256(
                    _mm256_and_si256(self.0, b.0),
                    _mm256_and_si256(c.0, _mm256_or_si256(self.0, b.0)),
                )
            })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX2.
            Self(unsafe { _mm256_and_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: a value of this type proves AVX2.
            Self(unsafe { _mm256_andnot_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
            // b | !d = !(!b & d), and c ^ !x = !(c ^ x) = -1 - (c ^ x): one subtraction in place of
            // a negation and an addition. The -1 disappears in the constant of the step.
            self.sub(b.and_not(d).xor(c)).add_word(!0)
        }
    };
}

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
    // SAFETY: the caller promises AVX2, and two pointers at these places, each readable for 16
    // bytes from `offset`. `loadu` needs no alignment.
    unsafe {
        let low = _mm_loadu_si128(data.read().add(offset).cast());
        let high = _mm_loadu_si128(data.add(APART).read().add(offset).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// The bytes of each register of 128 bits in another order.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn shuffle_bytes(words: __m256i, [low, high]: [i64; 2]) -> __m256i {
    // SAFETY: the caller promises AVX2.
    unsafe { _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low))) }
}

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

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }
}

impl Vector for U32x8 {
    type Word = u32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that 8 words are readable and the CPU has AVX2. `loadu` needs
        // no alignment.
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
        // SAFETY: the caller promises that the CPU has AVX2 and that each of the 8 pointers of
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
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        // SAFETY: a value of this type proves AVX2.
        self.add(Self(unsafe { _mm256_set1_epi32(word as i32) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX2. The counts are constants, so the shifts become
        // immediate ones.
        Self(unsafe {
            if N % 8 == 0 {
                return Self(shuffle_bytes(self.0, const { rotated_bytes(4, 32 - N) }));
            }
            _mm256_or_si256(
                _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
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
                _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
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
            _mm256_or_si256(
                _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(N)),
                _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(32 - N)),
            )
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!();
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

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }
}

impl Vector for U64x4 {
    type Word = u64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that 4 words are readable and the CPU has AVX2. `loadu` needs
        // no alignment.
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
        // SAFETY: the caller promises that the CPU has AVX2 and that each of the 4 pointers of
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
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        // SAFETY: a value of this type proves AVX2.
        self.add(Self(unsafe { _mm256_set1_epi64x(word as i64) }))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX2. The counts are constants, so the shifts become
        // immediate ones.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(N)),
                _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(64 - N)),
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
            _mm256_or_si256(
                _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(N)),
                _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(64 - N)),
            )
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    bitwise!();
}
