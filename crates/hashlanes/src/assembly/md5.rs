//! MD5 (RFC 1321 section 3.4) of 32 messages, in two groups of 16.
//!
//! `a` to `d` of the first group are in registers 0 to 3, those of the second in 4 to 7. A step is
//! a chain of dependent operations, so each group fills the gaps of the other. In the order of a
//! step, the second group ends later than the first by a rotation and an addition, and the first
//! adds the constant of its next step before that.
//!
//! A block is copied in *pairs*: words `2 * p` and `2 * p + 1` of a lane, in 8 bytes. Single words
//! would take more stores than there is time for. Pair `p` of a group is in two vectors, which one
//! shuffle turns into the even words and another into the odd ones, since VSHUFPS takes two words
//! of each operand for every quarter of a vector. The first round does so, and leaves the words of
//! the first group in registers 16 to 31, and those of the second where the pairs were.

use core::arch::{asm, x86_64::*};

use super::Assembly;
use crate::family::md5::{Md5Family, T};
use crate::vector::{BLOCK_WORDS, Interleave, Vector, avx512::U32x16};

/// The vectors of both groups.
type Both = Interleave<U32x16>;

/// The constants of the steps, and a zero, which the last step adds in place of a next one.
static CONSTANTS: [u32; T.len() + 1] = {
    let mut constants = [0; T.len() + 1];
    let (some, _) = constants.split_at_mut(T.len());
    some.copy_from_slice(&T);
    constants
};

/// The function of b, c and d. The immediate is its truth table.
macro_rules! function {
    (f $f:literal $b:literal $c:literal $d:literal) => {
        concat!(op!(vmovdqa64 $f, $b), op!(vpternlogd $f, $c, $d, "0xca"))
    };
    (g $f:literal $b:literal $c:literal $d:literal) => {
        concat!(op!(vmovdqa64 $f, $d), op!(vpternlogd $f, $b, $c, "0xca"))
    };
    (h $f:literal $b:literal $c:literal $d:literal) => {
        concat!(op!(vmovdqa64 $f, $b), op!(vpternlogd $f, $c, $d, "0x96"))
    };
    (i $f:literal $b:literal $c:literal $d:literal) => {
        concat!(op!(vmovdqa64 $f, $c), op!(vpternlogd $f, $b, $d, "0x2d"))
    };
}

/// In the steps of the first round that come to a new pair: the words of the first group. Words are
/// named by their registers, 16 to 31.
macro_rules! first_group {
    (f $w:literal $next_w:literal) => {
        concat!(
            op!(vmovdqa64 "zmm8", "[{block} + 128 * (" $w " - 16)]"),
            op!(vshufps "zmm" $w, "zmm8", "[{block} + 128 * (" $next_w " - 16)]", "0x88"),
            op!(vshufps "zmm" $next_w, "zmm8", "[{block} + 128 * (" $next_w " - 16)]", "0xdd"),
        )
    };
    ($($other:tt)+) => {
        ""
    };
}

/// The words of the second group.
macro_rules! second_group {
    (f $w:literal $next_w:literal) => {
        concat!(
            op!(vmovdqa64 "zmm9", "[{block} + 128 * (" $w " - 16) + 64]"),
            op!(vshufps "zmm10", "zmm9", "[{block} + 128 * (" $next_w " - 16) + 64]", "0x88"),
            op!(vshufps "zmm9", "zmm9", "[{block} + 128 * (" $next_w " - 16) + 64]", "0xdd"),
            op!(vmovdqa64 "[{block} + 128 * (" $w " - 16) + 64]", "zmm10"),
            op!(vmovdqa64 "[{block} + 128 * (" $next_w " - 16) + 64]", "zmm9"),
        )
    };
    ($($other:tt)+) => {
        ""
    };
}

/// Goes to a lane.
macro_rules! lane {
    ($lane:literal 0) => {
        op!(mov "{lane}", "[{data} + 8 * " $lane "]")
    };
    ($lane:literal 4) => {
        ""
    };
}

/// Copies pair `$first + $n` of a lane, which goes to byte `$to` of a vector.
macro_rules! copy {
    ($to:literal $first:literal $n:literal) => {
        concat!(
            op!(mov "{pair}", "[{lane} + {offset} + 8 * (" $first " + " $n ")]"),
            op!(mov "[{next} + 256 * (" $first " + " $n ") + " $to "]", "{pair}"),
        )
    };
}

/// A step of both groups. The constant has been added to the first group's a, and is in `$k`. That
/// of the next step, number `$t + $n`, will be in `$next_k`.
macro_rules! step {
    (
        $function:ident $shift:literal, next $t:literal $n:literal, $k:literal $next_k:literal,
        [$a0:literal $b0:literal $c0:literal $d0:literal]
        [$a1:literal $b1:literal $c1:literal $d1:literal],
        $w:literal $($next_w:literal)?, $lane:literal to $to:literal: $first:tt
    ) => {
        concat!(
            lane!($lane $first),
            copy!($to $first 0),
            first_group!($function $w $($next_w)?),
            op!(vpaddd $a1, $a1, $k),
            second_group!($function $w $($next_w)?),
            op!(vpaddd $a1, $a1, "[{block} + 128 * (" $w " - 16) + 64]"),
            op!(vpaddd $a0, $a0, "zmm" $w),
            copy!($to $first 1),
            function!($function "zmm12" $b0 $c0 $d0),
            op!(vpaddd $a0, $a0, "zmm12"),
            copy!($to $first 2),
            op!(vpbroadcastd $next_k, "[{k} + 4 * (" $t " + " $n ")]"),
            function!($function "zmm13" $b1 $c1 $d1),
            op!(vprold $a0, $a0, $shift),
            op!(vpaddd $a0, $a0, $b0),
            copy!($to $first 3),
            op!(vpaddd $a1, $a1, "zmm13"),
            op!(vpaddd $d0, $d0, $next_k),
            op!(vprold $a1, $a1, $shift),
            op!(vpaddd $a1, $a1, $b1),
        )
    };
}

/// Four steps from `$t` on, which take four words and copy two lanes.
macro_rules! steps {
    (
        $function:ident [$s0:literal $s1:literal $s2:literal $s3:literal] $t:literal:
        $w0:literal $w1:literal $w2:literal $w3:literal,
        $lane0:literal to $to0:literal, $lane1:literal to $to1:literal
    ) => {
        concat!(
            step!(
                $function $s0, next $t 1, "zmm14" "zmm15", ["zmm0" "zmm1" "zmm2" "zmm3"]
                ["zmm4" "zmm5" "zmm6" "zmm7"], $w0 $w1, $lane0 to $to0: 0
            ),
            step!(
                $function $s1, next $t 2, "zmm15" "zmm14", ["zmm3" "zmm0" "zmm1" "zmm2"]
                ["zmm7" "zmm4" "zmm5" "zmm6"], $w1, $lane0 to $to0: 4
            ),
            step!(
                $function $s2, next $t 3, "zmm14" "zmm15", ["zmm2" "zmm3" "zmm0" "zmm1"]
                ["zmm6" "zmm7" "zmm4" "zmm5"], $w2 $w3, $lane1 to $to1: 0
            ),
            step!(
                $function $s3, next $t 4, "zmm15" "zmm14", ["zmm1" "zmm2" "zmm3" "zmm0"]
                ["zmm5" "zmm6" "zmm7" "zmm4"], $w3, $lane1 to $to1: 4
            ),
        )
    };
}

impl Assembly<Both> for Md5Family {
    #[inline]
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,movbe")]
    unsafe fn compress_and_copy(
        state: &mut [Both; 8],
        block: &mut [Both; BLOCK_WORDS],
        next: *mut [Both; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    ) {
        let before = *state;
        let [a, b, c, d, ..] = state;
        // SAFETY: `Assembly::compress_and_copy` asks the caller for a CPU with these features, for
        // 32 pointers at `data`, each readable for 64 bytes from `offset`, and for `next`, which is
        // writable and not `block`. Both have 32 vectors and are aligned. In each two vectors of
        // `next`, a pair is written for each of 16 lanes. Four bytes are read for each of the 65
        // constants. All registers that change are named.
        unsafe {
            asm!(
                op!(vpbroadcastd "zmm14", "[{k}]"),
                op!(vpaddd "zmm0", "zmm0", "zmm14"),
                steps!(f [7 12 17 22] 0: 16 17 18 19, 0 to 0, 1 to 8),
                steps!(f [7 12 17 22] 4: 20 21 22 23, 4 to 16, 5 to 24),
                steps!(f [7 12 17 22] 8: 24 25 26 27, 8 to 32, 9 to 40),
                steps!(f [7 12 17 22] 12: 28 29 30 31, 12 to 48, 13 to 56),
                steps!(g [5 9 14 20] 16: 17 22 27 16, 2 to 128, 3 to 136),
                steps!(g [5 9 14 20] 20: 21 26 31 20, 6 to 144, 7 to 152),
                steps!(g [5 9 14 20] 24: 25 30 19 24, 10 to 160, 11 to 168),
                steps!(g [5 9 14 20] 28: 29 18 23 28, 14 to 176, 15 to 184),
                steps!(h [4 11 16 23] 32: 21 24 27 30, 16 to 64, 17 to 72),
                steps!(h [4 11 16 23] 36: 17 20 23 26, 20 to 80, 21 to 88),
                steps!(h [4 11 16 23] 40: 29 16 19 22, 24 to 96, 25 to 104),
                steps!(h [4 11 16 23] 44: 25 28 31 18, 28 to 112, 29 to 120),
                steps!(i [6 10 15 21] 48: 16 23 30 21, 18 to 192, 19 to 200),
                steps!(i [6 10 15 21] 52: 28 19 26 17, 22 to 208, 23 to 216),
                steps!(i [6 10 15 21] 56: 24 31 22 29, 26 to 224, 27 to 232),
                steps!(i [6 10 15 21] 60: 20 27 18 25, 30 to 240, 31 to 248),
                block = in(reg) block,
                k = in(reg) &CONSTANTS,
                offset = in(reg) offset,
                data = in(reg) data,
                next = in(reg) next,
                lane = out(reg) _,
                pair = out(reg) _,
                inout("zmm0") a.0.0, inout("zmm1") b.0.0, inout("zmm2") c.0.0,
                inout("zmm3") d.0.0, inout("zmm4") a.1.0, inout("zmm5") b.1.0,
                inout("zmm6") c.1.0, inout("zmm7") d.1.0,
                out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm12") _, out("zmm13") _,
                out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _, out("zmm18") _,
                out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _,
                out("zmm29") _, out("zmm30") _, out("zmm31") _,
                options(nostack, preserves_flags),
            );
        }
        for w in 0..4 {
            state[w] = state[w].add(&before[w]);
        }
    }

    arrange_in_pairs!(_mm512_unpacklo_epi32, _mm512_unpackhi_epi32);
}
