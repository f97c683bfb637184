//! SHA-1 (FIPS 180-4 section 6.1) of 16 messages.
//!
//! `a` to `e` are in registers 0 to 4, and the words of the message schedule in 16 to 31. In the
//! order of a round, the function of the next one is computed as soon as b has been rotated. What
//! each of the first 64 rounds does for the schedule, it does in the middle, and each copies four
//! words of a lane.

use core::arch::asm;

use super::Assembly;
use crate::family::sha1::{K, Sha1Family};
use crate::vector::{BLOCK_WORDS, Vector, avx512::U32x16};

/// The function of a, b and c that is the next round's of b, c and d. The immediate is its truth
/// table.
macro_rules! function {
    (choose $f:literal $a:literal $b:literal $c:literal) => {
        concat!(op!(vmovdqa64 $f, $a), op!(vpternlogd $f, $b, $c, "0xca"))
    };
    (parity $f:literal $a:literal $b:literal $c:literal) => {
        concat!(op!(vmovdqa64 $f, $a), op!(vpternlogd $f, $b, $c, "0x96"))
    };
    (majority $f:literal $a:literal $b:literal $c:literal) => {
        concat!(op!(vmovdqa64 $f, $a), op!(vpternlogd $f, $b, $c, "0xe8"))
    };
}

/// Computes the word of the schedule 16 rounds after `$w`, in its place.
macro_rules! schedule {
    (none $($w:literal)+) => {
        ""
    };
    ($first:literal $w:literal $w2:literal $w8:literal $w13:literal) => {
        concat!(
            op!(vpternlogd $w, $w2, $w8, "0x96"),
            op!(vpxord $w, $w, $w13),
            op!(vprold $w, $w, 1),
        )
    };
}

/// Copies word `$first + $n` of a lane.
macro_rules! copy {
    (none $n:literal) => {
        ""
    };
    ($first:literal $n:literal) => {
        concat!(
            op!(movbe "{word:e}", "[{lane} + 4 * " $first " + 4 * " $n "]"),
            op!(mov "[{next} + 64 * " $first " + 64 * " $n "]", "{word:e}"),
        )
    };
}

/// Goes to the next lane before its first word.
macro_rules! next_lane {
    (0) => {
        concat!(
            op!(mov "{lane}", "[{data}]"),
            op!(add "{lane}", "{offset}"),
            op!(add "{data}", 8),
            op!(add "{next}", 4),
        )
    };
    ($first:tt) => {
        ""
    };
}

/// A round. Its function is in `$f`, and its constant is in e already. Both are prepared for the
/// next round, with `$function` and `$k`.
macro_rules! round {
    (
        $function:ident $k:literal, [$a:literal $b:literal $c:literal $d:literal $e:literal]
        [$f:literal $next_f:literal] [$w:literal $($others:literal)+] $copy:tt
    ) => {
        concat!(
            next_lane!($copy),
            op!(vprold "zmm7", $a, 5),
            op!(vprold $b, $b, 30),
            copy!($copy 0),
            function!($function $next_f $a $b $c),
            op!(vpaddd $e, $e, $w),
            copy!($copy 1),
            schedule!($copy $w $($others)+),
            copy!($copy 2),
            op!(vpaddd $d, $d, $k),
            op!(vpaddd $e, $e, $f),
            copy!($copy 3),
            op!(vpaddd $e, $e, "zmm7"),
        )
    };
    (last, [$a:literal $b:literal $c:literal $d:literal $e:literal] [$f:literal] [$w:literal]) => {
        concat!(
            op!(vprold "zmm7", $a, 5),
            op!(vprold $b, $b, 30),
            op!(vpaddd $e, $e, $w),
            op!(vpaddd $e, $e, $f),
            op!(vpaddd $e, $e, "zmm7"),
        )
    };
}

/// A round for each item after the colon, which is the first of the four words that it copies, or
/// `none`. The sum in e is the next round's a. `=>` changes what is prepared for the next rounds.
macro_rules! rounds {
    (
        $function:ident $k:literal, $state:tt $f:tt $w:tt:
        => $next_function:ident $next_k:literal: $($rest:tt)+
    ) => {
        rounds!($next_function $next_k, $state $f $w: $($rest)+)
    };
    (
        $function:ident $k:literal, $state:tt [$f:literal $next_f:literal]
        [$w:literal $($others:literal)+]: last
    ) => {
        round!(last, $state [$f] [$w])
    };
    (
        $function:ident $k:literal, [$a:literal $b:literal $c:literal $d:literal $e:literal]
        [$f:literal $next_f:literal]
        [$w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal
         $w7:literal $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal
         $w14:literal $w15:literal]: $copy:tt $($rest:tt)+
    ) => {
        concat!(
            round!($function $k, [$a $b $c $d $e] [$f $next_f] [$w0 $w2 $w8 $w13] $copy),
            rounds!(
                $function $k, [$e $a $b $c $d] [$next_f $f]
                [$w1 $w2 $w3 $w4 $w5 $w6 $w7 $w8 $w9 $w10 $w11 $w12 $w13 $w14 $w15 $w0]: $($rest)+
            ),
        )
    };
}

impl Assembly<U32x16> for Sha1Family {
    #[inline]
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,movbe")]
    unsafe fn compress_and_copy(
        state: &mut [U32x16; 8],
        block: &mut [U32x16; BLOCK_WORDS],
        next: *mut [U32x16; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    ) {
        let before = *state;
        let [a, b, c, d, e, ..] = state;
        // SAFETY: `Assembly::compress_and_copy` asks the caller for a CPU with these features, for
        // 16 pointers at `data`, each readable for 64 bytes from `offset`, and for `next`, which is
        // writable and not `block`. Both have 16 vectors and are aligned. In each vector of `next`,
        // a word is written for each of 16 lanes. All registers that change are named.
        unsafe {
            asm!(
                load_words!(),
                op!(vpbroadcastd "zmm8", "[{k}]"),
                op!(vpbroadcastd "zmm9", "[{k} + 4]"),
                op!(vpbroadcastd "zmm10", "[{k} + 8]"),
                op!(vpbroadcastd "zmm11", "[{k} + 12]"),
                function!(choose "zmm5" "zmm1" "zmm2" "zmm3"),
                op!(vpaddd "zmm4", "zmm4", "zmm8"),
                rounds!(
                    choose "zmm8", ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4"] ["zmm5" "zmm6"]
                    ["zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23"
                     "zmm24" "zmm25" "zmm26" "zmm27" "zmm28" "zmm29" "zmm30" "zmm31"]:
                    0 4 8 12 0 4 8 12 0 4 8 12 0 4 8 12 0 4 8
                    => parity "zmm9": 12 0 4 8 12 0 4 8 12 0 4 8 12 0 4 8 12 0 4 8
                    => majority "zmm10": 12 0 4 8 12 0 4 8 12 0 4 8 12 0 4 8 12 0 4 8
                    => parity "zmm11": 12 0 4 8 12 none none none none none none none none none
                                       none none none none none none last
                ),
                block = in(reg) block,
                k = in(reg) &K,
                offset = in(reg) offset,
                data = inout(reg) data => _,
                // It moves on before the first word of a lane.
                next = inout(reg) next.cast::<u32>().wrapping_sub(1) => _,
                lane = out(reg) _,
                word = out(reg) _,
                inout("zmm0") a.0, inout("zmm1") b.0, inout("zmm2") c.0, inout("zmm3") d.0,
                inout("zmm4") e.0,
                out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _,
                out("zmm10") _, out("zmm11") _, out("zmm16") _, out("zmm17") _, out("zmm18") _,
                out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _,
                out("zmm29") _, out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
        }
        for w in 0..5 {
            state[w] = state[w].add(&before[w]);
        }
    }

    #[inline(always)]
    fn arrange(_words: &mut [U32x16; BLOCK_WORDS]) {}
}
