//! NEON (Advanced SIMD of 64-bit Arm): 4 lanes of `u32` in 128-bit registers, and 2 of `u64` for
//! Keccak.
//!
//! SHA-512 has none of `u64`. A core has as many integer units as NEON units or more, and integer
//! instructions rotate: two lanes of SHA-512 are not faster than one message in the integer
//! registers (`docs/design/kernels.md` has the figures). Keccak has instructions of its own.
//!
//! On Arm's cores nearly every instruction here takes 2 cycles, and so does what replaces it in
//! vain. The chain of dependent instructions decides: it has as few as can be.

use core::arch::{aarch64::*, asm};

use super::{BLOCK_WORDS, Vector};

/// Four 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U32x4(uint32x4_t);

/// A rotation: the shift `$shift` by `$N`, and SRI or SLI (`$insert`), which shift the other way
/// and insert what the first one left out. Each takes 2 cycles.
///
/// SRI is assembly because its intrinsic is plain shifts and logic to the compiler, which makes of
/// every rotation a shift and USRA. USRA takes 4 cycles.
macro_rules! rotate {
    ($shift:ident, $insert:literal, $N:ident, $x:expr) => {{
        let mut rotated = $shift::<$N>($x);
        asm!(
            concat!($insert, " {rotated:v}.4s, {x:v}.4s, {rest}"),
            rotated = inout(vreg) rotated,
            x = in(vreg) $x,
            rest = const 32 - $N,
            options(pure, nomem, nostack, preserves_flags),
        );
        rotated
    }};
}

impl U32x4 {
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: a value of this type proves NEON (see the folder's documentation).
        Self(unsafe { veorq_u32(self.0, vdupq_n_u32(u32::MAX)) })
    }
}

impl Vector for U32x4 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that the words are readable and the CPU has NEON. The load
        // needs no alignment.
        Self(unsafe { vld1q_u32(source) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller promises that the words are writable. The store needs no alignment.
        unsafe { vst1q_u32(target, self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: `transposed` asks for what the caller promises: NEON, and readable words in all
        // lanes.
        unsafe { Self::transposed::<BIG_ENDIAN>(data, offset) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        // SAFETY: a value of this type proves NEON.
        self.add(Self(unsafe { vdupq_n_u32(word) }))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vandq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON. The instruction inverts its second operand.
        Self(unsafe { vbicq_u32(other.0, self.0) })
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON. The counts are from 1 to 31, as the trait says.
        Self(unsafe {
            if N == 16 {
                vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0)))
            } else {
                rotate!(vshlq_n_u32, "sri", N, self.0)
            }
        })
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        if N == 16 {
            return self.rotate_left::<16>();
        }
        // SAFETY: a value of this type proves NEON. The counts are from 1 to 31, as the trait says.
        Self(unsafe { rotate!(vshrq_n_u32, "sli", N, self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u32::<N>(self.0) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vbslq_u32(self.0, b.0, c.0) })
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
        // BIT overwrites `c`, which is known early. The compiler may choose BSL, which overwrites
        // `mask`. That is the result of the step before, and a copy of it would delay the next.
        let mut chosen = c.0;
        // SAFETY: a value of this type proves NEON. The instruction changes no other register.
        unsafe {
            asm!(
                "bit {chosen:v}.16b, {b:v}.16b, {mask:v}.16b",
                chosen = inout(vreg) chosen,
                b = in(vreg) b.0,
                mask = in(vreg) mask.0,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        self.add(Self(chosen))
    }

    #[inline(always)]
    fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
        // c ^ (b | !d) is !c where b has ones, and c ^ !d = !c ^ d elsewhere. So `b`, the result of
        // the step before, is in one instruction only.
        let not_c = c.not();
        self.add_choice(b, not_c, not_c.xor(d))
    }
}

impl U32x4 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// The CPU has NEON. `data[0]` can be read, and is readable for 16 bytes from `offset`.
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> uint32x4_t {
        // SAFETY: the caller promises NEON, and 16 readable bytes from `offset` of `data[0]`.
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
        // SAFETY: the caller promises that the CPU has NEON and that each of the 4 pointers of
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
}

/// One of the SHA-3 instructions, of three or four registers. Assembly, because the compiler warns
/// that it may not inline their intrinsics here, and XAR's takes no sum as a constant.
macro_rules! sha3 {
    ($text:literal, $a:expr, $b:expr $(, $name:ident = $kind:ident $($more:tt)*)?) => {{
        let result;
        asm!(
            $text,
            result = out(vreg) result,
            a = in(vreg) $a,
            b = in(vreg) $b,
            $($name = $kind $($more)*,)?
            options(pure, nomem, nostack, preserves_flags),
        );
        result
    }};
}

/// Two 64-bit words, on a CPU that also has the SHA-3 instructions.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(uint64x2_t);

impl U64x2 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// The CPU has NEON. `data[0]` can be read, and is readable for 16 bytes from `offset`.
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> uint64x2_t {
        // SAFETY: the caller promises NEON, and 16 readable bytes from `offset` of `data[0]`.
        unsafe {
            let row = vld1q_u8(data.read().add(offset));
            vreinterpretq_u64_u8(if BIG_ENDIAN { vrev64q_u8(row) } else { row })
        }
    }
}

impl Vector for U64x2 {
    type Word = u64;
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that the words are readable and the CPU has the instructions.
        // The load needs no alignment.
        Self(unsafe { vld1q_u64(source) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller promises that the words are writable. The store needs no alignment.
        unsafe { vst1q_u64(target, self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that the CPU has NEON and that each of the 2 pointers of
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
                Self(vtrn1q_u64(r0, r1)),
                Self(vtrn2q_u64(r0, r1)),
                Self(vtrn1q_u64(r2, r3)),
                Self(vtrn2q_u64(r2, r3)),
            ]
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        // SAFETY: a value of this type proves NEON.
        self.add(Self(unsafe { vdupq_n_u64(word) }))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { veorq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON. The instruction inverts its second operand.
        Self(unsafe { vbicq_u64(other.0, self.0) })
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        self.xor_rotate_left::<N>(self.xor(self))
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON. The counts are from 1 to 63, as the trait says.
        Self(unsafe { vsriq_n_u64::<N>(vshlq_u64(self.0, vdupq_n_s64(i64::from(64 - N))), self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u64::<N>(self.0) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions.
        Self(unsafe {
            sha3!(
                "eor3 {result:v}.16b, {a:v}.16b, {b:v}.16b, {c:v}.16b",
                self.0, b.0, c = in(vreg) c.0
            )
        })
    }

    #[inline(always)]
    fn xor_rotated_by_one(self, other: Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions.
        Self(unsafe { sha3!("rax1 {result:v}.2d, {a:v}.2d, {b:v}.2d", self.0, other.0) })
    }

    #[inline(always)]
    fn xor_rotate_left<const N: i32>(self, other: Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions. XAR rotates right.
        Self(unsafe {
            sha3!("xar {result:v}.2d, {a:v}.2d, {b:v}.2d, {n}", self.0, other.0, n = const 64 - N)
        })
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions. The instruction inverts its
        // third operand.
        Self(unsafe {
            sha3!(
                "bcax {result:v}.16b, {a:v}.16b, {b:v}.16b, {c:v}.16b",
                self.0, c.0, c = in(vreg) b.0
            )
        })
    }

    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vbslq_u64(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // Where the first two differ, the third decides. Elsewhere it is any of the two.
        self.xor(b).choose(c, b)
    }

    #[inline(always)]
    fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
        let not = d.xor(d).add_word(u64::MAX).xor(d);
        // SAFETY: a value of this type proves NEON.
        self.add(c.xor(Self(unsafe { vorrq_u64(b.0, not.0) })))
    }
}
