//! VAES in registers of 256 bits: two lanes in each. Zen 3 has no wider ones, and on Zen 4 they are
//! faster than those of 512 bits: fewer shuffles put the lanes together.

use std::arch::x86_64::*;

use super::vector::Vector;
use crate::aes::Block;

#[derive(Clone, Copy)]
pub(super) struct Vaes256(__m256i);

impl Vector for Vaes256 {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(source: *const Block) -> Self {
        // SAFETY: the caller promises that `source` is readable for two blocks.
        unsafe { Self(_mm256_loadu_si256(source.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut Block) {
        // SAFETY: the caller promises that `target` is writable for two blocks.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(data: *const *mut u8, offset: usize) -> Self {
        // SAFETY: the caller promises that each lane is readable for a block at `offset`.
        unsafe { Self(pair(data, offset)) }
    }

    #[inline(always)]
    unsafe fn scatter(self, data: *const *mut u8, offset: usize) {
        // SAFETY: the caller promises that each lane is writable for a block at `offset`.
        unsafe {
            _mm_storeu_si128((*data).add(offset).cast(), _mm256_castsi256_si128(self.0));
            let high = _mm256_extracti128_si256::<1>(self.0);
            _mm_storeu_si128((*data.add(1)).add(offset).cast(), high);
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector only exists on a CPU with VAES and AVX2.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm256_aesenc_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    fn last_round(self, key: Self) -> Self {
        // SAFETY: as in `xor`, the vectors prove the instruction set.
        unsafe { Self(_mm256_aesenclast_epi128(self.0, key.0)) }
    }
}

/// The block at `offset` of each of two lanes.
///
/// # Safety
/// As [`Vector::gather`] for two lanes.
#[inline(always)]
pub(super) unsafe fn pair(data: *const *mut u8, offset: usize) -> __m256i {
    // SAFETY: the caller promises that each lane is readable for a block at `offset`.
    unsafe {
        let low = _mm256_castsi128_si256(_mm_loadu_si128((*data).add(offset).cast()));
        let high = _mm_loadu_si128((*data.add(1)).add(offset).cast());
        _mm256_inserti128_si256::<1>(low, high)
    }
}
