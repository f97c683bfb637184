//! WebAssembly's SIMD128: 4 lanes of `u32`, 2 of `u64`, in 128-bit vectors.
//!
//! The engine compiles these instructions for the CPU that it runs on, so they should be few on
//! x86-64 and on Arm alike. Bit selection is one instruction on Arm. On x86-64 it is three, as many
//! as the logic that it replaces. There is no rotation, but a rotation by whole bytes is a shuffle,
//! of which engines make one instruction.
//!
//! A module with these instructions does not load in an engine that lacks them. So there is nothing
//! to detect at run time, and the intrinsics are safe to call. Only loads and stores are not.

use core::arch::wasm32::*;
use core::mem::MaybeUninit;

use super::{BLOCK_WORDS, Vector};

/// Bitwise logic, which is the same for both widths of words.
macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            self.xor(b).xor(c)
        }

        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            Self(v128_bitselect(b.0, c.0, self.0))
        }

        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // Where the first two differ, the third decides. Elsewhere it is any of the two.
            self.xor(b).choose(c, b)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // The instruction inverts its second operand.
            Self(v128_andnot(other.0, self.0))
        }

        #[inline(always)]
        fn add_xor_or_not(self, b: Self, c: Self, d: Self) -> Self {
            // `d` is known early: its negation is off the critical path.
            self.add(Self(v128_xor(c.0, v128_or(b.0, v128_not(d.0)))))
        }
    };
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
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`row`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> v128 {
        // SAFETY: the promise of this method's caller is the one that the function `row` asks for.
        let row = unsafe { row(data, offset) };
        if BIG_ENDIAN {
            i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(row, row)
        } else {
            row
        }
    }

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
    type Word = u32;
    const LANES: usize = 4;
    const AHEAD: bool = AHEAD;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller promises that 4 words are readable. The load needs no alignment.
        Self(unsafe { v128_load(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller promises that 4 words are writable. The store needs no alignment.
        unsafe { v128_store(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that each of the 4 pointers of `data` is readable for 4
        // words, which is 16 bytes, from `offset`.
        let (r0, r1, r2, r3) = unsafe {
            (
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
                Self::row::<BIG_ENDIAN>(data.add(2), offset),
                Self::row::<BIG_ENDIAN>(data.add(3), offset),
            )
        };
        let low = |a, b| u32x4_shuffle::<0, 4, 1, 5>(a, b);
        let high = |a, b| u32x4_shuffle::<2, 6, 3, 7>(a, b);
        let (low01, high01, low23, high23) = (low(r0, r1), high(r0, r1), low(r2, r3), high(r2, r3));
        [
            Self(u64x2_shuffle::<0, 2>(low01, low23)),
            Self(u64x2_shuffle::<1, 3>(low01, low23)),
            Self(u64x2_shuffle::<0, 2>(high01, high23)),
            Self(u64x2_shuffle::<1, 3>(high01, high23)),
        ]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(u32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn add_word(self, word: u32) -> Self {
        self.add(Self(u32x4_splat(word)))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        Self(if N == 16 {
            u16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(self.0, self.0)
        } else {
            v128_or(u32x4_shl(self.0, N as u32), u32x4_shr(self.0, 32 - N as u32))
        })
    }

    #[inline(always)]
    fn rotate_left_add<const N: i32>(self, other: Self) -> Self {
        if N == 16 {
            return self.rotate_left::<N>().add(other).in_order();
        }
        Self(u32x4_shl(self.0, N as u32))
            .add(other)
            .add(Self(u32x4_shr(self.0, 32 - N as u32)))
            .in_order()
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        Self(v128_or(u32x4_shr(self.0, N as u32), u32x4_shl(self.0, 32 - N as u32)))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(u32x4_shr(self.0, N as u32))
    }

    bitwise!();
}

/// Two 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct U64x2(v128);

impl U64x2 {
    /// 16 bytes from `offset` of `data[0]`, the bytes of each word reversed if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// As for [`row`].
    #[inline(always)]
    unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> v128 {
        // SAFETY: the promise of this method's caller is the one that the function `row` asks for.
        let row = unsafe { row(data, offset) };
        if BIG_ENDIAN {
            i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(row, row)
        } else {
            row
        }
    }
}

impl Vector for U64x2 {
    type Word = u64;
    const LANES: usize = 2;
    const AHEAD: bool = false;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller promises that 2 words are readable. The load needs no alignment.
        Self(unsafe { v128_load(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller promises that 2 words are writable. The store needs no alignment.
        unsafe { v128_store(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises that each of the 2 pointers of `data` is readable for 4
        // words, which is 32 bytes, from `offset`.
        let (r0, r1, r2, r3) = unsafe {
            (
                Self::row::<BIG_ENDIAN>(data, offset),
                Self::row::<BIG_ENDIAN>(data.add(1), offset),
                Self::row::<BIG_ENDIAN>(data, offset + 16),
                Self::row::<BIG_ENDIAN>(data.add(1), offset + 16),
            )
        };
        [
            Self(u64x2_shuffle::<0, 2>(r0, r1)),
            Self(u64x2_shuffle::<1, 3>(r0, r1)),
            Self(u64x2_shuffle::<0, 2>(r2, r3)),
            Self(u64x2_shuffle::<1, 3>(r2, r3)),
        ]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(u64x2_add(self.0, other.0))
    }

    #[inline(always)]
    fn add_word(self, word: u64) -> Self {
        self.add(Self(u64x2_splat(word)))
    }

    #[inline(always)]
    fn rotate_left<const N: i32>(self) -> Self {
        Self(v128_or(u64x2_shl(self.0, N as u32), u64x2_shr(self.0, 64 - N as u32)))
    }

    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        Self(if N == 8 {
            i8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8>(self.0, self.0)
        } else {
            v128_or(u64x2_shr(self.0, N as u32), u64x2_shl(self.0, 64 - N as u32))
        })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(u64x2_shr(self.0, N as u32))
    }

    bitwise!();
}
