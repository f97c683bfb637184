//! One message of SHA-512: its rounds in integer registers, its schedule in vectors.
//!
//! The rounds of one message wait for each other, and their rotations and additions fill the integer ports. The schedule
//! (FIPS 180-4 section 6.4.2 step 1) can go beside them, in the vector ports: word `t` needs none of the words after
//! `t - 2`, so two words at a time. Two rounds and the two words that will be due 16 rounds later take turns. What goes over is
//! the sum of word and constant, through memory: a move from a vector to an integer register would take a port of each.

use core::arch::x86_64::*;

use crate::algorithm::sha512::{K, round};
use crate::algorithm::unroll::unroll;
use crate::kernel::Span;

/// Sums of schedule words and constants, for 16 rounds.
#[repr(align(64))]
struct Sums([u64; 16]);

/// The next two words of the schedule, of which `w[p]` holds the words `t - 16` and `t - 15`, and so on.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn schedule(w: &[__m128i; 8], p: usize) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe {
        // Words t - 15 and t - 14, t - 7 and t - 6, t - 2 and t - 1.
        let w15 = _mm_alignr_epi8::<8>(w[(p + 1) % 8], w[p]);
        let w7 = _mm_alignr_epi8::<8>(w[(p + 5) % 8], w[(p + 4) % 8]);
        let w2 = w[(p + 7) % 8];
        let rotate_8 = _mm_set_epi8(8, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1);
        let sigma0 = _mm_xor_si128(
            _mm_xor_si128(_mm_srli_epi64::<1>(w15), _mm_slli_epi64::<63>(w15)),
            _mm_xor_si128(_mm_shuffle_epi8(w15, rotate_8), _mm_srli_epi64::<7>(w15)),
        );
        let sigma1 = _mm_xor_si128(
            _mm_xor_si128(
                _mm_xor_si128(_mm_srli_epi64::<19>(w2), _mm_slli_epi64::<45>(w2)),
                _mm_xor_si128(_mm_srli_epi64::<61>(w2), _mm_slli_epi64::<3>(w2)),
            ),
            _mm_srli_epi64::<6>(w2),
        );
        _mm_add_epi64(_mm_add_epi64(_mm_add_epi64(w[p], w7), sigma0), sigma1)
    }
}

/// Compresses the spans of one message, or of several, one after the other.
///
/// # Safety
/// As for [`Compress`](crate::kernel::Compress), with one lane. The CPU has SSSE3.
#[inline(always)]
pub(crate) unsafe fn sha512(spans: &[Span<u64>]) {
    for span in spans {
        // SAFETY: the caller's promise for one lane: 8 words, one pointer.
        unsafe {
            span.to.copy_from(span.from, 8);
            compress(span.to, span.data, span.blocks);
        }
    }
}

/// Compresses `blocks` blocks of one message.
///
/// # Safety
/// The CPU has SSSE3; `state` is readable and writable for 8 words; `data` is readable for one pointer, and that for
/// `128 * blocks` bytes.
#[inline(always)]
unsafe fn compress(state: *mut u64, data: *const *const u8, blocks: usize) {
    // SAFETY: all instructions are ones that the caller promised. The 8 loads of a block are at 128 * block + 16 * p of the data,
    // p = 0..8, within the promised bytes. Stores to and loads from `sums` are at words 2 * p and 2 * p + 1 of its 16, and
    // loads of constants at words first + 2 * p and first + 2 * p + 1 of the 80, first = 0, 16, .. 64.
    unsafe {
        let message = data.read();
        let reverse = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        let mut sums = Sums([0; 16]);
        let sums = sums.0.as_mut_ptr();
        let k = K.as_ptr();
        let store_sum = |p: usize, words: __m128i, first: usize| {
            let sum = _mm_add_epi64(words, _mm_loadu_si128(k.add(first + 2 * p).cast()));
            _mm_store_si128(sums.add(2 * p).cast(), sum);
        };
        // Volatile, or the compiler would see what was stored and move it from the vector registers.
        let sum = |t: usize| sums.add(t).read_volatile();

        let mut s = state.cast::<[u64; 8]>().read();
        for block in 0..blocks {
            let before = s;
            let mut w = [_mm_setzero_si128(); 8];
            for (p, words) in w.iter_mut().enumerate() {
                *words = _mm_shuffle_epi8(_mm_loadu_si128(message.add(128 * block + 16 * p).cast()), reverse);
                store_sum(p, *words, 0);
            }
            let mut b_xor_c = s[1] ^ s[2];
            for first in (16..K.len()).step_by(16) {
                unroll!(8, P => {
                    w[P] = schedule(&w, P);
                    s = round(s, &mut b_xor_c, sum(2 * P), 0);
                    s = round(s, &mut b_xor_c, sum(2 * P + 1), 0);
                    store_sum(P, w[P], first);
                });
            }
            unroll!(16, T => {
                s = round(s, &mut b_xor_c, sum(T), 0);
            });
            for (word, before) in s.iter_mut().zip(before) {
                *word = word.wrapping_add(before);
            }
        }
        state.cast::<[u64; 8]>().write(s);
    }
}
