//! The x86 SHA512 instructions (Arrow Lake, Lunar Lake): `N` streams interleaved.
//!
//! They are those of SHA-256 with twice the width: the state is in two 256-bit registers, and each
//! instruction does two rounds. In the loops over `n` every stream executes an instruction before
//! any stream executes the next one.

use core::arch::x86_64::*;

use crate::family::sha512::K;
use crate::family::unroll::unroll;
use crate::input::Span;

/// The instructions. Tests replace them, as few CPUs and no emulator have them.
trait Unit {
    /// Words t - 16 to t - 13 and the next one to their sums with sigma0.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn message_1(words: __m256i, next: __m128i) -> __m256i;

    /// Adds sigma1 of words t - 2 to t + 1, where `before` has t - 4 to t - 1.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn message_2(sums: __m256i, before: __m256i) -> __m256i;

    /// Two rounds.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn two_rounds(cdgh: __m256i, abef: __m256i, sums: __m128i) -> __m256i;
}

/// The CPU's instructions.
enum Sha512Ni {}

impl Unit for Sha512Ni {
    #[inline(always)]
    unsafe fn message_1(words: __m256i, next: __m128i) -> __m256i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm256_sha512msg1_epi64(words, next) }
    }

    #[inline(always)]
    unsafe fn message_2(sums: __m256i, before: __m256i) -> __m256i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm256_sha512msg2_epi64(sums, before) }
    }

    #[inline(always)]
    unsafe fn two_rounds(cdgh: __m256i, abef: __m256i, sums: __m128i) -> __m256i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm256_sha512rnds2_epi64(cdgh, abef, sums) }
    }
}

/// Compresses one span of `N` messages.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SHA512 and
/// AVX2.
#[inline(always)]
pub(crate) unsafe fn sha512<const N: usize>(span: &Span<u64>) {
    // SAFETY: the caller promises SHA512 and AVX2, and a span of `N` lanes.
    unsafe { compress::<Sha512Ni, N>(span) }
}

/// # Safety
/// As for [`sha512`], with the instructions of `U`.
#[inline(always)]
unsafe fn compress<U: Unit, const N: usize>(span: &Span<u64>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=7 of streams 0..N. Data: the
    // four loads of a block are at 128 * block + 0, 32, 64, 96 of `data[n]`, within the promised
    // bytes. K has 80 words and is read at 4 * G..+4, as are the sums.
    unsafe {
        let reverse = _mm256_broadcastsi128_si256(_mm_set_epi8(
            8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
        ));
        let zero = _mm256_setzero_si256();
        // The instructions keep a, b, e, f in one register and c, d, g, h in the other, with the
        // first word highest.
        let (mut abef, mut cdgh) = ([zero; N], [zero; N]);
        for n in 0..N {
            let word = |w: usize| from.add(w * N + n).read() as i64;
            abef[n] = _mm256_set_epi64x(word(0), word(1), word(4), word(5));
            cdgh[n] = _mm256_set_epi64x(word(2), word(3), word(6), word(7));
        }

        for block in 0..blocks {
            let (abef_before, cdgh_before) = (abef, cdgh);
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(20, G => {
                let k = _mm256_loadu_si256(K.as_ptr().add(4 * G).cast());
                for n in 0..N {
                    w[G % 4][n] = if G < 4 {
                        let source = data.add(n).read().add(128 * block + 32 * G);
                        _mm256_shuffle_epi8(_mm256_loadu_si256(source.cast()), reverse)
                    } else {
                        let next = _mm256_castsi256_si128(w[(G + 1) % 4][n]);
                        let mixed = U::message_1(w[G % 4][n], next);
                        // Words t - 7 to t - 4: the last three of one register and the first of
                        // the next.
                        let (eight_ago, four_ago) = (w[(G + 2) % 4][n], w[(G + 3) % 4][n]);
                        let blend = _mm256_blend_epi32::<0b11>(eight_ago, four_ago);
                        let seven_ago = _mm256_permute4x64_epi64::<0b00_11_10_01>(blend);
                        let mixed = _mm256_add_epi64(mixed, seven_ago);
                        U::message_2(mixed, w[(G + 3) % 4][n])
                    };
                }
                let mut sum = [zero; N];
                for n in 0..N {
                    sum[n] = _mm256_add_epi64(w[G % 4][n], k);
                }
                four_rounds::<U, N>(&mut abef, &mut cdgh, sum);
            });
            for n in 0..N {
                abef[n] = _mm256_add_epi64(abef[n], abef_before[n]);
                cdgh[n] = _mm256_add_epi64(cdgh[n], cdgh_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            let (abef_before, cdgh_before) = (abef, cdgh);
            unroll!(20, G => {
                let sum = _mm256_loadu_si256(sums.as_ptr().add(4 * G).cast());
                four_rounds::<U, N>(&mut abef, &mut cdgh, [sum; N]);
            });
            for n in 0..N {
                abef[n] = _mm256_add_epi64(abef[n], abef_before[n]);
                cdgh[n] = _mm256_add_epi64(cdgh[n], cdgh_before[n]);
            }
        }

        for n in 0..N {
            let mut halves = [0u64; 8];
            _mm256_storeu_si256(halves.as_mut_ptr().cast(), abef[n]);
            _mm256_storeu_si256(halves.as_mut_ptr().add(4).cast(), cdgh[n]);
            let [f, e, b, a, h, g, d, c] = halves;
            for (w, word) in [a, b, c, d, e, f, g, h].into_iter().enumerate() {
                to.add(w * N + n).write(word);
            }
        }
    }
}

/// Four rounds with the sums of words and constants.
///
/// # Safety
/// The CPU has AVX2 and the instructions of `U`.
#[inline(always)]
unsafe fn four_rounds<U: Unit, const N: usize>(
    abef: &mut [__m256i; N],
    cdgh: &mut [__m256i; N],
    sum: [__m256i; N],
) {
    // SAFETY: the caller promises the instructions.
    unsafe {
        for n in 0..N {
            let lower = _mm256_castsi256_si128(sum[n]);
            cdgh[n] = U::two_rounds(cdgh[n], abef[n], lower);
        }
        for n in 0..N {
            let upper = _mm256_extracti128_si256::<1>(sum[n]);
            abef[n] = U::two_rounds(abef[n], cdgh[n], upper);
        }
    }
}

#[cfg(all(test, feature = "all", feature = "std", not(miri)))]
mod tests {
    use super::*;
    use crate::family::sha512::{INITIAL_512, Sha512Family};
    use crate::instruction::emulated;

    /// What Intel's Instruction Set Extensions Reference says that the instructions do. Words are
    /// numbered from the lowest.
    enum Documented {}

    impl Unit for Documented {
        unsafe fn message_1(words: __m256i, next: __m128i) -> __m256i {
            let sigma0 = |w: u64| w.rotate_right(1) ^ w.rotate_right(8) ^ w >> 7;
            let [a, b, c, d] = emulated::words(words);
            let [e, _] = emulated::words(next);
            emulated::vector(
                [(a, b), (b, c), (c, d), (d, e)]
                    .map(|(w, next): (u64, u64)| w.wrapping_add(sigma0(next))),
            )
        }

        unsafe fn message_2(sums: __m256i, before: __m256i) -> __m256i {
            let sigma1 = |w: u64| w.rotate_right(19) ^ w.rotate_right(61) ^ w >> 6;
            let [a, b, c, d]: [u64; 4] = emulated::words(sums);
            let [_, _, w14, w15] = emulated::words(before);
            let w16 = a.wrapping_add(sigma1(w14));
            let w17 = b.wrapping_add(sigma1(w15));
            let w18 = c.wrapping_add(sigma1(w16));
            let w19 = d.wrapping_add(sigma1(w17));
            emulated::vector([w16, w17, w18, w19])
        }

        unsafe fn two_rounds(cdgh: __m256i, abef: __m256i, sums: __m128i) -> __m256i {
            let [mut f, mut e, mut b, mut a]: [u64; 4] = emulated::words(abef);
            let [mut h, mut g, mut d, mut c]: [u64; 4] = emulated::words(cdgh);
            for sum in emulated::words::<_, [u64; 2]>(sums) {
                let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
                let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
                let t1 = h.wrapping_add(sum1).wrapping_add(e & f ^ !e & g).wrapping_add(sum);
                let t2 = sum0.wrapping_add(a & b ^ a & c ^ b & c);
                (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
                (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
            }
            emulated::vector([f, e, b, a])
        }
    }

    #[test]
    fn as_documented_the_instructions_give_sha512() {
        #[target_feature(enable = "avx2")]
        unsafe fn run<const N: usize>(span: &Span<u64>) {
            // SAFETY: the caller promises a span of `N` lanes. Nothing but AVX2 is needed to
            // emulate the unit.
            unsafe { compress::<Documented, N>(span) }
        }
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        emulated::check::<Sha512Family, 1>(run::<1>, &INITIAL_512);
        emulated::check::<Sha512Family, 2>(run::<2>, &INITIAL_512);
    }
}
