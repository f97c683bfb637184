//! SHA-256 (FIPS 180-4 section 6.2) of 16 messages, and SHA-512 (section 6.4) of 8.
//!
//! They differ in the size of words, in rotations, and in the number of rounds. `a` to `h` are in
//! registers 0 to 7, and the words of the message schedule in 16 to 31. Each 16 rounds of SHA-256
//! copy four lanes. Those of SHA-512 copy two, but the last ones none. The last 16 rounds need no
//! schedule.
//!
//! In the order of a round, the next round begins as soon as its e is known: the sum with word and
//! constant, and two of the rotations. Only then does the rest of this round follow, and of its
//! schedule. The order was searched for with SHA-512. As a loop of 16 rounds that takes a tenth
//! longer in half of all calls.

use core::arch::asm;

use super::Assembly;
use crate::family::{sha256, sha256::Sha256Family, sha512, sha512::Sha512Family};
use crate::vector::{BLOCK_WORDS, Vector, avx512::U32x16, avx512::U64x8};

/// An operation on words.
macro_rules! words {
    (sha256: $($operation:tt)+) => {
        op!("d" $($operation)+)
    };
    (sha512: $($operation:tt)+) => {
        op!("q" $($operation)+)
    };
}

/// Operations of the rounds that have a schedule.
macro_rules! schedule {
    (with: $($op:expr),+) => {
        concat!($($op),+)
    };
    ($without:ident: $($op:expr),+) => {
        ""
    };
}

/// Copies word `$t` of a lane, which goes to byte `$to` of a vector.
macro_rules! copy {
    (sha256 $lane:literal $t:literal to $to:literal) => {
        concat!(
            op!(movbe "{word:e}", "[{" $lane "} + 4 * " $t "]"),
            op!(mov "[{next} + 64 * " $t " + " $to "]", "{word:e}"),
        )
    };
    (sha512 $lane:literal $t:literal to $to:literal) => {
        concat!(
            op!(movbe "{word}", "[{" $lane "} + 8 * " $t "]"),
            op!(mov "[{next} + 64 * " $t " + " $to "]", "{word}"),
        )
    };
}

/// Copies word `$t` of the first half of the lanes that 16 rounds copy.
macro_rules! copy_first {
    (without $sha:ident $t:literal) => {
        ""
    };
    ($schedule:ident sha256 $t:literal) => {
        concat!(copy!(sha256 "lane0" $t to 0), copy!(sha256 "lane1" $t to 4))
    };
    ($schedule:ident sha512 $t:literal) => {
        copy!(sha512 "lane0" $t to 0)
    };
}

/// Copies word `$t` of the other half.
macro_rules! copy_second {
    (without $sha:ident $t:literal) => {
        ""
    };
    ($schedule:ident sha256 $t:literal) => {
        concat!(copy!(sha256 "lane2" $t to 8), copy!(sha256 "lane3" $t to 12))
    };
    ($schedule:ident sha512 $t:literal) => {
        copy!(sha512 "lane1" $t to 8)
    };
}

/// Goes to the next lanes.
macro_rules! lanes {
    ($($lane:literal)+) => {
        concat!(
            $(op!(mov "{" $lane "}", "[{data}]"),
            op!(add "{" $lane "}", "{offset}"),
            op!(add "{data}", 8),)+
        )
    };
    (sha256) => {
        lanes!("lane0" "lane1" "lane2" "lane3")
    };
    (sha512) => {
        lanes!("lane0" "lane1")
    };
}

/// Adds constant `$t + $n` and a word to h.
macro_rules! add_word {
    ($sha:ident $h:literal $w:literal $t:literal $n:literal) => {
        concat!(
            words!($sha: vpadd $h, $h, "[{k} + {size} * (" $t " + " $n ")]{{1to{lanes}}}"),
            words!($sha: vpadd $h, $h, $w),
        )
    };
}

/// Begins the choice, and the sum of the rotations, of e.
macro_rules! begin {
    ($sha:ident $e:literal) => {
        concat!(
            op!(vmovdqa64 "zmm11", $e),
            words!($sha: vpror "zmm8", $e, "{e1}"),
            words!($sha: vpror "zmm9", $e, "{e2}"),
        )
    };
}

/// Round `$t` of 16, up to where the next one begins: then d is the next round's e.
macro_rules! first_half {
    (
        $sha:ident $schedule:ident $t:literal,
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w:literal $w1:literal $w9:literal $w14:literal]
    ) => {
        concat!(
            words!($sha: vpror "zmm10", $e, "{e0}"),
            op!(vmovdqa64 "zmm15", $a),
            words!($sha: vpror "zmm12", $a, "{a0}"),
            words!($sha: vpror "zmm14", $a, "{a2}"),
            words!($sha: vpror "zmm13", $a, "{a1}"),
            words!($sha: vpternlog "zmm11", $f, $g, "0xca"),
            words!($sha: vpadd $h, $h, "zmm11"),
            copy_first!($schedule $sha $t),
            schedule!($schedule: words!($sha: vpror "zmm11", $w14, "{late0}")),
            words!($sha: vpternlog "zmm15", $b, $c, "0xe8"),
            words!($sha: vpternlog "zmm10", "zmm8", "zmm9", "0x96"),
            words!($sha: vpadd $h, $h, "zmm10"),
            schedule!(
                $schedule: words!($sha: vpror "zmm8", $w14, "{late1}"),
                words!($sha: vpsrl "zmm9", $w14, "{late2}"),
                words!($sha: vpternlog "zmm11", "zmm8", "zmm9", "0x96"),
                words!($sha: vpadd $w, $w, "zmm11"),
                words!($sha: vpadd $w, $w, $w9),
                words!($sha: vpror "zmm10", $w1, "{early0}")
            ),
            words!($sha: vpadd $d, $d, $h),
            words!($sha: vpadd $h, $h, "zmm15"),
            copy_second!($schedule $sha $t),
            schedule!($schedule: words!($sha: vpror "zmm15", $w1, "{early1}")),
        )
    };
}

/// The rest of a round.
macro_rules! second_half {
    ($sha:ident $schedule:ident $h:literal $w:literal $w1:literal) => {
        concat!(
            words!($sha: vpadd $h, $h, "zmm12"),
            schedule!(
                $schedule: words!($sha: vpsrl "zmm13", $w1, "{early2}"),
                words!($sha: vpternlog "zmm10", "zmm15", "zmm13", "0x96"),
                words!($sha: vpadd $w, $w, "zmm10")
            ),
        )
    };
}

/// Rounds, of which 16 have the numbers 0 to 15. The sum in h is the next round's a. After `last`
/// none begins.
macro_rules! rounds {
    ($sha:ident $schedule:ident $state:tt $w:tt:) => {
        ""
    };
    (
        $sha:ident $schedule:ident
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal
         $w7:literal $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal
         $w14:literal $w15:literal]: last
    ) => {
        concat!(
            first_half!($sha $schedule 15, [$a $b $c $d $e $f $g $h] [$w0 $w1 $w9 $w14]),
            words!($sha: vpternlog "zmm12", "zmm13", "zmm14", "0x96"),
            second_half!($sha $schedule $h $w0 $w1),
        )
    };
    (
        $sha:ident $schedule:ident
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal
         $w7:literal $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal
         $w14:literal $w15:literal]: $t:literal $($rest:tt)*
    ) => {
        concat!(
            first_half!($sha $schedule $t, [$a $b $c $d $e $f $g $h] [$w0 $w1 $w9 $w14]),
            add_word!($sha $g $w1 $t 1),
            words!($sha: vpternlog "zmm12", "zmm13", "zmm14", "0x96"),
            begin!($sha $d),
            second_half!($sha $schedule $h $w0 $w1),
            rounds!(
                $sha $schedule [$h $a $b $c $d $e $f $g]
                [$w1 $w2 $w3 $w4 $w5 $w6 $w7 $w8 $w9 $w10 $w11 $w12 $w13 $w14 $w15 $w0]: $($rest)*
            ),
        )
    };
}

/// Sixteen rounds, after which state and words are in the same registers again: `with` a schedule
/// and copies, or the last ones, `without` both or with `copies`.
macro_rules! sixteen {
    ($sha:ident with) => {
        concat!(
            lanes!($sha),
            sixteen!($sha with: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
            op!(add "{next}", 16),
            op!(add "{k}", "16 * {size}"),
        )
    };
    ($sha:ident copies) => {
        concat!(lanes!($sha), sixteen!($sha copies: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 last))
    };
    ($sha:ident without) => {
        sixteen!($sha without: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 last)
    };
    ($sha:ident $schedule:ident: $($t:tt)+) => {
        rounds!(
            $sha $schedule ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7"]
            ["zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23"
             "zmm24" "zmm25" "zmm26" "zmm27" "zmm28" "zmm29" "zmm30" "zmm31"]: $($t)+
        )
    };
}

/// The compression of a function: what each sixteen rounds do, the sizes, and the rotations of e,
/// of a, of the early word of the schedule and of the late one (of which the last is a shift).
macro_rules! compression {
    (
        $sha:ident $family:ty: $vector:ty, $($rounds:ident)+, [$($lane:ident)+],
        size $size:literal, lanes $lanes:literal,
        e [$e0:literal $e1:literal $e2:literal], a [$a0:literal $a1:literal $a2:literal],
        early [$early0:literal $early1:literal $early2:literal],
        late [$late0:literal $late1:literal $late2:literal]
    ) => {
        impl Assembly<$vector> for $family {
            #[inline]
            #[target_feature(enable = "avx512bw,avx512dq,avx512vl,movbe")]
            unsafe fn compress_and_copy(
                state: &mut [$vector; 8],
                block: &mut [$vector; BLOCK_WORDS],
                next: *mut [$vector; BLOCK_WORDS],
                data: *const *const u8,
                offset: usize,
            ) {
                let before = *state;
                let [a, b, c, d, e, f, g, h] = state;
                // SAFETY: `Assembly::compress_and_copy` asks the caller for a CPU with these
                // features, for LANES pointers at `data`, each readable for a block from `offset`,
                // and for `next`, which is writable and not `block`. Both have 16 vectors and are
                // aligned. In each vector of `next`, a word is written for each lane. All registers
                // that change are named.
                unsafe {
                    asm!(
                        load_words!(),
                        add_word!($sha "zmm7" "zmm16" 0 0),
                        begin!($sha "zmm4"),
                        $(sixteen!($sha $rounds),)+
                        block = in(reg) block,
                        k = inout(reg) $sha::K.as_ptr() => _,
                        offset = in(reg) offset,
                        data = inout(reg) data => _,
                        next = inout(reg) next => _,
                        $($lane = out(reg) _,)+
                        word = out(reg) _,
                        size = const $size, lanes = const $lanes,
                        e0 = const $e0, e1 = const $e1, e2 = const $e2,
                        a0 = const $a0, a1 = const $a1, a2 = const $a2,
                        early0 = const $early0, early1 = const $early1, early2 = const $early2,
                        late0 = const $late0, late1 = const $late1, late2 = const $late2,
                        inout("zmm0") a.0, inout("zmm1") b.0, inout("zmm2") c.0,
                        inout("zmm3") d.0, inout("zmm4") e.0, inout("zmm5") f.0,
                        inout("zmm6") g.0, inout("zmm7") h.0,
                        out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                        out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                        out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                        out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                        out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                        out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                        options(nostack),
                    );
                }
                for w in 0..8 {
                    state[w] = state[w].add(&before[w]);
                }
            }

            #[inline(always)]
            fn arrange(_words: &mut [$vector; BLOCK_WORDS]) {}
        }
    };
}

compression!(
    sha256 Sha256Family: U32x16, with with with copies, [lane0 lane1 lane2 lane3],
    size 4, lanes 16, e [6 11 25], a [2 13 22], early [7 18 3], late [17 19 10]
);

compression!(
    sha512 Sha512Family: U64x8, with with with with without, [lane0 lane1],
    size 8, lanes 8, e [14 18 41], a [28 34 39], early [1 8 7], late [19 61 6]
);

pub(super) use words;
