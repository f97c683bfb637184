//! AES-NI: one lane in a register of 128 bits.

use std::arch::x86_64::*;

use super::vector::Vector;
use crate::aes::Block;

#[derive(Clone, Copy)]
pub(super) struct AesNi(__m128i);

impl Vector for AesNi {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(source: *const Block) -> Self {
        // SAFETY: the caller promises that `source` is readable for a block.
        unsafe { Self(_mm_loadu_si128(source.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut Block) {
        // SAFETY: the caller promises that `target` is writable for a block.
        unsafe { _mm_storeu_si128(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(data: *const *mut u8, offset: usize) -> Self {
        // SAFETY: the caller promises that each lane is readable for a block at `offset`.
        unsafe { Self(_mm_loadu_si128((*data).add(offset).cast())) }
    }

    #[inline(always)]
    unsafe fn scatter(self, data: *const *mut u8, offset: usize) {
        // SAFETY: the caller promises that each lane is writable for a block at `offset`.
        unsafe { _mm_storeu_si128((*data).add(offset).cast(), self.0) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector only exists on a CPU with AES-NI.
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm_aesenc_si128(self.0, key.0)) }
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm_aesenclast_si128(self.0, key.0)) }
    }
}
