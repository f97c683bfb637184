//! The x86 SM3 instructions (Arrow Lake, Lunar Lake): `N` streams interleaved.
//!
//! In the loops over `n` every stream executes an instruction before any stream executes the next
//! one.

use core::arch::x86_64::*;

use crate::family::unroll::unroll;
use crate::input::Span;

/// The instructions. Tests put others in their place, as few CPUs and no emulator at hand have
/// them.
trait Unit {
    /// The first half of words t to t + 3 of the expanded message. It takes words from t - 9,
    /// from t - 3 (with zero as the fourth), and from t - 16.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn message_1(nine_ago: __m128i, three_ago: __m128i, sixteen_ago: __m128i) -> __m128i;

    /// The second half, which takes words from t - 13 and from t - 6.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn message_2(mixed: __m128i, thirteen_ago: __m128i, six_ago: __m128i) -> __m128i;

    /// The rounds `ROUND` and `ROUND + 1`, with the words of these numbers and those of four more.
    ///
    /// # Safety
    /// The CPU has the instruction.
    unsafe fn two_rounds<const ROUND: i32>(cdgh: __m128i, abef: __m128i, words: __m128i)
    -> __m128i;
}

/// The CPU's.
enum Sm3Ni {}

impl Unit for Sm3Ni {
    #[inline(always)]
    unsafe fn message_1(nine_ago: __m128i, three_ago: __m128i, sixteen_ago: __m128i) -> __m128i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm_sm3msg1_epi32(nine_ago, three_ago, sixteen_ago) }
    }

    #[inline(always)]
    unsafe fn message_2(mixed: __m128i, thirteen_ago: __m128i, six_ago: __m128i) -> __m128i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm_sm3msg2_epi32(mixed, thirteen_ago, six_ago) }
    }

    #[inline(always)]
    unsafe fn two_rounds<const ROUND: i32>(
        cdgh: __m128i,
        abef: __m128i,
        words: __m128i,
    ) -> __m128i {
        // SAFETY: the caller promises that the CPU has the instruction.
        unsafe { _mm_sm3rnds2_epi32::<ROUND>(cdgh, abef, words) }
    }
}

/// Compresses one span of `N` messages.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SM3 and AVX.
#[inline(always)]
pub(crate) unsafe fn sm3<const N: usize>(span: &Span<u32>) {
    // SAFETY: `compress` asks for what this function's caller promises: SM3 and AVX, and a span of
    // `N` lanes.
    unsafe { compress::<Sm3Ni, N>(span) }
}

/// # Safety
/// As for [`sm3`], with the instructions of `U`.
#[inline(always)]
unsafe fn compress<U: Unit, const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions: AVX includes SSSE3 and SSE4.1. State: words
    // 0..=7 of streams 0..N. Data: the four loads of a block are at 64 * block + 0, 16, 32, 48 of
    // `data[n]`, within the promised bytes. The sums are read at 4 * G..+4 for G up to 16, of 80.
    unsafe {
        let reverse = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        let zero = _mm_setzero_si128();
        // The instructions keep a, b, e, f in one register and c, d, g, h in the other, with the
        // first word highest. They rotate c, d, g and h when they use them, so these are kept as
        // they were before the rotations of the last two rounds.
        let (mut abef, mut cdgh) = ([zero; N], [zero; N]);
        for n in 0..N {
            let word = |w: usize, back: u32| from.add(w * N + n).read().rotate_right(back) as i32;
            abef[n] = _mm_set_epi32(word(0, 0), word(1, 0), word(4, 0), word(5, 0));
            cdgh[n] = _mm_set_epi32(word(2, 9), word(3, 9), word(6, 19), word(7, 19));
        }

        for block in 0..blocks {
            let (abef_before, cdgh_before) = (abef, cdgh);
            // Four registers of four words of the expanded message each. Group G of four rounds
            // uses w[G % 4] and the words after them, which replace those before.
            let mut w = [[zero; N]; 4];
            for n in 0..N {
                for (i, w) in w.iter_mut().enumerate() {
                    let source = data.add(n).read().add(64 * block + 16 * i);
                    w[n] = _mm_shuffle_epi8(_mm_loadu_si128(source.cast()), reverse);
                }
            }
            unroll!(16, G => {
                if G + 1 >= w.len() {
                    next_words::<U, N>(&mut w, G + 1);
                }
                four_rounds::<U, N, { 4 * G as i32 }, { 4 * G as i32 + 2 }>(
                    &mut abef, &mut cdgh, w[G % 4], w[(G + 1) % 4],
                );
            });
            for n in 0..N {
                abef[n] = _mm_xor_si128(abef[n], abef_before[n]);
                cdgh[n] = _mm_xor_si128(cdgh[n], cdgh_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            let (abef_before, cdgh_before) = (abef, cdgh);
            unroll!(16, G => {
                let words = _mm_loadu_si128(sums.as_ptr().add(4 * G).cast());
                let next = _mm_loadu_si128(sums.as_ptr().add(4 * G + 4).cast());
                four_rounds::<U, N, { 4 * G as i32 }, { 4 * G as i32 + 2 }>(
                    &mut abef,
                    &mut cdgh,
                    [words; N],
                    [next; N],
                );
            });
            for n in 0..N {
                abef[n] = _mm_xor_si128(abef[n], abef_before[n]);
                cdgh[n] = _mm_xor_si128(cdgh[n], cdgh_before[n]);
            }
        }

        for n in 0..N {
            let put = |w: usize, value: i32, by: u32| {
                to.add(w * N + n).write((value as u32).rotate_left(by));
            };
            put(0, _mm_extract_epi32::<3>(abef[n]), 0);
            put(1, _mm_extract_epi32::<2>(abef[n]), 0);
            put(2, _mm_extract_epi32::<3>(cdgh[n]), 9);
            put(3, _mm_extract_epi32::<2>(cdgh[n]), 9);
            put(4, _mm_extract_epi32::<1>(abef[n]), 0);
            put(5, _mm_extract_epi32::<0>(abef[n]), 0);
            put(6, _mm_extract_epi32::<1>(cdgh[n]), 19);
            put(7, _mm_extract_epi32::<0>(cdgh[n]), 19);
        }
    }
}

/// Replaces the words of the group of four rounds before the last three by those of group `g`.
///
/// # Safety
/// The CPU has AVX and the instructions of `U`.
#[inline(always)]
unsafe fn next_words<U: Unit, const N: usize>(w: &mut [[__m128i; N]; 4], g: usize) {
    for n in 0..N {
        // The words t to t + 3, t = 4 * g. `w<k>` begins with t - 4 * k.
        let (w4, w3) = (w[g % 4][n], w[(g + 1) % 4][n]);
        let (w2, w1) = (w[(g + 2) % 4][n], w[(g + 3) % 4][n]);
        // SAFETY: the caller promises the instructions.
        w[g % 4][n] = unsafe {
            let nine_ago = _mm_alignr_epi8::<12>(w2, w3);
            let mixed = U::message_1(nine_ago, _mm_srli_si128::<4>(w1), w4);
            let thirteen_ago = _mm_alignr_epi8::<12>(w3, w4);
            let six_ago = _mm_alignr_epi8::<8>(w1, w2);
            U::message_2(mixed, thirteen_ago, six_ago)
        };
    }
}

/// Rounds `ROUND` to `ROUND + 3`, with the expanded message's words of these numbers and the four
/// after them. `AND_TWO` is `ROUND + 2`, which Rust cannot write for a constant parameter.
///
/// # Safety
/// The CPU has AVX and the instructions of `U`.
#[inline(always)]
unsafe fn four_rounds<U: Unit, const N: usize, const ROUND: i32, const AND_TWO: i32>(
    abef: &mut [__m128i; N],
    cdgh: &mut [__m128i; N],
    words: [__m128i; N],
    next: [__m128i; N],
) {
    // SAFETY: the caller promises the instructions.
    unsafe {
        // An instruction takes the words j, j + 1, j + 4 and j + 5 for the rounds j and j + 1.
        for n in 0..N {
            let four = _mm_unpacklo_epi64(words[n], next[n]);
            cdgh[n] = U::two_rounds::<ROUND>(cdgh[n], abef[n], four);
        }
        for n in 0..N {
            let four = _mm_unpackhi_epi64(words[n], next[n]);
            abef[n] = U::two_rounds::<AND_TWO>(abef[n], cdgh[n], four);
        }
    }
}

#[cfg(all(test, feature = "all", feature = "std", not(miri)))]
mod tests {
    use super::*;
    use crate::family::sm3::{INITIAL, Sm3Family};
    use crate::instruction::emulated;

    /// What Intel's Instruction Set Extensions Reference says that the instructions do. Words are
    /// numbered from the lowest.
    enum Documented {}

    impl Unit for Documented {
        unsafe fn message_1(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
            let [a, b, c]: [[u32; 4]; 3] = [a, b, c].map(emulated::words);
            let p1 = |x: u32| x ^ x.rotate_left(15) ^ x.rotate_left(23);
            // The fourth word of `b` is not used.
            let b = [b[0], b[1], b[2], 0].map(|word: u32| word.rotate_left(15));
            emulated::vector([0, 1, 2, 3].map(|i| p1(a[i] ^ b[i] ^ c[i])))
        }

        unsafe fn message_2(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
            let [a, b, c]: [[u32; 4]; 3] = [a, b, c].map(emulated::words);
            let mut w = [0, 1, 2, 3].map(|i| a[i] ^ b[i].rotate_left(7) ^ c[i]);
            w[3] ^= w[0].rotate_left(6) ^ w[0].rotate_left(15) ^ w[0].rotate_left(30);
            emulated::vector(w)
        }

        unsafe fn two_rounds<const ROUND: i32>(
            cdgh: __m128i,
            abef: __m128i,
            words: __m128i,
        ) -> __m128i {
            let [mut f, mut e, mut b, mut a]: [u32; 4] = emulated::words(abef);
            let [h, g, d, c]: [u32; 4] = emulated::words(cdgh);
            let (mut c, mut d) = (c.rotate_left(9), d.rotate_left(9));
            let (mut g, mut h) = (g.rotate_left(19), h.rotate_left(19));
            let w: [u32; 4] = emulated::words(words);
            let t: u32 = if ROUND < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
            for i in 0..2 {
                let t = t.rotate_left((ROUND as u32 + i) % 32);
                let a12 = a.rotate_left(12);
                let ss1 = a12.wrapping_add(e).wrapping_add(t).rotate_left(7);
                let (ff, gg) = match ROUND {
                    ..16 => (a ^ b ^ c, e ^ f ^ g),
                    _ => (a & b | a & c | b & c, e & f | !e & g),
                };
                let i = i as usize;
                let tt1 = ff.wrapping_add(d).wrapping_add(ss1 ^ a12).wrapping_add(w[i] ^ w[i + 2]);
                let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[i]);
                (d, c, b, a) = (c, b.rotate_left(9), a, tt1);
                (h, g, f, e) =
                    (g, f.rotate_left(19), e, tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17));
            }
            emulated::vector([f, e, b, a])
        }
    }

    #[test]
    fn as_documented_the_instructions_give_sm3() {
        #[target_feature(enable = "avx")]
        unsafe fn run<const N: usize>(span: &Span<u32>) {
            // SAFETY: the caller promises a span of `N` lanes. Nothing but AVX is needed to emulate
            // the unit.
            unsafe { compress::<Documented, N>(span) }
        }
        if !std::is_x86_feature_detected!("avx") {
            return;
        }
        emulated::check::<Sm3Family, 1>(run::<1>, &INITIAL);
        emulated::check::<Sm3Family, 2>(run::<2>, &INITIAL);
    }
}
