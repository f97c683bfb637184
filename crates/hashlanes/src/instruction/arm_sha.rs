//! Arm's SHA instructions: SHA-1 and SHA-256 (ARMv8.0), SHA-512 (ARMv8.2), `N` streams interleaved.
//!
//! In the loops over `n` every stream executes an instruction before any stream executes the next
//! one. While one stream waits for its result, the others keep the SHA unit busy.

use core::arch::{aarch64::*, asm};

use crate::family::unroll::unroll;
use crate::family::{sha1, sha256, sha512};
use crate::input::Span;

/// Four words of stream `n` of a state whose words lie word-major, from word `w` on.
///
/// # Safety
/// The CPU has NEON. The words are readable.
#[inline(always)]
unsafe fn state32<const N: usize>(from: *const u32, w: usize, n: usize) -> uint32x4_t {
    // SAFETY: the caller promises that the four words of stream `n` are readable.
    unsafe {
        let word = |i: usize| from.add((w + i) * N + n).read();
        vld1q_u32([word(0), word(1), word(2), word(3)].as_ptr())
    }
}

/// The opposite of [`state32`].
///
/// # Safety
/// The CPU has NEON. The words are writable.
#[inline(always)]
unsafe fn put32<const N: usize>(to: *mut u32, w: usize, n: usize, words: uint32x4_t) {
    let mut each = [0; 4];
    // SAFETY: the caller promises that the four words of stream `n` are writable.
    unsafe {
        vst1q_u32(each.as_mut_ptr(), words);
        for (i, word) in each.into_iter().enumerate() {
            to.add((w + i) * N + n).write(word);
        }
    }
}

/// Four big-endian words.
///
/// # Safety
/// The CPU has NEON. `source` is readable for 16 bytes.
#[inline(always)]
unsafe fn words32(source: *const u8) -> uint32x4_t {
    // SAFETY: the caller promises NEON, and 16 readable bytes. The load needs no alignment.
    unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(source))) }
}

/// Four rounds of SHA-1 (FIPS 180-4 section 6.1.2), of the kind that `PART` names, on one stream.
#[target_feature(enable = "neon,sha2")]
#[inline]
fn sha1_rounds<const PART: usize>(abcd: &mut uint32x4_t, e: &mut u32, sum: uint32x4_t) {
    let next = vsha1h_u32(vgetq_lane_u32::<0>(*abcd));
    *abcd = match PART {
        0 => vsha1cq_u32(*abcd, *e, sum),
        2 => vsha1mq_u32(*abcd, *e, sum),
        _ => vsha1pq_u32(*abcd, *e, sum),
    };
    *e = next;
}

/// Compresses one span of `N` messages with the SHA-1 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has NEON and the
/// SHA-1 instructions.
#[target_feature(enable = "neon,sha2")]
#[inline]
pub(crate) unsafe fn sha1<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=4 of streams 0..N. Data: the
    // four loads of a block are at 64 * block + 0, 16, 32, 48 of `data[n]`, within the promised
    // bytes. The sums are read at 4 * G..+4, of 80.
    unsafe {
        let zero = vdupq_n_u32(0);
        let (mut abcd, mut e) = ([zero; N], [0; N]);
        for n in 0..N {
            abcd[n] = state32::<N>(from, 0, n);
            e[n] = from.add(4 * N + n).read();
        }
        for block in 0..blocks {
            let (abcd_before, e_before) = (abcd, e);
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(20, G => {
                let k = vdupq_n_u32(sha1::K[G / 5]);
                for n in 0..N {
                    w[G % 4][n] = if G < 4 {
                        words32(data.add(n).read().add(64 * block + 16 * G))
                    } else {
                        let mixed =
                            vsha1su0q_u32(w[G % 4][n], w[(G + 1) % 4][n], w[(G + 2) % 4][n]);
                        vsha1su1q_u32(mixed, w[(G + 3) % 4][n])
                    };
                }
                for n in 0..N {
                    let sum = vaddq_u32(w[G % 4][n], k);
                    sha1_rounds::<{ G / 5 }>(&mut abcd[n], &mut e[n], sum);
                }
            });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], abcd_before[n]);
                e[n] = e[n].wrapping_add(e_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            let (abcd_before, e_before) = (abcd, e);
            unroll!(20, G => {
                let sum = vld1q_u32(sums.as_ptr().add(4 * G));
                for n in 0..N {
                    sha1_rounds::<{ G / 5 }>(&mut abcd[n], &mut e[n], sum);
                }
            });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], abcd_before[n]);
                e[n] = e[n].wrapping_add(e_before[n]);
            }
        }
        for n in 0..N {
            put32::<N>(to, 0, n, abcd[n]);
            to.add(4 * N + n).write(e[n]);
        }
    }
}

/// Compresses one span of `N` messages with the SHA-256 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has NEON and the
/// SHA-256 instructions.
#[target_feature(enable = "neon,sha2")]
#[inline]
pub(crate) unsafe fn sha256<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=7 of streams 0..N. Data: the
    // four loads of a block are at 64 * block + 0, 16, 32, 48 of `data[n]`, within the promised
    // bytes. K has 64 words and is read at 4 * G..+4, and so are the sums, of 80.
    unsafe {
        let zero = vdupq_n_u32(0);
        let (mut abcd, mut efgh) = ([zero; N], [zero; N]);
        for n in 0..N {
            (abcd[n], efgh[n]) = (state32::<N>(from, 0, n), state32::<N>(from, 4, n));
        }
        // Four rounds (FIPS 180-4 section 6.2.2 step 3) on stream `n`.
        macro_rules! rounds {
            ($n:ident, $sum:expr) => {
                // SHA256H overwrites `abcd`, which SHA256H2 needs as it was. The compiler lets
                // SHA256H work on the copy, and waits for the copy in every group of rounds: 6
                // cycles, where these three take 5.
                asm!(
                    "mov {before:v}.16b, {abcd:v}.16b",
                    "sha256h {abcd:q}, {efgh:q}, {sum:v}.4s",
                    "sha256h2 {efgh:q}, {before:q}, {sum:v}.4s",
                    before = out(vreg) _,
                    abcd = inout(vreg) abcd[$n],
                    efgh = inout(vreg) efgh[$n],
                    sum = in(vreg) $sum,
                    options(pure, nomem, nostack, preserves_flags),
                );
            };
        }
        for block in 0..blocks {
            let (abcd_before, efgh_before) = (abcd, efgh);
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(16, G => {
                let k = vld1q_u32(sha256::K.as_ptr().add(4 * G));
                for n in 0..N {
                    w[G % 4][n] = if G < 4 {
                        words32(data.add(n).read().add(64 * block + 16 * G))
                    } else {
                        let mixed = vsha256su0q_u32(w[G % 4][n], w[(G + 1) % 4][n]);
                        vsha256su1q_u32(mixed, w[(G + 2) % 4][n], w[(G + 3) % 4][n])
                    };
                }
                for n in 0..N {
                    rounds!(n, vaddq_u32(w[G % 4][n], k));
                }
            });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], abcd_before[n]);
                efgh[n] = vaddq_u32(efgh[n], efgh_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            let (abcd_before, efgh_before) = (abcd, efgh);
            unroll!(16, G => {
                let sum = vld1q_u32(sums.as_ptr().add(4 * G));
                for n in 0..N {
                    rounds!(n, sum);
                }
            });
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], abcd_before[n]);
                efgh[n] = vaddq_u32(efgh[n], efgh_before[n]);
            }
        }
        for n in 0..N {
            put32::<N>(to, 0, n, abcd[n]);
            put32::<N>(to, 4, n, efgh[n]);
        }
    }
}

/// Two big-endian words.
///
/// # Safety
/// The CPU has NEON. `source` is readable for 16 bytes.
#[inline(always)]
unsafe fn words64(source: *const u8) -> uint64x2_t {
    // SAFETY: the caller promises NEON, and 16 readable bytes. The load needs no alignment.
    unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(source))) }
}

/// Two rounds of SHA-512 (FIPS 180-4 section 6.4.2 step 3) on one stream. `state` is a and b, c and
/// d, e and f, g and h. `sum` is the two words of the schedule, each with its constant.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn sha512_rounds(state: &mut [uint64x2_t; 4], sum: uint64x2_t) {
    let [ab, cd, ef, gh] = *state;
    // The first round's word is added to h, which is the upper half.
    let sum = vaddq_u64(vextq_u64::<1>(sum, sum), gh);
    let fg = vextq_u64::<1>(ef, gh);
    let de = vextq_u64::<1>(cd, ef);
    let t1 = vsha512hq_u64(sum, fg, de);
    *state = [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef];
}

/// Compresses one span of `N` messages with the SHA-512 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has NEON and the
/// SHA-512 instructions.
#[target_feature(enable = "neon,sha3")]
#[inline]
pub(crate) unsafe fn sha512<const N: usize>(span: &Span<u64>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=7 of streams 0..N. Data: the
    // eight loads of a block are at 128 * block + 16 * i of `data[n]`, within the promised bytes. K
    // has 80 words and is read at 2 * G..+2, and so are the sums.
    unsafe {
        let zero = vdupq_n_u64(0);
        let mut state = [[zero; 4]; N];
        for n in 0..N {
            for (i, pair) in state[n].iter_mut().enumerate() {
                let word = |w: usize| from.add((2 * i + w) * N + n).read();
                *pair = vld1q_u64([word(0), word(1)].as_ptr());
            }
        }
        macro_rules! add_before {
            ($before:ident) => {
                for n in 0..N {
                    for i in 0..4 {
                        state[n][i] = vaddq_u64(state[n][i], $before[n][i]);
                    }
                }
            };
        }
        for block in 0..blocks {
            let before = state;
            // Eight registers of two schedule words each. Pair G of rounds uses w[G % 8].
            let mut w = [[zero; N]; 8];
            unroll!(8, G => {
                let k = vld1q_u64(sha512::K.as_ptr().add(2 * G));
                for n in 0..N {
                    w[G][n] = words64(data.add(n).read().add(128 * block + 16 * G));
                }
                for n in 0..N {
                    sha512_rounds(&mut state[n], vaddq_u64(w[G][n], k));
                }
            });
            for first in (8..40).step_by(8) {
                unroll!(8, G => {
                    let k = vld1q_u64(sha512::K.as_ptr().add(2 * (first + G)));
                    for n in 0..N {
                        let mixed = vsha512su0q_u64(w[G][n], w[(G + 1) % 8][n]);
                        let seven_ago = vextq_u64::<1>(w[(G + 4) % 8][n], w[(G + 5) % 8][n]);
                        w[G][n] = vsha512su1q_u64(mixed, w[(G + 7) % 8][n], seven_ago);
                    }
                    for n in 0..N {
                        sha512_rounds(&mut state[n], vaddq_u64(w[G][n], k));
                    }
                });
            }
            add_before!(before);
        }
        if let Some(sums) = known.as_ref() {
            let before = state;
            for first in (0..40).step_by(8) {
                unroll!(8, G => {
                    let sum = vld1q_u64(sums.as_ptr().add(2 * (first + G)));
                    for n in 0..N {
                        sha512_rounds(&mut state[n], sum);
                    }
                });
            }
            add_before!(before);
        }
        for n in 0..N {
            for (i, &pair) in state[n].iter().enumerate() {
                to.add(2 * i * N + n).write(vgetq_lane_u64::<0>(pair));
                to.add((2 * i + 1) * N + n).write(vgetq_lane_u64::<1>(pair));
            }
        }
    }
}
