//! One message of SHA-512: its rounds in integer registers, its schedule in vectors.
//!
//! The rounds of one message wait for each other, and their rotations and additions fill the
//! integer ports. The schedule (FIPS 180-4 section 6.4.2 step 1) runs beside them in the vector
//! ports. Word `t` needs no word after `t - 2`, so two words are computed at a time. A step is two
//! rounds and the two words that are due 16 rounds later. The vectors hand the sums of word and
//! constant over through memory: a move from a vector to an integer register would take a port of
//! each.
//!
//! # Why this is assembly
//!
//! The speed depends on the order of the instructions, and a compiler does not keep an order. By
//! the count of its operations a round without the schedule takes 5.5 cycles. Measured on Zen 3 it
//! takes
//!
//! * 9.0 in the order of LLVM 22: Sigma1, Sigma0, Ch, the additions, Maj. It takes 7.0 as soon as
//!   Ch stands before Sigma0: of two operations that are ready the older one goes first, and the
//!   next `e` waits for Ch but not for Sigma0.
//! * 6.0 in the best order found. Two of the four integer units rotate, and an operation seems to
//!   be given to a unit whatever else is waiting there. In a test of 22 independent operations, 6
//!   of them rotations, the rotations took half a cycle more in a row than spread out.
//!
//! With the schedule between them the rounds take 6.3 cycles. They take 7.1 if its instructions are
//! put elsewhere, even one by one. The places here come from a search, and no known rule explains
//! them. So a new order has to be measured, with whole blocks.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::family::sha512::K;
use crate::family::unroll::unroll;
use crate::input::Span;

/// Sums of schedule words and constants, for 16 rounds.
#[repr(align(64))]
struct Sums([u64; 16]);

/// Round `$t` of 16 (section 6.4.2 step 3), with twelve other instructions between its own. Their
/// operands follow them.
///
/// `h` becomes T1 and then the new `a`. `b_xor_c` is `b ^ c`, from which Maj is made as in
/// `Vector::majority_chained`.
///
/// # Safety
/// The CPU has BMI1, BMI2 and what the other instructions need. `$sums` points to 16 words. The
/// other instructions change nothing but their outputs, the flags, memory that they may write, and
/// the registers `t`, `u`, `v` where these hold no value.
macro_rules! round {
    (
        $s:ident, $b_xor_c:ident, $sums:ident, $t:expr,
        [$o0:literal $o1:literal $o2:literal $o3:literal $o4:literal $o5:literal
         $o6:literal $o7:literal $o8:literal $o9:literal $o10:literal $o11:literal]
        $($operands:tt)*
    ) => {
        let [a, b, c, mut d, e, f, g, mut h] = $s;
        let a_xor_b: u64;
        asm!(
            "add {h}, [{sums} + 8 * {round}]", // h + K + W
            "rorx {t}, {e}, 14", // Sigma1(e)
            "rorx {u}, {e}, 18",
            "xor {t}, {u}",
            $o0,
            "andn {u}, {e}, {g}", // Ch(e, f, g)
            "rorx {v}, {e}, 41",
            "xor {t}, {v}",
            $o1,
            "mov {v}, {f}",
            "and {v}, {e}",
            "or {v}, {u}",
            "add {h}, {v}",
            "add {h}, {t}",
            $o2,
            $o3,
            "rorx {t}, {a}, 28", // Sigma0(a)
            $o4,
            "rorx {u}, {a}, 34",
            $o5,
            $o6,
            $o7,
            "rorx {v}, {a}, 39",
            "add {d}, {h}", // d + T1
            "xor {t}, {u}",
            "xor {t}, {v}",
            $o8,
            "mov {v}, {a}", // Maj(a, b, c)
            "xor {v}, {b}",
            "and {b_xor_c}, {v}",
            "xor {b_xor_c}, {b}",
            $o9,
            "add {b_xor_c}, {t}", // T2
            $o10,
            $o11,
            "add {h}, {b_xor_c}", // T1 + T2
            sums = in(reg) $sums,
            round = const $t,
            a = in(reg) a,
            b = in(reg) b,
            d = inout(reg) d,
            e = in(reg) e,
            f = in(reg) f,
            g = in(reg) g,
            h = inout(reg) h,
            b_xor_c = inout(reg) $b_xor_c => _,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) a_xor_b,
            $($operands)*
            options(nostack),
        );
        $b_xor_c = a_xor_b;
        $s = [h, a, b, c, d, e, f, g];
    };
}

/// Compresses one span of one message.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with one lane. The CPU has AVX, BMI1 and BMI2.
#[inline(always)]
pub(crate) unsafe fn sha512<const N: usize>(span: &Span<u64>) {
    const { assert!(N == 1, "this is for one message") };
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions: AVX includes SSSE3, whose shuffle is used. The
    // 8 loads of a block are at 128 * block + 16 * p of the data, p = 0..8, within the promised
    // bytes. `sums` has 16 words, is accessed at words 2 * p and 2 * p + 1, here and in the rounds,
    // and is aligned as the aligned stores need it. Constants are loaded from words 2 * p and
    // 2 * p + 1 of 16 of the 80. The other instructions in the rounds write `sums`, `w0` and their
    // own registers `i`, `j`, `k`, `l`.
    unsafe {
        let message = data.read();
        let reverse = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        let rotate_8 = _mm_set_epi8(8, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1);
        let mut sums = Sums([0; 16]);
        let sums = sums.0.as_mut_ptr();

        let mut s = from.cast::<[u64; 8]>().read();
        for block in 0..blocks {
            let before = s;
            let mut w = [_mm_setzero_si128(); 8];
            for (p, words) in w.iter_mut().enumerate() {
                *words = _mm_shuffle_epi8(
                    _mm_loadu_si128(message.add(128 * block + 16 * p).cast()),
                    reverse,
                );
                let sum = _mm_add_epi64(*words, _mm_loadu_si128(K.as_ptr().add(2 * p).cast()));
                _mm_store_si128(sums.add(2 * p).cast(), sum);
            }
            let mut b_xor_c = s[1] ^ s[2];
            for first in (16..K.len()).step_by(16) {
                let constants = K.as_ptr().add(first);
                unroll!(8, P => {
                    // `w[P]` holds the words t - 16 and t - 15, the next one t - 14 and t - 13,
                    // and so on. First sigma0 of t - 15 and t - 14 is added to it, and the words
                    // t - 7 and t - 6.
                    round!(
                        s, b_xor_c, sums, 2 * P,
                        [
                            "vpalignr {i}, {w2}, {w0}, 8"
                            "vpalignr {j}, {w10}, {w8}, 8"
                            "vpsrlq {k}, {i}, 1"
                            "vpsllq {l}, {i}, 63"
                            "vpaddq {w0}, {w0}, {j}"
                            "vpshufb {j}, {i}, {rotate_8}"
                            "vpsrlq {i}, {i}, 7"
                            "vpxor {k}, {k}, {l}"
                            "vpxor {i}, {i}, {j}"
                            "vpxor {i}, {i}, {k}"
                            "vpaddq {w0}, {w0}, {i}"
                            ""
                        ]
                        w0 = inout(xmm_reg) w[P],
                        w2 = in(xmm_reg) w[(P + 1) % 8],
                        w8 = in(xmm_reg) w[(P + 4) % 8],
                        w10 = in(xmm_reg) w[(P + 5) % 8],
                        rotate_8 = in(xmm_reg) rotate_8,
                        i = out(xmm_reg) _, j = out(xmm_reg) _,
                        k = out(xmm_reg) _, l = out(xmm_reg) _,
                    );
                    // Then sigma1 of t - 2 and t - 1. The sums of this round and of the one before
                    // have been used.
                    round!(
                        s, b_xor_c, sums, 2 * P + 1,
                        [
                            "vpsrlq {i}, {w14}, 19"
                            "vpsllq {j}, {w14}, 45"
                            "vpsrlq {k}, {w14}, 61"
                            "vpsllq {l}, {w14}, 3"
                            "vpxor {i}, {i}, {j}"
                            "vpsrlq {j}, {w14}, 6"
                            "vpxor {k}, {k}, {l}"
                            "vpxor {i}, {i}, {j}"
                            "vpxor {i}, {i}, {k}"
                            "vpaddq {w0}, {w0}, {i}"
                            "vpaddq {i}, {w0}, [{constants} + 8 * ({round} - 1)]"
                            "vmovdqa [{sums} + 8 * ({round} - 1)], {i}"
                        ]
                        w0 = inout(xmm_reg) w[P],
                        w14 = in(xmm_reg) w[(P + 7) % 8],
                        constants = in(reg) constants,
                        i = out(xmm_reg) _, j = out(xmm_reg) _,
                        k = out(xmm_reg) _, l = out(xmm_reg) _,
                    );
                });
            }
            unroll!(16, T => {
                round!(s, b_xor_c, sums, T, ["" "" "" "" "" "" "" "" "" "" "" ""]);
            });
            let _ = b_xor_c; // There is no round that would use it.
            for (word, before) in s.iter_mut().zip(before) {
                *word = word.wrapping_add(before);
            }
        }
        if let Some(known) = known.as_ref() {
            let before = s;
            let mut b_xor_c = s[1] ^ s[2];
            for first in (0..K.len()).step_by(16) {
                let sums = known.as_ptr().add(first);
                unroll!(16, T => {
                    round!(s, b_xor_c, sums, T, ["" "" "" "" "" "" "" "" "" "" "" ""]);
                });
            }
            let _ = b_xor_c; // There is no round that would use it.
            for (word, before) in s.iter_mut().zip(before) {
                *word = word.wrapping_add(before);
            }
        }
        to.cast::<[u64; 8]>().write(s);
    }
}
