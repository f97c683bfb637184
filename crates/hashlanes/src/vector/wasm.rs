//! WebAssembly's SIMD128: 4 lanes of `u32`, 2 of `u64`, in 128-bit vectors.
//!
//! The engine compiles these instructions for the CPU that it runs on, so they should be few on
//! x86-64 and on Arm alike. Bit selection is one instruction on Arm. On x86-64 it is three, as many
//! as the logic that it replaces. There is no rotation, but a rotation by whole bytes is a shuffle,
//! of which engines make one instruction.
//!
//! A module with these instructions does not load in an engine that lacks them. So there is nothing
//! to detect at run time, and the intrinsics are safe to call. Only loads and stores are not.

#![allow(unused_unsafe, reason = "macros that other instruction sets share are not safe there")]

use core::arch::wasm32::*;
use core::mem::MaybeUninit;

use super::{BLOCK_WORDS, Vector, register::vector};

/// The instruction inverts its second operand.
#[inline(always)]
fn and_not(a: v128, b: v128) -> v128 {
    v128_andnot(b, a)
}

/// Words by a mask.
#[inline(always)]
fn select(mask: v128, b: v128, c: v128) -> v128 {
    v128_bitselect(b, c, mask)
}

/// Transposes 4 by 4 words of 32 bits.
#[inline(always)]
fn transpose_32([r0, r1, r2, r3]: [v128; 4]) -> [v128; 4] {
    let low = |a, b| u32x4_shuffle::<0, 4, 1, 5>(a, b);
    let high = |a, b| u32x4_shuffle::<2, 6, 3, 7>(a, b);
    let (low01, high01, low23, high23) = (low(r0, r1), high(r0, r1), low(r2, r3), high(r2, r3));
    [
        u64x2_shuffle::<0, 2>(low01, low23),
        u64x2_shuffle::<1, 3>(low01, low23),
        u64x2_shuffle::<0, 2>(high01, high23),
        u64x2_shuffle::<1, 3>(high01, high23),
    ]
}

/// Transposes 2 by 2 words of 64 bits of the first two rows and of the last two.
#[inline(always)]
fn transpose_64([r0, r1, r2, r3]: [v128; 4]) -> [v128; 4] {
    [
        u64x2_shuffle::<0, 2>(r0, r1),
        u64x2_shuffle::<1, 3>(r0, r1),
        u64x2_shuffle::<0, 2>(r2, r3),
        u64x2_shuffle::<1, 3>(r2, r3),
    ]
}

/// 16 bytes from `offset` of `data[0]`.
///
/// # Safety
/// `data[0]` can be read, and is readable for 16 bytes from `offset`.
#[inline(always)]
unsafe fn row(data: *const *const u8, offset: usize) -> v128 {
    // SAFETY: the caller promises 16 readable bytes from `offset` of `data[0]`. The load needs no
    // alignment.
    unsafe { v128_load(data.read().add(offset).cast()) }
}

/// Four 32-bit words. `AHEAD` says whether the next block is loaded while one is compressed. Only
/// MD5 with two groups gains by it. All else runs short of registers, and engines spill them.
#[derive(Clone, Copy)]
pub(crate) struct U32x4<const AHEAD: bool = false>(v128);

impl<const AHEAD: bool> U32x4<AHEAD> {
    vector!(row v128: row, |row| {
        i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(row, row)
    });

    /// The same value. It is computed after what [`in_order`](Self::in_order) returned before.
    ///
    /// LLVM orders the instructions of WebAssembly so that they need few variables. It puts chains
    /// that are interleaved in the source one after the other. Most engines keep that order, and a
    /// core does not look ahead by a whole chain. LLVM must keep the order of volatile stores, so
    /// each value of the chain is stored. Nobody reads it.
    #[inline(always)]
    fn in_order(self) -> Self {
        let mut nobody_reads = MaybeUninit::<v128>::uninit();
        // SAFETY: the pointer is to a variable of this function, of the type that is written.
        unsafe { nobody_reads.as_mut_ptr().write_volatile(self.0) };
        self
    }
}

impl<const AHEAD: bool> Vector for U32x4<AHEAD> {
    const AHEAD: bool = AHEAD;
    vector!([] words 4 of u32 as u32: v128_load, v128_store, u32x4_splat, u32x4_add);
    vector!([] logic: v128_and, and_not, v128_or, v128_xor);
    vector!([] select: select);
    vector!(load_words of 32: transpose_32);

    #[inline(always)]
    fn rotate_left<const N: i32>(&self) -> Self {
        Self(if N == 16 {
            u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(self.0, self.0)
        } else {
            v128_or(u32x4_shl(self.0, N as u32), u32x4_shr(self.0, 32 - N as u32))
        })
    }

    #[inline(always)]
    fn rotate_left_add<const N: i32>(&self, other: &Self) -> Self {
        if N == 16 {
            return self.rotate_left::<N>().add(other).in_order();
        }
        Self(u32x4_shl(self.0, N as u32))
            .add(other)
            .add(&Self(u32x4_shr(self.0, 32 - N as u32)))
            .in_order()
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(&self) -> Self {
        Self(v128_or(u32x4_shr(self.0, N as u32), u32x4_shl(self.0, 32 - N as u32)))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(&self) -> Self {
        Self(u32x4_shr(self.0, N as u32))
    }

    #[inline(always)]
    fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
        // `d` is known early: its negation is off the critical path.
        self.add(&Self(v128_xor(c.0, v128_or(b.0, v128_not(d.0)))))
    }
}

/// Two 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(v128);

impl U64x2 {
    vector!(row v128: row, |row| {
        i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(row, row)
    });
}

impl Vector for U64x2 {
    const AHEAD: bool = false;
    vector!([] words 2 of u64 as u64: v128_load, v128_store, u64x2_splat, u64x2_add);
    vector!([] logic: v128_and, and_not, v128_or, v128_xor);
    vector!([] select: select);
    vector!(load_words of 64: transpose_64);

    #[inline(always)]
    fn rotate_left<const N: i32>(&self) -> Self {
        Self(v128_or(u64x2_shl(self.0, N as u32), u64x2_shr(self.0, 64 - N as u32)))
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(&self) -> Self {
        Self(if N == 8 {
            i8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8>(self.0, self.0)
        } else {
            v128_or(u64x2_shr(self.0, N as u32), u64x2_shl(self.0, 64 - N as u32))
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(&self) -> Self {
        Self(u64x2_shr(self.0, N as u32))
    }
}
