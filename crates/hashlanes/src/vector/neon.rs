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

use super::{BLOCK_WORDS, Vector, register::vector};

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

/// 16 bytes from `offset` of `data[0]`.
///
/// # Safety
/// The CPU has NEON. `data[0]` can be read, and is readable for 16 bytes from `offset`.
#[inline(always)]
unsafe fn row(data: *const *const u8, offset: usize) -> uint8x16_t {
    // SAFETY: the caller promises NEON, and 16 readable bytes from `offset` of `data[0]`.
    unsafe { vld1q_u8(data.read().add(offset)) }
}

/// Transposes 4 by 4 words of 32 bits.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn transpose_32([r0, r1, r2, r3]: [uint8x16_t; 4]) -> [uint32x4_t; 4] {
    // Pairs of words 0 and 2, and of words 1 and 3.
    macro_rules! pairs {
        ($a:ident, $b:ident) => {{
            let (a, b) = (vreinterpretq_u32_u8($a), vreinterpretq_u32_u8($b));
            (vreinterpretq_u64_u32(vtrn1q_u32(a, b)), vreinterpretq_u64_u32(vtrn2q_u32(a, b)))
        }};
    }
    // SAFETY: the caller promises NEON; these shuffle registers only.
    unsafe {
        let ((even01, odd01), (even23, odd23)) = (pairs!(r0, r1), pairs!(r2, r3));
        [
            vreinterpretq_u32_u64(vtrn1q_u64(even01, even23)),
            vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23)),
            vreinterpretq_u32_u64(vtrn2q_u64(even01, even23)),
            vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23)),
        ]
    }
}

/// Transposes 2 by 2 words of 64 bits of the first two rows and of the last two.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn transpose_64(rows: [uint8x16_t; 4]) -> [uint64x2_t; 4] {
    // SAFETY: the caller promises NEON; these shuffle registers only.
    unsafe {
        let [r0, r1, r2, r3] = rows.map(|row| vreinterpretq_u64_u8(row));
        [vtrn1q_u64(r0, r1), vtrn2q_u64(r0, r1), vtrn1q_u64(r2, r3), vtrn2q_u64(r2, r3)]
    }
}

/// The instruction inverts its second operand.
macro_rules! and_not {
    ($name:ident, $register:ty, $instruction:ident) => {
        #[inline]
        #[target_feature(enable = "neon")]
        fn $name(a: $register, b: $register) -> $register {
            $instruction(b, a)
        }
    };
}

and_not!(and_not_32, uint32x4_t, vbicq_u32);
and_not!(and_not_64, uint64x2_t, vbicq_u64);

impl U32x4 {
    vector!(row uint8x16_t: row, |row| vrev32q_u8(row));
}

impl Vector for U32x4 {
    vector!([U32x4 "neon"] words 4 of u32 as u32: vld1q_u32, vst1q_u32, vdupq_n_u32, vaddq_u32);
    vector!([U32x4 "neon"] logic: vandq_u32, and_not_32, vorrq_u32, veorq_u32);
    vector!([U32x4 "neon"] select: vbslq_u32);
    vector!(load_words of 32: transpose_32);

    #[inline(always)]
    fn rotate_left<const N: i32>(&self) -> Self {
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
    fn rotate_right<const N: i32>(&self) -> Self {
        if N == 16 {
            return self.rotate_left::<16>();
        }
        // SAFETY: a value of this type proves NEON. The counts are from 1 to 31, as the trait says.
        Self(unsafe { rotate!(vshrq_n_u32, "sli", N, self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(&self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u32::<N>(self.0) })
    }

    #[inline(always)]
    fn majority_chained(&self, b: &Self, c: &Self, b_xor_c: &mut Self) -> Self {
        *b_xor_c = self.xor(b);
        b_xor_c.choose(c, b)
    }

    #[inline(always)]
    fn add_choice(&self, mask: &Self, b: &Self, c: &Self) -> Self {
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
        self.add(&Self(chosen))
    }

    #[inline(always)]
    fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
        // c ^ (b | !d) is !c where b has ones, and c ^ !d = !c ^ d elsewhere. So `b`, the result of
        // the step before, is in one instruction only.
        // SAFETY: a value of this type proves NEON.
        let not_c = Self(unsafe { veorq_u32(c.0, vdupq_n_u32(u32::MAX)) });
        self.add_choice(b, &not_c, &not_c.xor(d))
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
    vector!(row uint8x16_t: row, |row| vrev64q_u8(row));
}

impl Vector for U64x2 {
    vector!([U64x2 "neon"] words 2 of u64 as u64: vld1q_u64, vst1q_u64, vdupq_n_u64, vaddq_u64);
    vector!([U64x2 "neon"] logic: vandq_u64, and_not_64, vorrq_u64, veorq_u64);
    vector!([U64x2 "neon"] select: vbslq_u64);
    vector!(load_words of 64: transpose_64);

    #[inline(always)]
    fn rotate_left<const N: i32>(&self) -> Self {
        self.xor_rotate_left::<N>(&self.xor(self))
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(&self) -> Self {
        // SAFETY: a value of this type proves NEON. The counts are from 1 to 63, as the trait says.
        Self(unsafe { vsriq_n_u64::<N>(vshlq_u64(self.0, vdupq_n_s64(i64::from(64 - N))), self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(&self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u64::<N>(self.0) })
    }

    #[inline(always)]
    fn xor3(&self, b: &Self, c: &Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions.
        Self(unsafe {
            sha3!(
                "eor3 {result:v}.16b, {a:v}.16b, {b:v}.16b, {c:v}.16b",
                self.0, b.0, c = in(vreg) c.0
            )
        })
    }

    #[inline(always)]
    fn xor_rotated_by_one(&self, other: &Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions.
        Self(unsafe { sha3!("rax1 {result:v}.2d, {a:v}.2d, {b:v}.2d", self.0, other.0) })
    }

    #[inline(always)]
    fn xor_rotate_left<const N: i32>(&self, other: &Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions. XAR rotates right.
        Self(unsafe {
            sha3!("xar {result:v}.2d, {a:v}.2d, {b:v}.2d, {n}", self.0, other.0, n = const 64 - N)
        })
    }

    #[inline(always)]
    fn chi(&self, b: &Self, c: &Self) -> Self {
        // SAFETY: a value of this type proves the SHA-3 instructions. The instruction inverts its
        // third operand.
        Self(unsafe {
            sha3!(
                "bcax {result:v}.16b, {a:v}.16b, {b:v}.16b, {c:v}.16b",
                self.0, c.0, c = in(vreg) b.0
            )
        })
    }
}
