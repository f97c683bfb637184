//! The states of `N` messages of SHA-256, and a block of each, in the SHA extensions.
//!
//! In the loops over `n` every stream executes an instruction before any stream executes the next
//! one. While one stream waits for its result, the others keep the SHA unit busy.

use core::arch::x86_64::*;

use crate::family::unroll::unroll;
use crate::family::{known::Sums, sha256};
use crate::instruction::sha1_ni::words;

/// The words of a block of each of `N` messages.
pub(super) trait FirstWords<const N: usize> {
    /// Words `4 * group..` of message `n`, the first one lowest.
    ///
    /// # Safety
    /// As for the type.
    unsafe fn words(&self, group: usize, n: usize) -> __m128i;
}

/// Blocks in memory. The CPU must have SSSE3, and each pointer must be readable for 64 bytes.
pub(super) struct InMemory<const N: usize>(pub(super) [*const u8; N]);

impl<const N: usize> FirstWords<N> for InMemory<N> {
    #[inline(always)]
    unsafe fn words(&self, group: usize, n: usize) -> __m128i {
        // SAFETY: the caller promises SSSE3, and the loads of a block are at 0, 16, 32 and 48.
        unsafe {
            let reverse = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            words(self.0[n].add(16 * group), reverse)
        }
    }
}

/// Blocks in registers, for any CPU.
impl<const N: usize> FirstWords<N> for [[__m128i; N]; 4] {
    #[inline(always)]
    unsafe fn words(&self, group: usize, n: usize) -> __m128i {
        self[group][n]
    }
}

/// The states of `N` messages in the layout of the SHA-256 instructions: `a`, `b`, `e` and `f` in
/// one register and `c`, `d`, `g` and `h` in the other, with the first word highest.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Sha256States<const N: usize> {
    pub(super) abef: [__m128i; N],
    pub(super) cdgh: [__m128i; N],
}

impl<const N: usize> Sha256States<N> {
    /// The same state in every lane.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn same(state: &[u32; 8]) -> Self {
        // SAFETY: the caller promises the instructions. A state is two vectors.
        unsafe {
            let abcd = _mm_loadu_si128(state.as_ptr().cast());
            let efgh = _mm_loadu_si128(state.as_ptr().add(4).cast());
            let abef = _mm_shuffle_epi32::<0x1b>(_mm_unpacklo_epi64(abcd, efgh));
            let cdgh = _mm_shuffle_epi32::<0x1b>(_mm_unpackhi_epi64(abcd, efgh));
            Self { abef: [abef; N], cdgh: [cdgh; N] }
        }
    }

    /// The states of `N` lanes, word-major.
    ///
    /// # Safety
    /// The CPU has SSE2. `from` is readable for `8 * N` words.
    #[inline(always)]
    pub(super) unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller promises the instructions, and words 0..=7 of lanes 0..N.
        unsafe {
            if N == 1 {
                return Self::same(&from.cast::<[u32; 8]>().read());
            }
            let zero = _mm_setzero_si128();
            let mut states = Self { abef: [zero; N], cdgh: [zero; N] };
            for n in 0..N {
                let word = |w: usize| from.add(w * N + n).read() as i32;
                states.abef[n] = _mm_set_epi32(word(0), word(1), word(4), word(5));
                states.cdgh[n] = _mm_set_epi32(word(2), word(3), word(6), word(7));
            }
            states
        }
    }

    /// Stores the states as [`load`](Self::load) reads them.
    ///
    /// # Safety
    /// The CPU has SSE4.1. `to` is writable for `8 * N` words.
    #[inline(always)]
    pub(super) unsafe fn store(&self, to: *mut u32) {
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises the instructions, and words 0..=7 of lanes 0..N.
        unsafe {
            if N == 1 {
                let abcd = _mm_shuffle_epi32::<0x1b>(_mm_unpackhi_epi64(cdgh[0], abef[0]));
                let efgh = _mm_shuffle_epi32::<0x1b>(_mm_unpacklo_epi64(cdgh[0], abef[0]));
                return to.cast::<[__m128i; 2]>().write_unaligned([abcd, efgh]);
            }
            for n in 0..N {
                let put = |w: usize, value: i32| to.add(w * N + n).write(value as u32);
                put(0, _mm_extract_epi32::<3>(abef[n]));
                put(1, _mm_extract_epi32::<2>(abef[n]));
                put(2, _mm_extract_epi32::<3>(cdgh[n]));
                put(3, _mm_extract_epi32::<2>(cdgh[n]));
                put(4, _mm_extract_epi32::<1>(abef[n]));
                put(5, _mm_extract_epi32::<0>(abef[n]));
                put(6, _mm_extract_epi32::<1>(cdgh[n]));
                put(7, _mm_extract_epi32::<0>(cdgh[n]));
            }
        }
    }

    /// The first and the last 16 bytes of the digest of lane `n`.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    pub(super) unsafe fn digest(&self, n: usize) -> [__m128i; 2] {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let abcd = _mm_unpackhi_epi64(self.cdgh[n], self.abef[n]);
            let efgh = _mm_unpacklo_epi64(self.cdgh[n], self.abef[n]);
            [_mm_shuffle_epi8(abcd, reverse), _mm_shuffle_epi8(efgh, reverse)]
        }
    }

    /// The words of lane `n`, the first ones lowest.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn words(&self, n: usize) -> [__m128i; 2] {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let abcd = _mm_unpackhi_epi64(self.cdgh[n], self.abef[n]);
            let efgh = _mm_unpacklo_epi64(self.cdgh[n], self.abef[n]);
            [_mm_shuffle_epi32::<0x1b>(abcd), _mm_shuffle_epi32::<0x1b>(efgh)]
        }
    }

    /// Adds the states before a block.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, before: &Self) {
        for n in 0..N {
            // SAFETY: the caller promises the instruction.
            unsafe {
                self.abef[n] = _mm_add_epi32(self.abef[n], before.abef[n]);
                self.cdgh[n] = _mm_add_epi32(self.cdgh[n], before.cdgh[n]);
            }
        }
    }

    /// Compresses a block of each message.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1. The caller ensures what `block` asks for.
    #[inline(always)]
    pub(super) unsafe fn compress(&mut self, block: &impl FirstWords<N>) {
        let before = *self;
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises all instructions. It keeps the promise that `block`
        // asks for.
        unsafe {
            let zero = _mm_setzero_si128();
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(16, G => {
                four_rounds(abef, cdgh, &mut w, block, G);
            });
            self.add(&before);
        }
    }

    /// Compresses `blocks` blocks of each message, and then the precomputed one, if there is one.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1. Each pointer is readable for `blocks` blocks.
    #[inline(always)]
    pub(super) unsafe fn compress_blocks(
        &mut self,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
    ) {
        // SAFETY: the caller promises the instructions, and `blocks` blocks at each pointer.
        unsafe {
            for block in 0..blocks {
                self.compress(&InMemory(data.map(|data| data.wrapping_add(64 * block))));
            }
            if let Some(sums) = known {
                self.compress_known(sums);
            }
        }
    }

    /// Compresses a block that is the same in all streams, by its sums.
    ///
    /// # Safety
    /// The CPU has SHA and SSE2.
    #[inline(always)]
    pub(super) unsafe fn compress_known(&mut self, sums: &Sums<u32>) {
        let before = *self;
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises the instructions. The sums are read at 4 * G..+4, of 80.
        unsafe {
            unroll!(16, G => {
                four_known_rounds(abef, cdgh, sums.as_ptr().add(4 * G));
            });
            self.add(&before);
        }
    }
}

/// Four rounds, of which `g` groups come before: with the words of the block, or the next ones of
/// the schedule.
///
/// # Safety
/// As for [`Sha256States::compress`]. `g` is below 16.
#[inline(always)]
unsafe fn four_rounds<const N: usize>(
    abef: &mut [__m128i; N],
    cdgh: &mut [__m128i; N],
    w: &mut [[__m128i; N]; 4],
    block: &impl FirstWords<N>,
    g: usize,
) {
    let [now, three_ago, two_ago, last] = [g % 4, (g + 1) % 4, (g + 2) % 4, (g + 3) % 4];
    // SAFETY: the caller promises the instructions, and what `block` asks for. K has 64 words.
    unsafe {
        let k = _mm_loadu_si128(sha256::K.as_ptr().add(4 * g).cast());
        let mut sum = [k; N];
        let mut first = 0;
        while first < N {
            // One of four messages at a time: registers have no room for the sums of all.
            let end = if N > 2 { first + 1 } else { N };
            for n in first..end {
                w[now][n] = if g < 4 {
                    block.words(g, n)
                } else {
                    let mixed = _mm_sha256msg1_epu32(w[now][n], w[three_ago][n]);
                    let seven_ago = _mm_alignr_epi8::<4>(w[last][n], w[two_ago][n]);
                    _mm_sha256msg2_epu32(_mm_add_epi32(mixed, seven_ago), w[last][n])
                };
            }
            for n in first..end {
                sum[n] = _mm_add_epi32(w[now][n], k);
                cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum[n]);
            }
            for n in first..end {
                let upper = _mm_shuffle_epi32::<0x0e>(sum[n]);
                abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], upper);
            }
            first = end;
        }
    }
}

/// Four rounds with the same sums of words and constants in all streams.
///
/// # Safety
/// The CPU has SHA and SSE2. `sums` is readable for four words.
#[inline(always)]
unsafe fn four_known_rounds<const N: usize>(
    abef: &mut [__m128i; N],
    cdgh: &mut [__m128i; N],
    sums: *const u32,
) {
    // SAFETY: the caller promises the instructions and the words.
    unsafe {
        let sum = _mm_loadu_si128(sums.cast());
        let upper = _mm_shuffle_epi32::<0x0e>(sum);
        for n in 0..N {
            cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum);
        }
        for n in 0..N {
            abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], upper);
        }
    }
}
