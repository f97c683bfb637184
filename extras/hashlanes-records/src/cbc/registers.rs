//! The registers that hold blocks: of 128 bits with AES-NI, of 256 and of 512 bits with VAES.

use std::arch::x86_64::*;

use super::vector::Vector;
use crate::aes::Block;

/// A vector in a register: its lanes, the functions that gather and scatter their blocks, and the
/// intrinsics of its methods.
macro_rules! vector {
    (
        $(#[$doc:meta])*
        $vector:ident($register:ty) of $lanes:literal: $gather:ident, $scatter:ident,
        $load:ident, $store:ident, $xor:ident, $round:ident, $last_round:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $vector($register);

        impl Vector for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(source: *const Block) -> Self {
                // SAFETY: the caller promises that the CPU has the instruction and that `LANES`
                // blocks are readable, which fill the register. The load needs no alignment.
                Self(unsafe { $load(source.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, target: *mut Block) {
                // SAFETY: the caller promises that `LANES` blocks are writable, which is the size
                // of the register. The store needs no alignment.
                unsafe { $store(target.cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn gather(data: *const *mut u8, offset: usize) -> Self {
                // SAFETY: the contract is this function's, for `LANES` lanes.
                Self(unsafe { $gather(data, offset) })
            }

            #[inline(always)]
            unsafe fn scatter(self, data: *const *mut u8, offset: usize) {
                // SAFETY: the contract is this function's, for `LANES` lanes. A value of this type
                // proves the instruction set.
                unsafe { $scatter(self.0, data, offset) }
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the instruction set.
                Self(unsafe { $xor(self.0, other.0) })
            }

            #[inline(always)]
            fn round(self, key: Self) -> Self {
                // SAFETY: a value of this type proves the instruction set.
                Self(unsafe { $round(self.0, key.0) })
            }

            #[inline(always)]
            fn last_round(self, key: Self) -> Self {
                // SAFETY: a value of this type proves the instruction set.
                Self(unsafe { $last_round(self.0, key.0) })
            }
        }
    };
}

vector!(
    AesNi(__m128i) of 1: gather_1, scatter_1, _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128,
    _mm_aesenc_si128, _mm_aesenclast_si128
);

vector!(
    /// Zen 3 has no wider registers with VAES. On Zen 4 these are faster than those of 512 bits:
    /// fewer shuffles put the lanes together.
    Vaes256(__m256i) of 2: gather_2, scatter_2, _mm256_loadu_si256, _mm256_storeu_si256,
    _mm256_xor_si256, _mm256_aesenc_epi128, _mm256_aesenclast_epi128
);

vector!(
    Vaes512(__m512i) of 4: gather_4, scatter_4, _mm512_loadu_si512, _mm512_storeu_si512,
    _mm512_xor_si512, _mm512_aesenc_epi128, _mm512_aesenclast_epi128
);

/// # Safety
/// As [`Vector::gather`] for one lane.
#[inline(always)]
unsafe fn gather_1(data: *const *mut u8, offset: usize) -> __m128i {
    // SAFETY: the first lane is readable for a block at `offset`, at any alignment.
    unsafe { _mm_loadu_si128((*data).add(offset).cast()) }
}

/// # Safety
/// As [`Vector::gather`] for two lanes.
#[inline(always)]
unsafe fn gather_2(data: *const *mut u8, offset: usize) -> __m256i {
    // SAFETY: the contract is this function's, for each of the two lanes.
    unsafe {
        let low = _mm256_castsi128_si256(gather_1(data, offset));
        _mm256_inserti128_si256::<1>(low, gather_1(data.add(1), offset))
    }
}

/// # Safety
/// As [`Vector::gather`] for four lanes.
#[inline(always)]
unsafe fn gather_4(data: *const *mut u8, offset: usize) -> __m512i {
    // SAFETY: the contract is this function's, for the first two lanes and for the others.
    unsafe {
        let low = _mm512_castsi256_si512(gather_2(data, offset));
        _mm512_inserti64x4::<1>(low, gather_2(data.add(2), offset))
    }
}

/// # Safety
/// As [`Vector::scatter`] for one lane.
#[inline(always)]
unsafe fn scatter_1(block: __m128i, data: *const *mut u8, offset: usize) {
    // SAFETY: the first lane is writable for a block at `offset`, at any alignment.
    unsafe { _mm_storeu_si128((*data).add(offset).cast(), block) }
}

/// # Safety
/// As [`Vector::scatter`] for two lanes, on a CPU with AVX2.
#[inline(always)]
unsafe fn scatter_2(blocks: __m256i, data: *const *mut u8, offset: usize) {
    // SAFETY: the contract is this function's, for each of the two lanes.
    unsafe {
        scatter_1(_mm256_castsi256_si128(blocks), data, offset);
        scatter_1(_mm256_extracti128_si256::<1>(blocks), data.add(1), offset);
    }
}

/// # Safety
/// As [`Vector::scatter`] for four lanes, on a CPU with AVX-512.
#[inline(always)]
unsafe fn scatter_4(blocks: __m512i, data: *const *mut u8, offset: usize) {
    // SAFETY: the contract is this function's, for each of the four lanes.
    unsafe {
        scatter_1(_mm512_castsi512_si128(blocks), data, offset);
        scatter_1(_mm512_extracti32x4_epi32::<1>(blocks), data.add(1), offset);
        scatter_1(_mm512_extracti32x4_epi32::<2>(blocks), data.add(2), offset);
        scatter_1(_mm512_extracti32x4_epi32::<3>(blocks), data.add(3), offset);
    }
}
