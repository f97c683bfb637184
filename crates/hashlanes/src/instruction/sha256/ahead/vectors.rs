//! The message schedule in 256-bit vectors.
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
//! Each takes one VPSHRDQ (VBMI2).

use core::arch::x86_64::*;

use super::super::put::Put;
use super::super::states::Sha256States;
use super::{MESSAGES, Schedule, call_assembly, code_of_schedule, functions_of_schedule};
use crate::family::{known::Sums, sha256::K};

/// A pair of each message, for all pairs of a block. Aligned for stores of whole pairs.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Pairs([[u32; 2 * MESSAGES]; 32]);

/// The constants, the same for each message, and the bytes of each word in reverse.
#[repr(C, align(64))]
#[allow(dead_code, reason = "only the assembly reads them")]
struct Table {
    constants: Pairs,
    reverse: [u8; 16],
}

static TABLE: Table = {
    let mut constants = Pairs([[0; 2 * MESSAGES]; 32]);
    let mut t = 0;
    while t < K.len() {
        let mut n = 0;
        while n < MESSAGES {
            constants.0[t / 2][2 * n + t % 2] = K[t];
            n += 1;
        }
        t += 1;
    }
    let reverse = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
    Table { constants, reverse }
};

/// Loads two pairs of a block: the words of 16 bytes of each message.
#[rustfmt::skip]
macro_rules! load {
    ($pair:literal to $p:literal and $p_next:literal) => {
        concat!(
            "vmovdqu xmm9, [r8 + 8 * ", $pair, "]\n",
            "vinserti128 ymm9, ymm9, [r10 + 8 * ", $pair, "], 1\n",
            "vmovdqu xmm10, [r9 + 8 * ", $pair, "]\n",
            "vinserti128 ymm10, ymm10, [r11 + 8 * ", $pair, "], 1\n",
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
            "vpaddd ymm9, ", $p, ", [rax + 32 * ", $pair, "]\n",
            "vmovdqa [rdi + 32 * ", $pair, "], ymm9\n",
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
            "vbroadcasti128 ymm15, [rax + 1024]\n",
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

code_of_schedule!(block, message 8, odd 0);

/// AVX-512 F, BW, DQ and VL, and VBMI2.
pub(crate) enum InVectors {}

impl Schedule for InVectors {
    type Put = Self;
    type Memory = Pairs;
    const FEWEST_BLOCKS: usize = 0;
    const BOTH_FIT: bool = true;

    functions_of_schedule!(
        out("ymm9") _, out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _,
        out("ymm14") _, out("ymm15") _, out("ymm16") _, out("ymm17") _, out("ymm18") _,
        out("ymm19") _, out("ymm20") _, out("ymm21") _, out("ymm22") _, out("ymm23") _,
        out("ymm24") _, out("ymm25") _, out("ymm26") _, out("ymm27") _, out("ymm28") _,
        out("ymm29") _, out("ymm30") _, out("ymm31") _,
    );

    #[inline(always)]
    fn pair(now: *const Pairs, pair: usize, n: usize) -> *const u32 {
        now.cast::<u32>().wrapping_add(2 * MESSAGES * pair + 2 * n)
    }

    #[inline(always)]
    unsafe fn clear_upper_halves() {
        // SAFETY: the caller promises AVX.
        unsafe { _mm256_zeroupper() }
    }
}

impl Put for InVectors {
    #[inline(always)]
    unsafe fn put_block(
        to: *mut u8,
        from: *const u8,
        count: usize,
        _: usize,
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
