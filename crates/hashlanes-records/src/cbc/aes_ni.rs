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
        // SAFETY: readable for a block, says the caller.
        unsafe { Self(_mm_loadu_si128(source.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut Block) {
        // SAFETY: writable for a block, says the caller.
        unsafe { _mm_storeu_si128(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(data: *const *mut u8, offset: usize) -> Self {
        // SAFETY: each pointer is readable for a block, says the caller.
        unsafe { Self(_mm_loadu_si128((*data).add(offset).cast())) }
    }

    #[inline(always)]
    unsafe fn scatter(self, data: *const *mut u8, offset: usize) {
        // SAFETY: each pointer is writable for a block, says the caller.
        unsafe { _mm_storeu_si128((*data).add(offset).cast(), self.0) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: who holds a vector is on a CPU with AES-NI.
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: as in `xor`.
        unsafe { Self(_mm_aesenc_si128(self.0, key.0)) }
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: as in `xor`.
        unsafe { Self(_mm_aesenclast_si128(self.0, key.0)) }
    }
}
