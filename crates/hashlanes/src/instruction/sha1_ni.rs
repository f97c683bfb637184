//! The x86 SHA extensions: SHA-1, `N` streams interleaved.
//!
//! In the loops over `n` every stream executes an instruction before any stream executes the next
//! one. While one stream waits for its result, the others keep the SHA unit busy.

use core::arch::x86_64::*;

use crate::family::unroll::unroll;
use crate::family::{known::Sums, sha1};
use crate::input::Span;

/// The big-endian words of 16 message bytes, which the SHA instructions need. `reverse` is the byte
/// shuffle.
///
/// # Safety
/// The CPU has SSSE3. `source` is readable for 16 bytes.
#[inline(always)]
pub(super) unsafe fn words(source: *const u8, reverse: __m128i) -> __m128i {
    // SAFETY: the caller promises SSSE3, and 16 readable bytes. `loadu` needs no alignment.
    unsafe { _mm_shuffle_epi8(_mm_loadu_si128(source.cast()), reverse) }
}

/// Compresses one span of `N` messages with the SHA-1 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SHA, SSSE3
/// and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn sha1<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=4 of streams 0..N. Data: the
    // four loads of a block are at 64 * block + 0, 16, 32, 48 of `data[n]`, within the promised
    // bytes.
    unsafe {
        // All 16 bytes are reversed, as the instructions keep the first word in the highest lane.
        let reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let zero = _mm_setzero_si128();
        let (mut abcd, mut e) = ([zero; N], [zero; N]);
        for n in 0..N {
            let word = |w: usize| from.add(w * N + n).read() as i32;
            abcd[n] = _mm_set_epi32(word(0), word(1), word(2), word(3));
            e[n] = _mm_set_epi32(word(4), 0, 0, 0);
        }

        for block in 0..blocks {
            let (abcd_before, e_before) = (abcd, e);
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(20, G => {
                if G < 4 {
                    for n in 0..N {
                        let source = data.add(n).read().add(64 * block + 16 * G);
                        w[G % 4][n] = words(source, reverse);
                    }
                } else {
                    next_words(&mut w, G);
                }
                for n in 0..N {
                    four_rounds::<{ (G / 5) as i32 }>(&mut abcd[n], &mut e[n], w[G % 4][n], G == 0);
                }
            });
            for n in 0..N {
                e[n] = _mm_sha1nexte_epu32(e[n], e_before[n]);
                abcd[n] = _mm_add_epi32(abcd[n], abcd_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            sha1_known(&mut abcd, &mut e, sums);
        }

        for n in 0..N {
            let put = |w: usize, value: i32| to.add(w * N + n).write(value as u32);
            put(0, _mm_extract_epi32::<3>(abcd[n]));
            put(1, _mm_extract_epi32::<2>(abcd[n]));
            put(2, _mm_extract_epi32::<1>(abcd[n]));
            put(3, _mm_extract_epi32::<0>(abcd[n]));
            put(4, _mm_extract_epi32::<3>(e[n]));
        }
    }
}

/// Replaces the words of the group of four rounds before the last three by those of group `g`.
///
/// # Safety
/// The CPU has SHA and SSE2.
#[inline(always)]
unsafe fn next_words<const N: usize>(w: &mut [[__m128i; N]; 4], g: usize) {
    for n in 0..N {
        // SAFETY: the caller promises the instructions.
        w[g % 4][n] = unsafe {
            let mixed = _mm_sha1msg1_epu32(w[g % 4][n], w[(g + 1) % 4][n]);
            let mixed = _mm_xor_si128(mixed, w[(g + 2) % 4][n]);
            _mm_sha1msg2_epu32(mixed, w[(g + 3) % 4][n])
        };
    }
}

/// Four rounds of one message, of part `PART` of the rounds.
///
/// # Safety
/// The CPU has SHA and SSE2.
#[inline(always)]
unsafe fn four_rounds<const PART: i32>(
    abcd: &mut __m128i,
    e: &mut __m128i,
    words: __m128i,
    are_first: bool,
) {
    // SAFETY: the caller promises the instructions.
    unsafe {
        // `e` holds the state of four rounds ago. Its first word, rotated, is the e of this group.
        let sum = if are_first { _mm_add_epi32(*e, words) } else { _mm_sha1nexte_epu32(*e, words) };
        *e = *abcd;
        *abcd = _mm_sha1rnds4_epu32::<PART>(*abcd, sum);
    }
}

/// Four words, the first one highest, of which `sums` has the sums with a constant. The instruction
/// adds the constant itself.
///
/// # Safety
/// The CPU has SSE2. `sums` is readable for four words.
#[inline(always)]
unsafe fn known_words(sums: *const u32, constant: u32) -> __m128i {
    // SAFETY: the caller promises the instructions and the words.
    unsafe {
        let sums = _mm_loadu_si128(sums.cast());
        _mm_shuffle_epi32::<0x1b>(_mm_sub_epi32(sums, _mm_set1_epi32(constant as i32)))
    }
}

/// Compresses a block that is the same in all streams, by its sums.
///
/// # Safety
/// The CPU has SHA and SSE4.1.
#[inline(always)]
unsafe fn sha1_known<const N: usize>(
    abcd: &mut [__m128i; N],
    e: &mut [__m128i; N],
    sums: &Sums<u32>,
) {
    let (abcd_before, e_before) = (*abcd, *e);
    // SAFETY: the caller promises the instructions. The sums are read at 4 * G..+4, of 80.
    unsafe {
        unroll!(20, G => {
            let w = known_words(sums.as_ptr().add(4 * G), sha1::K[G / 5]);
            for n in 0..N {
                four_rounds::<{ (G / 5) as i32 }>(&mut abcd[n], &mut e[n], w, G == 0);
            }
        });
        for n in 0..N {
            e[n] = _mm_sha1nexte_epu32(e[n], e_before[n]);
            abcd[n] = _mm_add_epi32(abcd[n], abcd_before[n]);
        }
    }
}
