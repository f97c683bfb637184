//! SHA-512 (FIPS 180-4 section 6.4) of 8 messages.
//!
//! `a` to `h` are in registers 0 to 7, and the words of the message schedule in 16 to 31. Each 16
//! rounds copy two lanes, and the last 16 rounds need no schedule. In the order of a round, the
//! next round begins as soon as its e is known: the sum with word and constant, and two of the
//! rotations. Only then does the rest of this round follow, and of its schedule. As a loop of 16
//! rounds this takes a tenth longer in half of all calls.

use core::arch::asm;

use super::Assembly;
use crate::family::sha512::{K, Sha512Family};
use crate::vector::{BLOCK_WORDS, Vector, avx512::U64x8};

/// Operations of the rounds that have a schedule.
macro_rules! schedule {
    (without: $($op:expr),+) => {
        ""
    };
    (with: $($op:expr),+) => {
        concat!($($op),+)
    };
}

/// Copies word `$t` of a lane, which goes to byte `$to` of a vector.
macro_rules! copy {
    ($lane:literal $t:literal to $to:literal) => {
        concat!(
            op!(movbe "{word}", "[{" $lane "} + 8 * " $t "]"),
            op!(mov "[{next} + 64 * " $t " + " $to "]", "{word}"),
        )
    };
}

/// Adds constant `$t + $n` and a word to h.
macro_rules! add_word {
    ($h:literal $w:literal $t:literal $n:literal) => {
        concat!(
            op!(vpaddq $h, $h, "[{k} + 8 * (" $t " + " $n ")]{{1to8}}"),
            op!(vpaddq $h, $h, $w),
        )
    };
}

/// Begins the choice, and the sum of the rotations, of e.
macro_rules! begin {
    ($e:literal) => {
        concat!(
            op!(vmovdqa64 "zmm11", $e),
            op!(vprorq "zmm8", $e, 18),
            op!(vprorq "zmm9", $e, 41),
        )
    };
}

/// Round `$t` of 16, up to where the next one begins: then d is the next round's e.
macro_rules! first_half {
    (
        $schedule:ident $t:literal,
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w:literal $w1:literal $w9:literal $w14:literal]
    ) => {
        concat!(
            op!(vprorq "zmm10", $e, 14),
            op!(vmovdqa64 "zmm15", $a),
            op!(vprorq "zmm12", $a, 28),
            op!(vprorq "zmm14", $a, 39),
            op!(vprorq "zmm13", $a, 34),
            op!(vpternlogq "zmm11", $f, $g, "0xca"),
            op!(vpaddq $h, $h, "zmm11"),
            schedule!($schedule: copy!("even" $t to 0), op!(vprorq "zmm11", $w14, 19)),
            op!(vpternlogq "zmm15", $b, $c, "0xe8"),
            op!(vpternlogq "zmm10", "zmm8", "zmm9", "0x96"),
            op!(vpaddq $h, $h, "zmm10"),
            schedule!(
                $schedule: op!(vprorq "zmm8", $w14, 61),
                op!(vpsrlq "zmm9", $w14, 6),
                op!(vpternlogq "zmm11", "zmm8", "zmm9", "0x96"),
                op!(vpaddq $w, $w, "zmm11"),
                op!(vpaddq $w, $w, $w9),
                op!(vprorq "zmm10", $w1, 1)
            ),
            op!(vpaddq $d, $d, $h),
            op!(vpaddq $h, $h, "zmm15"),
            schedule!($schedule: copy!("odd" $t to 8), op!(vprorq "zmm15", $w1, 8)),
        )
    };
}

/// The rest of a round.
macro_rules! second_half {
    ($schedule:ident $h:literal $w:literal $w1:literal) => {
        concat!(
            op!(vpaddq $h, $h, "zmm12"),
            schedule!(
                $schedule: op!(vpsrlq "zmm13", $w1, 7),
                op!(vpternlogq "zmm10", "zmm15", "zmm13", "0x96"),
                op!(vpaddq $w, $w, "zmm10")
            ),
        )
    };
}

/// Rounds, of which 16 have the numbers 0 to 15. The sum in h is the next round's a. After `last`
/// none begins.
macro_rules! rounds {
    ($schedule:ident $state:tt $w:tt:) => {
        ""
    };
    (
        $schedule:ident
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal
         $w7:literal $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal
         $w14:literal $w15:literal]: last
    ) => {
        concat!(
            first_half!($schedule 15, [$a $b $c $d $e $f $g $h] [$w0 $w1 $w9 $w14]),
            op!(vpternlogq "zmm12", "zmm13", "zmm14", "0x96"),
            second_half!($schedule $h $w0 $w1),
        )
    };
    (
        $schedule:ident
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal]
        [$w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal
         $w7:literal $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal
         $w14:literal $w15:literal]: $t:literal $($rest:tt)*
    ) => {
        concat!(
            first_half!($schedule $t, [$a $b $c $d $e $f $g $h] [$w0 $w1 $w9 $w14]),
            add_word!($g $w1 $t 1),
            op!(vpternlogq "zmm12", "zmm13", "zmm14", "0x96"),
            begin!($d),
            second_half!($schedule $h $w0 $w1),
            rounds!(
                $schedule [$h $a $b $c $d $e $f $g]
                [$w1 $w2 $w3 $w4 $w5 $w6 $w7 $w8 $w9 $w10 $w11 $w12 $w13 $w14 $w15 $w0]: $($rest)*
            ),
        )
    };
}

/// Sixteen rounds, after which state and words are in the same registers again. With a schedule
/// they copy two lanes.
macro_rules! sixteen {
    (with) => {
        concat!(
            op!(mov "{even}", "[{data}]"),
            op!(add "{even}", "{offset}"),
            op!(mov "{odd}", "[{data} + 8]"),
            op!(add "{odd}", "{offset}"),
            sixteen!(with: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
            op!(add "{data}", 16),
            op!(add "{next}", 16),
            op!(add "{k}", 128),
        )
    };
    ($schedule:ident: $($t:tt)+) => {
        rounds!(
            $schedule ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7"]
            ["zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23"
             "zmm24" "zmm25" "zmm26" "zmm27" "zmm28" "zmm29" "zmm30" "zmm31"]: $($t)+
        )
    };
}

impl Assembly<U64x8> for Sha512Family {
    #[inline]
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,movbe")]
    unsafe fn compress_and_copy(
        state: &mut [U64x8; 8],
        block: &mut [U64x8; BLOCK_WORDS],
        next: *mut [U64x8; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    ) {
        let before = *state;
        let [a, b, c, d, e, f, g, h] = state;
        // SAFETY: the caller promises the instructions, 8 pointers at `data`, and 128 bytes from
        // `offset` of each. `block` and `next` have 16 vectors and are aligned. In each vector of
        // `next`, a word is written for each of 8 lanes. All registers that change are named.
        unsafe {
            asm!(
                load_words!(),
                add_word!("zmm7" "zmm16" 0 0),
                begin!("zmm4"),
                sixteen!(with),
                sixteen!(with),
                sixteen!(with),
                sixteen!(with),
                sixteen!(without: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 last),
                block = in(reg) block,
                k = inout(reg) K.as_ptr() => _,
                offset = in(reg) offset,
                data = inout(reg) data => _,
                next = inout(reg) next => _,
                even = out(reg) _,
                odd = out(reg) _,
                word = out(reg) _,
                inout("zmm0") a.0, inout("zmm1") b.0, inout("zmm2") c.0, inout("zmm3") d.0,
                inout("zmm4") e.0, inout("zmm5") f.0, inout("zmm6") g.0, inout("zmm7") h.0,
                out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _,
                out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
                out("zmm23") _, out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
        }
        for w in 0..8 {
            state[w] = state[w].add(before[w]);
        }
    }

    #[inline(always)]
    fn arrange(_words: &mut [U64x8; BLOCK_WORDS]) {}
}
