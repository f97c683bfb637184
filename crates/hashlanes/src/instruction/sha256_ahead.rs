//! Four messages of SHA-256: the rounds in the SHA extensions, the message schedule in 256-bit
//! vectors, one block ahead.
//!
//! On Zen 4, SHA256RNDS2 has a latency of 4 cycles, and one starts every cycle. So four streams
//! keep its unit busy, for 32 cycles a block. But SHA256MSG1 and SHA256MSG2, which compute the
//! schedule, compete for the same issue slots, so that four streams with them take longer than two.
//! Vectors compute the schedules of four messages at once. The rounds of a block depend on each
//! other and use few slots; the independent schedule of the next block fills the gaps.
//!
//! # The schedule
//!
//! A vector has a *pair*: the words `2 * j` and `2 * j + 1` of each message, which one SHA256RNDS2
//! uses. By FIPS 180-4 section 6.2.2
//!
//! ```text
//! w[t] = w[t - 16] + sigma0(w[t - 15]) + w[t - 7] + sigma1(w[t - 2])
//! ```
//!
//! so a pair depends on the whole previous pair, and no vector is split into halves. The words
//! `t - 15` and `t - 7` begin in the second word of a pair. Such *skewed* pairs are kept as well.
//! Each takes one VPSHRDQ (VBMI2). The sums of pairs and constants go through memory, from which
//! VMOVQ loads what a SHA256RNDS2 needs.
//!
//! # Why this is assembly
//!
//! The speed depends on the order of the instructions. The same kernel in intrinsics takes half as
//! long again, because LLVM gathers the schedule in one place, where it competes with itself.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::{MaybeUninit, swap};

use super::sha_ni::{Sha256States, Streams};
use crate::family::{known::Sums, sha256::K};
use crate::input::Span;
use crate::wipe;

/// Messages side by side.
pub(crate) const MESSAGES: usize = 4;

/// A pair of each message, for all pairs of a block. Aligned for stores of whole pairs.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Pairs([[u32; 2 * MESSAGES]; 32]);

/// The constants, the same for each message.
static CONSTANTS: Pairs = {
    let mut pairs = Pairs([[0; 2 * MESSAGES]; 32]);
    let mut t = 0;
    while t < K.len() {
        let mut n = 0;
        while n < MESSAGES {
            pairs.0[t / 2][2 * n + t % 2] = K[t];
            n += 1;
        }
        t += 1;
    }
    pairs
};

/// Reverses the bytes of each word.
static REVERSE: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

/// Two rounds of two of the messages: those of pair `$pair`, which is even or odd. Message `n` has
/// `a`, `b`, `e`, `f` in register `1 + n` and the other words in `5 + n`. Two rounds leave the new
/// `a`, `b`, `e`, `f` in the place of the others, so the two change their roles with each pair.
macro_rules! rounds {
    (even $pair:literal messages 0 and 1) => {
        rounds!(@ $pair 0 "xmm5, xmm1" 1 "xmm6, xmm2")
    };
    (even $pair:literal messages 2 and 3) => {
        rounds!(@ $pair 2 "xmm7, xmm3" 3 "xmm8, xmm4")
    };
    (odd $pair:literal messages 0 and 1) => {
        rounds!(@ $pair 0 "xmm1, xmm5" 1 "xmm2, xmm6")
    };
    (odd $pair:literal messages 2 and 3) => {
        rounds!(@ $pair 2 "xmm3, xmm7" 3 "xmm4, xmm8")
    };
    (@ $pair:literal $m:literal $states_m:literal $n:literal $states_n:literal) => {
        concat!(
            "vmovq xmm0, [{now} + 32 * ", $pair, " + 8 * ", $m, "]\n",
            "sha256rnds2 ", $states_m, "\n",
            "vmovq xmm0, [{now} + 32 * ", $pair, " + 8 * ", $n, "]\n",
            "sha256rnds2 ", $states_n, "\n",
        )
    };
}

/// Used instead of `rounds` for two blocks: the rounds of two pairs per pair of the schedule.
#[rustfmt::skip]
macro_rules! double_rounds {
    ($parity:ident $pair:literal messages 0 and 1) => {
        concat!(
            "vmovq xmm0, [{now} + 64 * ", $pair, "]\n", "sha256rnds2 xmm5, xmm1\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 8]\n", "sha256rnds2 xmm6, xmm2\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 16]\n", "sha256rnds2 xmm7, xmm3\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 24]\n", "sha256rnds2 xmm8, xmm4\n",
        )
    };
    ($parity:ident $pair:literal messages 2 and 3) => {
        concat!(
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 32]\n", "sha256rnds2 xmm1, xmm5\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 40]\n", "sha256rnds2 xmm2, xmm6\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 48]\n", "sha256rnds2 xmm3, xmm7\n",
            "vmovq xmm0, [{now} + 64 * ", $pair, " + 56]\n", "sha256rnds2 xmm4, xmm8\n",
        )
    };
}

/// Used after `double_rounds` for a precomputed block, from pair 16 of the schedule on. All
/// messages have the same sums.
#[rustfmt::skip]
macro_rules! known_rounds {
    ($parity:ident $pair:literal messages 0 and 1) => {
        concat!(
            "vmovq xmm0, [{known} + 16 * (", $pair, " - 16)]\n",
            "sha256rnds2 xmm5, xmm1\n",
            "sha256rnds2 xmm6, xmm2\n",
            "sha256rnds2 xmm7, xmm3\n",
            "sha256rnds2 xmm8, xmm4\n",
        )
    };
    ($parity:ident $pair:literal messages 2 and 3) => {
        concat!(
            "vmovq xmm0, [{known} + 16 * (", $pair, " - 16) + 8]\n",
            "sha256rnds2 xmm1, xmm5\n",
            "sha256rnds2 xmm2, xmm6\n",
            "sha256rnds2 xmm3, xmm7\n",
            "sha256rnds2 xmm4, xmm8\n",
        )
    };
}

/// Adds the states before a block to those after its rounds, and stores these.
macro_rules! next_states {
    () => {
        "vpaddd xmm1, xmm1, [{states}]
        vpaddd xmm2, xmm2, [{states} + 16]
        vpaddd xmm3, xmm3, [{states} + 32]
        vpaddd xmm4, xmm4, [{states} + 48]
        vpaddd xmm5, xmm5, [{states} + 64]
        vpaddd xmm6, xmm6, [{states} + 80]
        vpaddd xmm7, xmm7, [{states} + 96]
        vpaddd xmm8, xmm8, [{states} + 112]
        vmovdqa [{states}], xmm1
        vmovdqa [{states} + 16], xmm2
        vmovdqa [{states} + 32], xmm3
        vmovdqa [{states} + 48], xmm4
        vmovdqa [{states} + 64], xmm5
        vmovdqa [{states} + 80], xmm6
        vmovdqa [{states} + 96], xmm7
        vmovdqa [{states} + 112], xmm8
        "
    };
}

/// Used instead of `rounds` where there are none.
macro_rules! no_rounds {
    ($($any:tt)*) => {
        ""
    };
}

/// Loads two pairs of a block: the words of 16 bytes of each message.
#[rustfmt::skip]
macro_rules! load {
    ($pair:literal to $p:literal and $p_next:literal) => {
        concat!(
            "vmovdqu xmm9, [{m0} + 8 * ", $pair, "]\n",
            "vinserti128 ymm9, ymm9, [{m2} + 8 * ", $pair, "], 1\n",
            "vmovdqu xmm10, [{m1} + 8 * ", $pair, "]\n",
            "vinserti128 ymm10, ymm10, [{m3} + 8 * ", $pair, "], 1\n",
            "vpshufb ymm9, ymm9, ymm15\n",
            "vpshufb ymm10, ymm10, ymm15\n",
            "vpunpcklqdq ", $p, ", ymm9, ymm10\n",
            "vpunpckhqdq ", $p_next, ", ymm9, ymm10\n",
        )
    };
}

/// The first half of a new pair: `w[t - 7]` is added to `$p`, which has `w[t - 16]`, and sigma0 is
/// left in a register.
#[rustfmt::skip]
macro_rules! begin_pair {
    ($p:literal, $skewed_15:literal, $skewed_7:literal) => {
        concat!(
            "vprord ymm9, ", $skewed_15, ", 7\n",
            "vprord ymm10, ", $skewed_15, ", 18\n",
            "vpsrld ymm11, ", $skewed_15, ", 3\n",
            "vpaddd ", $p, ", ", $p, ", ", $skewed_7, "\n",
            "vpternlogd ymm9, ymm10, ymm11, 0x96\n",
        )
    };
}

/// The second half: sigma1 of the previous pair is computed, and both sigmas are added.
#[rustfmt::skip]
macro_rules! end_pair {
    ($p:literal, $p_before:literal) => {
        concat!(
            "vprord ymm12, ", $p_before, ", 17\n",
            "vprord ymm13, ", $p_before, ", 19\n",
            "vpsrld ymm14, ", $p_before, ", 10\n",
            "vpaddd ", $p, ", ", $p, ", ymm9\n",
            "vpternlogd ymm12, ymm13, ymm14, 0x96\n",
            "vpaddd ", $p, ", ", $p, ", ymm12\n",
        )
    };
}

/// The skewed pair of two pairs.
macro_rules! skew {
    ($skewed:literal of $p_before:literal and $p:literal) => {
        concat!("vpshrdq ", $skewed, ", ", $p_before, ", ", $p, ", 32\n")
    };
}

/// Stores a pair's sums.
#[rustfmt::skip]
macro_rules! store {
    ($pair:literal, $p:literal) => {
        concat!(
            "vpaddd ymm9, ", $p, ", [{k} + 32 * ", $pair, "]\n",
            "vmovdqa [{next} + 32 * ", $pair, "], ymm9\n",
        )
    };
}

/// Loads two pairs of the next block, during the rounds of two pairs.
macro_rules! loaded {
    (
        $rounds:ident $even:literal $odd:literal: $p_even:literal $p_odd:literal to $skewed:literal
        $(, $skewed_before:literal of $p_before:literal)?
    ) => {
        concat!(
            $rounds!(even $even messages 0 and 1),
            load!($even to $p_even and $p_odd),
            $rounds!(even $even messages 2 and 3),
            $(skew!($skewed_before of $p_before and $p_even),)?
            store!($even, $p_even),
            $rounds!(odd $odd messages 0 and 1),
            skew!($skewed of $p_even and $p_odd),
            $rounds!(odd $odd messages 2 and 3),
            store!($odd, $p_odd),
        )
    };
}

/// Computes a pair of the next block, during the rounds of one. Two SHA256RNDS2, half of the pair,
/// two SHA256RNDS2 and the other half: the best of the orders that were measured.
macro_rules! computed {
    (
        $rounds:ident $parity:ident $pair:literal: $p:literal before $p_before:literal,
        $skewed_15:literal $skewed_7:literal $(to $skewed:literal)?
    ) => {
        concat!(
            $rounds!($parity $pair messages 0 and 1),
            begin_pair!($p, $skewed_15, $skewed_7),
            $rounds!($parity $pair messages 2 and 3),
            end_pair!($p, $p_before),
            $(skew!($skewed of $p_before and $p),)?
            store!($pair, $p),
        )
    };
}

/// Eight pairs. Pair `j` is in register `16 + j % 8`, and the skewed pair that begins in it in
/// `24 + j % 8`. After pair 28 no skewed pair is needed.
macro_rules! eight_computed {
    (
        $rounds:ident $j0:literal $j1:literal $j2:literal $j3:literal
        $j4:literal $j5:literal $j6:literal $j7:literal $(to $s4:literal $s5:literal $s6:literal)?
    ) => {
        concat!(
            computed!($rounds even $j0: "ymm16" before "ymm23", "ymm24" "ymm28" to "ymm31"),
            computed!($rounds odd $j1: "ymm17" before "ymm16", "ymm25" "ymm29" to "ymm24"),
            computed!($rounds even $j2: "ymm18" before "ymm17", "ymm26" "ymm30" to "ymm25"),
            computed!($rounds odd $j3: "ymm19" before "ymm18", "ymm27" "ymm31" to "ymm26"),
            computed!($rounds even $j4: "ymm20" before "ymm19", "ymm28" "ymm24" to "ymm27"),
            computed!($rounds odd $j5: "ymm21" before "ymm20", "ymm29" "ymm25" $(to $s4)?),
            computed!($rounds even $j6: "ymm22" before "ymm21", "ymm30" "ymm26" $(to $s5)?),
            computed!($rounds odd $j7: "ymm23" before "ymm22", "ymm31" "ymm27" $(to $s6)?),
        )
    };
}

/// The schedule of a block, during the rounds of another, or of another and the precomputed one
/// that follows it.
macro_rules! block {
    ($rounds:ident) => {
        concat!(half_block!($rounds first), half_block!($rounds last))
    };
    ($rounds:ident then $known:ident) => {
        concat!(half_block!($rounds first), next_states!(), half_block!($known last))
    };
}

/// Half of a schedule.
macro_rules! half_block {
    ($rounds:ident first) => {
        concat!(
            "vbroadcasti128 ymm15, [{reverse}]\n",
            loaded!($rounds 0 1: "ymm16" "ymm17" to "ymm24"),
            loaded!($rounds 2 3: "ymm18" "ymm19" to "ymm26", "ymm25" of "ymm17"),
            loaded!($rounds 4 5: "ymm20" "ymm21" to "ymm28", "ymm27" of "ymm19"),
            loaded!($rounds 6 7: "ymm22" "ymm23" to "ymm30", "ymm29" of "ymm21"),
            eight_computed!($rounds 8 9 10 11 12 13 14 15 to "ymm28" "ymm29" "ymm30"),
        )
    };
    ($rounds:ident last) => {
        concat!(
            eight_computed!($rounds 16 17 18 19 20 21 22 23 to "ymm28" "ymm29" "ymm30"),
            eight_computed!($rounds 24 25 26 27 28 29 30 31),
        )
    };
}

/// `block!` as a statement, for the messages at `$data`.
macro_rules! run_block {
    ($rounds:ident $(then $known:ident)?, $data:expr, $next:expr $(, $($operands:tt)*)?) => {
        asm!(
            block!($rounds $(then $known)?),
            reverse = in(reg) &raw const REVERSE,
            k = in(reg) &raw const CONSTANTS,
            m0 = in(reg) $data[0],
            m1 = in(reg) $data[1],
            m2 = in(reg) $data[2],
            m3 = in(reg) $data[3],
            next = in(reg) $next,
            $($($operands)*)?
            out("ymm9") _, out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _,
            out("ymm14") _, out("ymm15") _, out("ymm16") _, out("ymm17") _, out("ymm18") _,
            out("ymm19") _, out("ymm20") _, out("ymm21") _, out("ymm22") _, out("ymm23") _,
            out("ymm24") _, out("ymm25") _, out("ymm26") _, out("ymm27") _, out("ymm28") _,
            out("ymm29") _, out("ymm30") _, out("ymm31") _,
            options(nostack, preserves_flags),
        )
    };
}

/// The sums of two blocks: the one whose rounds are due, and the next one.
struct Ahead {
    now: *mut Pairs,
    next: *mut Pairs,
}

/// Four words of each message: from a vector for each word to one for each message, or back.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn transpose(rows: [__m128i; MESSAGES]) -> [__m128i; MESSAGES] {
    let [r0, r1, r2, r3] = rows;
    // SAFETY: the caller promises the instructions.
    unsafe {
        let (low01, low23) = (_mm_unpacklo_epi32(r0, r1), _mm_unpacklo_epi32(r2, r3));
        let (high01, high23) = (_mm_unpackhi_epi32(r0, r1), _mm_unpackhi_epi32(r2, r3));
        [
            _mm_unpacklo_epi64(low01, low23),
            _mm_unpackhi_epi64(low01, low23),
            _mm_unpacklo_epi64(high01, high23),
            _mm_unpackhi_epi64(high01, high23),
        ]
    }
}

/// Stores states word-major.
///
/// # Safety
/// The CPU has SSE2. `to` is writable for `8 * MESSAGES` words.
#[inline(always)]
unsafe fn store_states(states: &Sha256States<MESSAGES>, to: *mut u32) {
    // SAFETY: the caller promises the instructions, and eight vectors at `to`.
    unsafe {
        let [f, e, b, a] = transpose(states.abef);
        let [h, g, d, c] = transpose(states.cdgh);
        to.cast::<[__m128i; 8]>().write_unaligned([a, b, c, d, e, f, g, h]);
    }
}

impl Streams<MESSAGES> for Ahead {
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Sha256States<MESSAGES> {
        // SAFETY: the caller promises the instructions, and eight vectors at `from`.
        unsafe {
            let [a, b, c, d, e, f, g, h] = from.cast::<[__m128i; 8]>().read_unaligned();
            Sha256States { abef: transpose([f, e, b, a]), cdgh: transpose([h, g, d, c]) }
        }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: [*const u8; MESSAGES]) {
        // SAFETY: the caller promises the instructions, and 64 readable bytes of each message,
        // which eight loads of 8 bytes read. `next` has 32 pairs and is aligned, and so
        // are the constants. All vector registers that change are named, and no flags.
        unsafe {
            // SHA256RNDS2 has no VEX encoding. The loop over blocks took 1.3 times as long when
            // earlier code had left values in the upper halves of the registers.
            _mm256_zeroupper();
            run_block!(no_rounds, data, self.next);
        }
        swap(&mut self.now, &mut self.next);
    }

    #[inline(always)]
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<MESSAGES>,
        data: [*const u8; MESSAGES],
        blocks: usize,
        known: Option<&Sums<u32>>,
        next: Option<[*const u8; MESSAGES]>,
    ) {
        // SAFETY: the caller promises the instructions, `blocks` blocks at each pointer of `data`,
        // one at each of `next`, and that the first block was begun. Each block begins the next.
        unsafe {
            for block in 1..blocks {
                self.block(states, data.map(|data| data.wrapping_add(64 * block)));
            }
            match (known, next) {
                (None, Some(next)) => self.block(states, next),
                (Some(sums), Some(next)) => self.block_and_known(states, sums, next),
                (_, None) => {
                    self.last_block(states);
                    if let Some(sums) = known {
                        states.compress_known(sums);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn put_block(
        to: *mut u8,
        from: *const u8,
        count: usize,
        padding: *const u8,
        last_word: u32,
    ) {
        let mask = (1_u64 << count) - 1;
        // In halves, since Zen 4 is slow to load half of what was stored as a whole.
        // SAFETY: the caller promises AVX-512 BW and VL, `count` readable bytes at `from`, of which
        // the masks load no more, and 64 bytes readable at `padding` and writable at `to`.
        unsafe {
            for half in 0..2 {
                let at = 32 * half;
                let bytes =
                    _mm256_maskz_loadu_epi8((mask >> at) as u32, from.wrapping_add(at).cast());
                let padding = _mm256_loadu_si256(padding.add(at).cast());
                let mut block = _mm256_or_si256(bytes, padding);
                if half == 1 {
                    let last = _mm256_maskz_set1_epi32(1 << 7, last_word as i32);
                    block = _mm256_or_si256(block, last);
                }
                _mm256_storeu_si256(to.add(at).cast(), block);
            }
        }
    }
}

impl Ahead {
    /// Compresses the block that was begun, and begins the one at `next`.
    ///
    /// # Safety
    /// The CPU has the instructions. Each pointer is readable for 64 bytes. A block was begun.
    #[inline(always)]
    unsafe fn block(&mut self, states: &mut Sha256States<MESSAGES>, next: [*const u8; MESSAGES]) {
        let before = *states;
        let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = states;
        // SAFETY: as in `begin`. `now` has 32 pairs, which were written when the block was begun.
        unsafe {
            run_block!(
                rounds, next, self.next,
                now = in(reg) self.now,
                inout("xmm1") *a0, inout("xmm2") *a1, inout("xmm3") *a2, inout("xmm4") *a3,
                inout("xmm5") *c0, inout("xmm6") *c1, inout("xmm7") *c2, inout("xmm8") *c3,
                out("xmm0") _,
            );
            states.add(&before);
        }
        swap(&mut self.now, &mut self.next);
    }

    /// [`block`](Self::block), and then the precomputed block of `sums`.
    ///
    /// # Safety
    /// As for `block`.
    #[inline(always)]
    unsafe fn block_and_known(
        &mut self,
        states: &mut Sha256States<MESSAGES>,
        sums: &Sums<u32>,
        next: [*const u8; MESSAGES],
    ) {
        let mut between = *states;
        let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = states;
        // SAFETY: as in `block`. `next_states` reads and writes `between`, which has the states.
        // Of the 80 sums 64 are read.
        unsafe {
            run_block!(
                double_rounds then known_rounds, next, self.next,
                now = in(reg) self.now,
                known = in(reg) sums,
                states = in(reg) &raw mut between,
                inout("xmm1") *a0, inout("xmm2") *a1, inout("xmm3") *a2, inout("xmm4") *a3,
                inout("xmm5") *c0, inout("xmm6") *c1, inout("xmm7") *c2, inout("xmm8") *c3,
                out("xmm0") _,
            );
            states.add(&between);
        }
        swap(&mut self.now, &mut self.next);
    }

    /// Compresses the block that was begun.
    ///
    /// # Safety
    /// The CPU has the SHA extensions and AVX. A block was begun.
    #[inline(always)]
    unsafe fn last_block(&mut self, states: &mut Sha256States<MESSAGES>) {
        let before = *states;
        let Sha256States { abef, cdgh } = states;
        // SAFETY: the caller promises the instructions, and a block that was begun: `now` has the
        // sums of its 32 pairs.
        unsafe {
            // The compiler does not know that `run_block!` uses the upper halves, and does not
            // clear them for the code that follows: two streams of `sha_ni` took 1.5 times as long.
            _mm256_zeroupper();
            for [even, odd] in (*self.now).0.as_chunks().0 {
                for n in 0..MESSAGES {
                    let sum = _mm_loadl_epi64(even.as_ptr().add(2 * n).cast());
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum);
                }
                for n in 0..MESSAGES {
                    let sum = _mm_loadl_epi64(odd.as_ptr().add(2 * n).cast());
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], sum);
                }
            }
            states.add(&before);
        }
        swap(&mut self.now, &mut self.next);
    }
}

/// Memory for the sums of two blocks, which are wiped at the end.
pub(crate) struct Memory([MaybeUninit<Pairs>; 2]);

impl Memory {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; 2])
    }

    #[inline(always)]
    pub(crate) fn streams(&mut self) -> impl Streams<MESSAGES> {
        let now: *mut Pairs = self.0.as_mut_ptr().cast();
        Ahead { now, next: now.wrapping_add(1) }
    }
}

impl Drop for Memory {
    #[inline(always)]
    fn drop(&mut self) {
        wipe::memory(&mut self.0);
    }
}

/// Compresses spans of four messages. The first block of a span is scheduled during the last rounds
/// of the previous one.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with four lanes. The CPU has SHA,
/// AVX-512 F, BW, DQ and VL, and VBMI2.
#[inline(always)]
pub(crate) unsafe fn sha256(spans: &[Span<u32>]) {
    let mut memory = Memory::new();
    let mut streams = memory.streams();
    // SAFETY: the caller promises the instructions, and for each span states, four pointers, and
    // `blocks` blocks at each of them. Each block is passed on, below `blocks`, before it is
    // compressed.
    unsafe {
        let data = |span: &Span<u32>| span.data.cast::<[*const u8; MESSAGES]>().read();
        if let Some(first) = spans.first() {
            streams.begin(data(first));
        }
        for (i, span) in spans.iter().enumerate() {
            let mut states = Ahead::load(span.from);
            let next = spans.get(i + 1).map(data);
            streams.compress(&mut states, data(span), span.blocks, span.known.as_ref(), next);
            store_states(&states, span.to);
        }
    }
}
