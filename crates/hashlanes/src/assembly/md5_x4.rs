//! MD5 of 64 messages, in four groups of 16.
//!
//! On Zen 5 each operation on vectors has a latency of two cycles, and four begin per cycle. A step
//! is a chain of four operations, so two groups leave half of the units idle. The chain is as short
//! as that only if b, the newest value, is the operand that VPTERNLOGD overwrites: in another place
//! it takes a cycle longer.
//!
//! `a` to `d` of group `g` are in registers `4 * g` to `4 * g + 3`. A block is copied in pairs, as
//! in `md5.rs`, one lane beside each step. The first round separates the pairs, and leaves the
//! words in memory, from where the other rounds add them. A step takes two groups at a time: nearly
//! every order takes 630 to 700 cycles, of which copying is 60 to 130, and the chain 512.

use core::arch::{asm, x86_64::*};

use super::{Assembly, md5::CONSTANTS};
use crate::family::md5::Md5Family;
use crate::vector::{BLOCK_WORDS, Interleave, Vector, avx512::U32x16};

/// The vectors of two groups, and of all four.
type Both = Interleave<U32x16>;
type Four = Interleave<Both>;

/// The function of b, which is in `$f`, c and d. The immediate is its truth table.
macro_rules! function {
    (f $f:literal $c:literal $d:literal) => {
        op!(vpternlogd $f, $c, $d, "0xca")
    };
    (g $f:literal $c:literal $d:literal) => {
        op!(vpternlogd $f, $c, $d, "0xe4")
    };
    (h $f:literal $c:literal $d:literal) => {
        op!(vpternlogd $f, $c, $d, "0x96")
    };
    (i $f:literal $c:literal $d:literal) => {
        op!(vpternlogd $f, $c, $d, "0x39")
    };
}

/// In the steps of the first round that come to a new pair: the words of a group.
macro_rules! separate {
    (f 0 $w:literal $place:literal $even:literal $odd:literal) => {
        concat!(
            op!(vmovdqa64 $odd, "[{block} + 256 * " $w " + " $place "]"),
            op!(vshufps $even, $odd, "[{block} + 256 * " $w " + 256 + " $place "]", "0x88"),
            op!(vshufps $odd, $odd, "[{block} + 256 * " $w " + 256 + " $place "]", "0xdd"),
            op!(vmovdqa64 "[{block} + 256 * " $w " + " $place "]", $even),
            op!(vmovdqa64 "[{block} + 256 * " $w " + 256 + " $place "]", $odd),
        )
    };
    (f 2 $($rest:literal)+) => {
        separate!(f 0 $($rest)+)
    };
    ($($other:tt)+) => {
        ""
    };
}

/// Adds a group's word.
macro_rules! add_word {
    (f 0 $a:literal $w:literal $place:literal $even:literal $odd:literal) => {
        op!(vpaddd $a, $a, $even)
    };
    (f 2 $($rest:literal)+) => {
        add_word!(f 0 $($rest)+)
    };
    (f $n:tt $a:literal $w:literal $place:literal $even:literal $odd:literal) => {
        op!(vpaddd $a, $a, $odd)
    };
    ($function:ident $n:tt $a:literal $w:literal $place:literal $even:literal $odd:literal) => {
        op!(vpaddd $a, $a, "[{block} + 256 * " $w " + " $place "]")
    };
}

/// Copies pair `$p` of a lane.
macro_rules! copy {
    ($t:literal $to:literal $($p:literal)+) => {
        concat!($(
            op!(mov "{pair}", "[{lane} + {offset} + 8 * " $p "]"),
            op!(mov "[{next} + 512 * " $p " + 4 * " $t " + " $to "]", "{pair}"),
        )+)
    };
}

/// Step `$t + $n` of two groups, beside which half a lane is copied.
macro_rules! step_of_two {
    (
        $function:ident $shift:literal $t:literal $n:tt $w:literal $to:literal,
        $p0:literal $p1:literal $p2:literal $p3:literal,
        $([$a:literal $b:literal $c:literal $d:literal] $f:literal $place:literal
            $even:literal $odd:literal)+
    ) => {
        concat!(
            $(separate!($function $n $w $place $even $odd),)+
            $(add_word!($function $n $a $w $place $even $odd),)+
            copy!($t $to $p0 $p1),
            $(op!(vpaddd $a, $a, "zmm20"),)+
            $(op!(vmovdqa64 $f, $b), function!($function $f $c $d),)+
            $(op!(vpaddd $a, $a, $f),)+
            copy!($t $to $p2 $p3),
            $(op!(vprold $a, $a, $shift),)+
            $(op!(vpaddd $a, $a, $b),)+
        )
    };
}

/// Step `$t + $n`, beside which the lane of that number is copied.
macro_rules! step {
    (
        $function:ident $shift:literal $t:literal $n:tt $w:literal $to:literal,
        $group0:tt $group1:tt $group2:tt $group3:tt
    ) => {
        concat!(
            op!(mov "{lane}", "[{data} + 8 * (" $t " + " $n ")]"),
            op!(vpbroadcastd "zmm20", "[{k} + 4 * (" $t " + " $n ")]"),
            step_of_two!(
                $function $shift $t $n $w $to, 0 1 2 3,
                $group0 "zmm16" 0 "zmm22" "zmm23" $group1 "zmm17" 64 "zmm24" "zmm25"
            ),
            step_of_two!(
                $function $shift $t $n $w $to, 4 5 6 7,
                $group2 "zmm18" 128 "zmm26" "zmm27" $group3 "zmm19" 192 "zmm28" "zmm29"
            ),
        )
    };
}

/// Four steps from `$t` on, which take four words.
macro_rules! steps {
    (
        $function:ident [$s0:literal $s1:literal $s2:literal $s3:literal] $t:literal:
        $w0:literal $w1:literal $w2:literal $w3:literal
    ) => {
        concat!(
            step!(
                $function $s0 $t 0 $w0 0, ["zmm0" "zmm1" "zmm2" "zmm3"]
                ["zmm4" "zmm5" "zmm6" "zmm7"] ["zmm8" "zmm9" "zmm10" "zmm11"]
                ["zmm12" "zmm13" "zmm14" "zmm15"]
            ),
            step!(
                $function $s1 $t 1 $w1 8, ["zmm3" "zmm0" "zmm1" "zmm2"]
                ["zmm7" "zmm4" "zmm5" "zmm6"] ["zmm11" "zmm8" "zmm9" "zmm10"]
                ["zmm15" "zmm12" "zmm13" "zmm14"]
            ),
            step!(
                $function $s2 $t 2 $w2 256, ["zmm2" "zmm3" "zmm0" "zmm1"]
                ["zmm6" "zmm7" "zmm4" "zmm5"] ["zmm10" "zmm11" "zmm8" "zmm9"]
                ["zmm14" "zmm15" "zmm12" "zmm13"]
            ),
            step!(
                $function $s3 $t 3 $w3 264, ["zmm1" "zmm2" "zmm3" "zmm0"]
                ["zmm5" "zmm6" "zmm7" "zmm4"] ["zmm9" "zmm10" "zmm11" "zmm8"]
                ["zmm13" "zmm14" "zmm15" "zmm12"]
            ),
        )
    };
}

impl Assembly<Four> for Md5Family {
    #[inline]
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,movbe")]
    unsafe fn compress_and_copy(
        state: &mut [Four; 8],
        block: &mut [Four; BLOCK_WORDS],
        next: *mut [Four; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    ) {
        let before = *state;
        let [a, b, c, d, ..] = state;
        // SAFETY: `Assembly::compress_and_copy` asks the caller for a CPU with these features, for
        // 64 pointers at `data`, each readable for 64 bytes from `offset`, and for `next`, which is
        // writable and not `block`. Both have 64 vectors and are aligned. In each two vectors of a
        // group in `next`, a pair is written for each of 16 lanes. Four bytes are read for each of
        // 64 constants. All registers that change are named.
        unsafe {
            asm!(
                steps!(f [7 12 17 22] 0: 0 1 2 3),
                steps!(f [7 12 17 22] 4: 4 5 6 7),
                steps!(f [7 12 17 22] 8: 8 9 10 11),
                steps!(f [7 12 17 22] 12: 12 13 14 15),
                steps!(g [5 9 14 20] 16: 1 6 11 0),
                steps!(g [5 9 14 20] 20: 5 10 15 4),
                steps!(g [5 9 14 20] 24: 9 14 3 8),
                steps!(g [5 9 14 20] 28: 13 2 7 12),
                steps!(h [4 11 16 23] 32: 5 8 11 14),
                steps!(h [4 11 16 23] 36: 1 4 7 10),
                steps!(h [4 11 16 23] 40: 13 0 3 6),
                steps!(h [4 11 16 23] 44: 9 12 15 2),
                steps!(i [6 10 15 21] 48: 0 7 14 5),
                steps!(i [6 10 15 21] 52: 12 3 10 1),
                steps!(i [6 10 15 21] 56: 8 15 6 13),
                steps!(i [6 10 15 21] 60: 4 11 2 9),
                block = in(reg) block,
                k = in(reg) &CONSTANTS,
                offset = in(reg) offset,
                data = in(reg) data,
                next = in(reg) next,
                lane = out(reg) _,
                pair = out(reg) _,
                inout("zmm0") a.0.0.0, inout("zmm1") b.0.0.0, inout("zmm2") c.0.0.0,
                inout("zmm3") d.0.0.0, inout("zmm4") a.0.1.0, inout("zmm5") b.0.1.0,
                inout("zmm6") c.0.1.0, inout("zmm7") d.0.1.0, inout("zmm8") a.1.0.0,
                inout("zmm9") b.1.0.0, inout("zmm10") c.1.0.0, inout("zmm11") d.1.0.0,
                inout("zmm12") a.1.1.0, inout("zmm13") b.1.1.0, inout("zmm14") c.1.1.0,
                inout("zmm15") d.1.1.0,
                out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _,
                out("zmm22") _, out("zmm23") _, out("zmm24") _, out("zmm25") _, out("zmm26") _,
                out("zmm27") _, out("zmm28") _, out("zmm29") _,
                options(nostack, preserves_flags),
            );
        }
        for w in 0..4 {
            state[w] = state[w].add(&before[w]);
        }
    }

    #[inline(always)]
    fn arrange(block: &mut [Four; BLOCK_WORDS]) {
        let (pairs, _) = block.as_chunks_mut();
        for [even, odd] in pairs {
            for (even, odd) in [
                (&mut even.0.0, &mut odd.0.0),
                (&mut even.0.1, &mut odd.0.1),
                (&mut even.1.0, &mut odd.1.0),
                (&mut even.1.1, &mut odd.1.1),
            ] {
                // SAFETY: a value of this type proves that the CPU has its instructions.
                unsafe {
                    (even.0, odd.0) = (
                        _mm512_unpacklo_epi32(even.0, odd.0),
                        _mm512_unpackhi_epi32(even.0, odd.0),
                    );
                }
            }
        }
    }
}
