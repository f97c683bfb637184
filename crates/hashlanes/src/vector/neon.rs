//! NEON (Advanced SIMD of 64-bit Arm): 4 lanes of `u32`, 2 of `u64`, in 128-bit registers.
//!
//! One instruction chooses bits (BSL), and two rotate: a shift, and a shift with an addition (USRA).
//! All else is plain logic to the compiler. So in a kernel that is compiled for the SHA-3 extension
//! it uses what that has: EOR3 is an exclusive or of three operands, BCAX is `a ^ (b & !c)`, and XAR
//! rotates words of 64 bits.

use core::arch::aarch64::*;

use super::{BLOCK_WORDS, Vector};

/// Four 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x4(uint32x4_t);

/// Two 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(uint64x2_t);

/// A rotation by `$N`, one of the counts: one shift by it, and one by the rest the other way. An
/// intrinsic's count must be a constant expression, which `32 - N` of a parameter is not.
macro_rules! rotate {
    ($one:ident $other:ident $or:ident, $bits:literal, $N:ident, $x:expr; $($n:literal)*) => {
        match $N {
            $($n => $or($one::<$n>($x), $other::<{ $bits - $n }>($x)),)*
            _ => unreachable!(),
        }
    };
}

/// The methods that are alike for both widths of words.
macro_rules! vector {
    (
        $vector:ident, $word:ident, $lanes:literal, load $load:ident, store $store:ident,
        splat $splat:ident, add $add:ident, sub $sub:ident, xor $xor:ident,
        and $and:ident, and_not $and_not:ident, select $select:ident
    ) => {
        impl $vector {
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: a value of this type proves NEON (see the folder's documentation).
                Self(unsafe { $sub(self.0, other.0) })
            }
        }

        impl Vector for $vector {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(source: *const $word) -> Self {
                // SAFETY: the caller says that the words are readable and the CPU has NEON. The
                // load needs no alignment.
                Self(unsafe { $load(source) })
            }

            #[inline(always)]
            unsafe fn store(self, target: *mut $word) {
                // SAFETY: the caller says that the words are writable. The store needs no
                // alignment.
                unsafe { $store(target, self.0) }
            }

            #[inline(always)]
            unsafe fn load_words<const BIG_ENDIAN: bool>(
                data: *const *const u8,
                offset: usize,
            ) -> [Self; BLOCK_WORDS / 4] {
                // SAFETY: the caller's promise.
                unsafe { Self::transposed::<BIG_ENDIAN>(data, offset) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: a value of this type proves NEON.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn add_word(self, word: $word) -> Self {
                // SAFETY: a value of this type proves NEON.
                self.add(Self(unsafe { $splat(word) }))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves NEON.
                Self(unsafe { $xor(self.0, other.0) })
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: a value of this type proves NEON.
                Self(unsafe { $and(self.0, other.0) })
            }

            #[inline(always)]
            fn and_not(self, other: Self) -> Self {
                // SAFETY: a value of this type proves NEON. The instruction inverts its second
                // operand.
                Self(unsafe { $and_not(other.0, self.0) })
            }

            #[inline(always)]
            fn rotate_left<const N: i32>(self) -> Self {
                self.rotated_left::<N>()
            }

            #[inline(always)]
            fn rotate_right<const N: i32>(self) -> Self {
                self.rotated_right::<N>()
            }

            #[inline(always)]
            fn shift_right<const N: i32>(self) -> Self {
                self.shifted_right::<N>()
            }

            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                self.xor(b).xor(c)
            }

            #[inline(always)]
            fn choose(self, b: Self, c: Self) -> Self {
                // SAFETY: a value of this type proves NEON.
                Self(unsafe { $select(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                // Where the first two differ, the third decides. Elsewhere it is any of the two.
                self.xor(b).choose(c, b)
            }

            #[inline(always)]
            fn majority_chained(self, b: Self, c: Self, _b_xor_c: Self) -> (Self, Self) {
                let self_xor_b = self.xor(b);
                (self_xor_b.choose(c, b), self_xor_b)
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, b: Self, c: Self) -> Self {
                self.add(mask.choose(b, c))
            }

            #[inline(always)]
            fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
                // b | !d = !(d & !b), and c ^ !x = !(c ^ x) = -1 - (c ^ x): one subtraction in
                // place of a negation and an addition. The -1 disappears in the step's constant.
                self.sub(b.and_not(d).xor(c)).add_word(!0)
            }
        }
    };
}

vector!(
    U32x4, u32, 4, load vld1q_u32, store vst1q_u32, splat vdupq_n_u32, add vaddq_u32,
    sub vsubq_u32, xor veorq_u32, and vandq_u32, and_not vbicq_u32, select vbslq_u32
);

impl U32x4 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// The CPU has NEON. `data[0]` can be read, and is readable for 16 bytes from `offset`.
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> uint32x4_t {
        // SAFETY: the caller's promise.
        unsafe {
            let row = vld1q_u8(data.read().add(offset));
            vreinterpretq_u32_u8(if BIG_ENDIAN { vrev32q_u8(row) } else { row })
        }
    }

    /// [`Vector::load_words`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn transposed<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller says that the CPU has NEON and that each of the 4 pointers of `data`
        // is readable for 4 words, which is 16 bytes, from `offset`.
        unsafe {
            let (r0, r1) = (
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
            );
            let (r2, r3) = (
                Self::row::<BIG_ENDIAN>(data.add(2), offset),
                Self::row::<BIG_ENDIAN>(data.add(3), offset),
            );
            // Pairs of words 0 and 2, and of words 1 and 3.
            let pairs = |a, b| {
                (vreinterpretq_u64_u32(vtrn1q_u32(a, b)), vreinterpretq_u64_u32(vtrn2q_u32(a, b)))
            };
            let ((even01, odd01), (even23, odd23)) = (pairs(r0, r1), pairs(r2, r3));
            [
                Self(vreinterpretq_u32_u64(vtrn1q_u64(even01, even23))),
                Self(vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(even01, even23))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23))),
            ]
        }
    }

    #[inline(always)]
    fn rotated_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            if N == 16 {
                return Self(vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))));
            }
            rotate!(vshlq_n_u32 vshrq_n_u32 vorrq_u32, 32, N, self.0;
                1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
        })
    }

    #[inline(always)]
    fn rotated_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            if N == 16 {
                return self.rotated_left::<16>();
            }
            rotate!(vshrq_n_u32 vshlq_n_u32 vorrq_u32, 32, N, self.0;
                1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
        })
    }

    #[inline(always)]
    fn shifted_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u32::<N>(self.0) })
    }
}

vector!(
    U64x2, u64, 2, load vld1q_u64, store vst1q_u64, splat vdupq_n_u64, add vaddq_u64,
    sub vsubq_u64, xor veorq_u64, and vandq_u64, and_not vbicq_u64, select vbslq_u64
);

impl U64x2 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// The CPU has NEON. `data[0]` can be read, and is readable for 16 bytes from `offset`.
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> uint64x2_t {
        // SAFETY: the caller's promise.
        unsafe {
            let row = vld1q_u8(data.read().add(offset));
            vreinterpretq_u64_u8(if BIG_ENDIAN { vrev64q_u8(row) } else { row })
        }
    }

    /// [`Vector::load_words`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn transposed<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller says that the CPU has NEON and that each of the 2 pointers of `data`
        // is readable for 4 words, which is 32 bytes, from `offset`.
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
                Self(vtrn1q_u64(r0, r1)),
                Self(vtrn2q_u64(r0, r1)),
                Self(vtrn1q_u64(r2, r3)),
                Self(vtrn2q_u64(r2, r3)),
            ]
        }
    }

    #[inline(always)]
    fn rotated_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            rotate!(vshlq_n_u64 vshrq_n_u64 vorrq_u64, 64, N, self.0;
                1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
                33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
                61 62 63)
        })
    }

    #[inline(always)]
    fn rotated_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            rotate!(vshrq_n_u64 vshlq_n_u64 vorrq_u64, 64, N, self.0;
                1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
                33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
                61 62 63)
        })
    }

    #[inline(always)]
    fn shifted_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u64::<N>(self.0) })
    }
}
