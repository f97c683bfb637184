//! SHA-256 of 16 or 32 messages and SHA-512 of 16: the operations of two groups of lanes alternate.
//!
//! `a` to `h` of the first group are in registers 0 to 7, those of the second in 8 to 15. The
//! others are for intermediate results, so the message schedule is in memory, in place of the
//! block. Cores whose units have 512 bits look far enough ahead to load the next block meanwhile,
//! though its loads are between the sixteens of rounds.

use core::arch::asm;

use super::{Rounds, Sixteen, sha2::words};
use crate::family::{sha256, sha256::Sha256Family, sha512, sha512::Sha512Family};
use crate::vector::{Interleave, avx512::U32x16, avx512::U64x8};

/// Adds word `$t` of the schedule to h. A new word takes the place of the one 16
/// before it. `$early` and `$middle` are the places of those 15 and 7 before; the one 2 before is
/// in `$w`.
macro_rules! add_word {
    (
        block $sha:ident $t:literal $early:literal $middle:literal:
        $([$h:literal $s0:literal $s1:literal $s2:literal $s3:literal $w:literal $at:literal])+
    ) => {
        concat!($(words!($sha: vpadd $h, $h, "[{block} + {stride} * " $t " + " $at "]"),)+)
    };
    (
        schedule $sha:ident $t:literal $early:literal $middle:literal:
        $([$h:literal $s0:literal $s1:literal $s2:literal $s3:literal $w:literal $at:literal])+
    ) => {
        concat!(
            $(op!(vmovdqa64 $s0, "[{block} + {stride} * " $early " + " $at "]"),)+
            $(words!($sha: vpror $s2, $w, "{late0}"),)+
            $(words!($sha: vpsrl $s3, $w, "{late2}"),)+
            $(words!($sha: vpror $s1, $w, "{late1}"),)+
            $(words!($sha: vpternlog $s1, $s2, $s3, "0x96"),)+
            $(words!($sha: vpror $s3, $s0, "{early0}"),)+
            $(words!($sha: vpror $s2, $s0, "{early1}"),)+
            $(words!($sha: vpsrl $s0, $s0, "{early2}"),)+
            $(words!($sha: vpternlog $s0, $s3, $s2, "0x96"),)+
            $(words!($sha: vpadd $s1, $s1, "[{block} + {stride} * " $middle " + " $at "]"),)+
            $(words!($sha: vpadd $w, $s0, "[{block} + {stride} * " $t " + " $at "]"),)+
            $(words!($sha: vpadd $w, $w, $s1),)+
            $(op!(vmovdqa64 "[{block} + {stride} * " $t " + " $at "]", $w),)+
            $(words!($sha: vpadd $h, $h, $w),)+
        )
    };
    (known $($rest:tt)+) => {
        // The operand has to be used.
        "# {stride}\n"
    };
}

/// A round. The rotation that comes last is in the operand that `vpternlog` overwrites, since an
/// operation waits a cycle longer for the others.
macro_rules! round {
    (
        $word:ident $sha:ident $t:literal $early:literal $middle:literal:
        $([$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
          [$s0:literal $s1:literal $s2:literal $s3:literal $e1:literal $a1:literal] $w:literal
          $at:literal)+
    ) => {
        concat!(
            add_word!($word $sha $t $early $middle: $([$h $s0 $s1 $s2 $s3 $w $at])+),
            $(words!($sha: vpadd $h, $h, "[{k} + {size} * " $t "]{{1to{lanes}}}"),)+
            $(op!(vmovdqa64 $e1, $e),)+
            $(words!($sha: vpror $s2, $e, "{e0}"),)+
            $(words!($sha: vpror $s3, $e, "{e1}"),)+
            $(words!($sha: vpror $s1, $e, "{e2}"),)+
            $(words!($sha: vpternlog $e1, $f, $g, "0xca"),)+
            $(words!($sha: vpternlog $s1, $s2, $s3, "0x96"),)+
            $(words!($sha: vpadd $e1, $e1, $h),)+
            $(words!($sha: vpadd $h, $e1, $s1),)+
            $(words!($sha: vpadd $d, $d, $h),)+
            $(op!(vmovdqa64 $a1, $a),)+
            $(words!($sha: vpror $s0, $a, "{a0}"),)+
            $(words!($sha: vpror $s2, $a, "{a1}"),)+
            $(words!($sha: vpror $s3, $a, "{a2}"),)+
            $(words!($sha: vpternlog $a1, $b, $c, "0xe8"),)+
            $(words!($sha: vpternlog $s3, $s0, $s2, "0x96"),)+
            $(words!($sha: vpadd $h, $h, $a1),)+
            $(words!($sha: vpadd $h, $h, $s3),)+
        )
    };
}

/// Rounds, each with the places of the words that it takes. The sum in h is the next round's a.
macro_rules! rounds {
    ($word:ident $sha:ident [] $($group:tt)+) => {
        ""
    };
    (
        $word:ident $sha:ident [$t:literal $early:literal $middle:literal $($rest:literal)*]
        $([$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
          [$w:literal $next:literal] $others:tt $at:literal)+
    ) => {
        concat!(
            round!(
                $word $sha $t $early $middle:
                $([$a $b $c $d $e $f $g $h] $others $w $at)+
            ),
            rounds!(
                $word $sha [$($rest)*]
                $([$h $a $b $c $d $e $f $g] [$next $w] $others $at)+
            ),
        )
    };
}

/// Sixteen rounds, after which the state is in the same registers again.
macro_rules! sixteen {
    (one $word:ident $sha:ident $words:ident $($operands:tt)+) => {{
        let [a, b, c, d, e, f, g, h] = $words;
        sixteen!(
            @$word $sha [] [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]
            stride = const 64, $($operands)+
        )
    }};
    (both $word:ident $sha:ident $words:ident $($operands:tt)+) => {{
        let [a, b, c, d, e, f, g, h] = $words;
        sixteen!(
            @$word $sha
            [["zmm8" "zmm9" "zmm10" "zmm11" "zmm12" "zmm13" "zmm14" "zmm15"] ["zmm30" "zmm31"]
             ["zmm22" "zmm23" "zmm24" "zmm25" "zmm26" "zmm27"] 64]
            [a.0.0, b.0.0, c.0.0, d.0.0, e.0.0, f.0.0, g.0.0, h.0.0]
            inout("zmm8") a.1.0, inout("zmm9") b.1.0, inout("zmm10") c.1.0, inout("zmm11") d.1.0,
            inout("zmm12") e.1.0, inout("zmm13") f.1.0, inout("zmm14") g.1.0,
            inout("zmm15") h.1.0, stride = const 128, $($operands)+
        )
    }};
    (
        @$word:ident $sha:ident [$($second:tt)*]
        [$a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr] $($operands:tt)+
    ) => {
        sixteen!(
            @$word $sha
            [["zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7"] ["zmm28" "zmm29"]
             ["zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21"] 0 $($second)*]
            inout("zmm0") $a, inout("zmm1") $b, inout("zmm2") $c, inout("zmm3") $d,
            inout("zmm4") $e, inout("zmm5") $f, inout("zmm6") $g, inout("zmm7") $h, $($operands)+
        )
    };
    (@$word:ident $sha:ident [$($groups:tt)+] $($operands:tt)+) => {
        asm!(
            latest!($word $($groups)+),
            rounds!(
                $word $sha
                [0 1 9  1 2 10  2 3 11  3 4 12  4 5 13  5 6 14  6 7 15  7 8 0
                 8 9 1  9 10 2  10 11 3  11 12 4  12 13 5  13 14 6  14 15 7  15 0 8]
                $($groups)+
            ),
            $($operands)+
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _,
            out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm24") _, out("zmm25") _,
            out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _,
            out("zmm31") _, options(nostack),
        )
    };
}

/// Loads the two latest words of the schedule.
macro_rules! latest {
    (schedule $($state:tt [$w0:literal $w1:literal] $others:tt $at:literal)+) => {
        concat!(
            $(op!(vmovdqa64 $w0, "[{block} + {stride} * 14 + " $at "]"),
            op!(vmovdqa64 $w1, "[{block} + {stride} * 15 + " $at "]"),)+
        )
    };
    ($word:ident $($groups:tt)+) => {
        ""
    };
}

/// The rounds of a function for its vectors: the sizes and the rotations of e and of a, then those
/// of the early word of the schedule and of the late one (of which the last is a shift).
macro_rules! rounds_of {
    ($sha:ident $family:ty: $consts:tt $schedule:tt $($groups:ident $vector:ty),+) => {
        $(rounds_of!(@$groups $sha $family: $vector, $consts $schedule);)+
    };
    (
        @$groups:ident $sha:ident $family:ty: $vector:ty, [$($consts:tt)+] [$($schedule:tt)+]
    ) => {
        impl Rounds<$vector> for $family {
            const K: &'static [Self::Word] = &$sha::K;

            #[inline]
            #[target_feature(enable = "avx512bw,avx512dq,avx512vl")]
            unsafe fn sixteen(
                state: &mut [$vector; 8],
                words: Sixteen<$vector>,
                k: *const Self::Word,
            ) {
                // SAFETY: `Rounds::sixteen` asks the caller for a CPU with these features, 16
                // readable words at `k`, and 16 writable and aligned vectors at `block`. All
                // registers that change are named.
                unsafe {
                    match words {
                        Sixteen::Block(block) => sixteen!(
                            $groups block $sha state
                            block = in(reg) block, k = in(reg) k, $($consts)+
                        ),
                        Sixteen::Schedule(block) => sixteen!(
                            $groups schedule $sha state
                            block = in(reg) block, k = in(reg) k, $($consts)+ $($schedule)+
                        ),
                        Sixteen::Known => {
                            sixteen!($groups known $sha state k = in(reg) k, $($consts)+)
                        }
                    }
                }
            }
        }
    };
}

rounds_of!(
    sha256 Sha256Family:
    [size = const 4, lanes = const 16, e0 = const 6, e1 = const 11, e2 = const 25,
     a0 = const 2, a1 = const 13, a2 = const 22,]
    [early0 = const 7, early1 = const 18, early2 = const 3,
     late0 = const 17, late1 = const 19, late2 = const 10,]
    one U32x16, both Interleave<U32x16>
);

rounds_of!(
    sha512 Sha512Family:
    [size = const 8, lanes = const 8, e0 = const 14, e1 = const 18, e2 = const 41,
     a0 = const 28, a1 = const 34, a2 = const 39,]
    [early0 = const 1, early1 = const 8, early2 = const 7,
     late0 = const 19, late1 = const 61, late2 = const 6,]
    both Interleave<U64x8>
);
