//! VAES in registers of 512 bits: four lanes in each.

use std::arch::x86_64::*;

use super::vaes256::pair;
use super::vector::Vector;
use crate::aes::Block;

#[derive(Clone, Copy)]
pub(super) struct Vaes512(__m512i);

impl Vector for Vaes512 {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const Block) -> Self {
        // SAFETY: the caller promises that `source` is readable for four blocks.
        unsafe { Self(_mm512_loadu_si512(source.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut Block) {
        // SAFETY: the caller promises that `target` is writable for four blocks.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(data: *const *mut u8, offset: usize) -> Self {
        // SAFETY: the caller promises that each lane is readable for a block at `offset`.
        unsafe {
            let low = _mm512_castsi256_si512(pair(data, offset));
            Self(_mm512_inserti64x4::<1>(low, pair(data.add(2), offset)))
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, data: *const *mut u8, offset: usize) {
        // SAFETY: the caller promises that each lane is writable for a block at `offset`.
        unsafe {
            let at = |lane| (*data.add(lane)).add(offset).cast::<__m128i>();
            _mm_storeu_si128(at(0), _mm512_castsi512_si128(self.0));
            _mm_storeu_si128(at(1), _mm512_extracti32x4_epi32::<1>(self.0));
            _mm_storeu_si128(at(2), _mm512_extracti32x4_epi32::<2>(self.0));
            _mm_storeu_si128(at(3), _mm512_extracti32x4_epi32::<3>(self.0));
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector only exists on a CPU with VAES and AVX-512.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm512_aesenc_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm512_aesenclast_epi128(self.0, key.0)) }
    }
}
