//! MD5 (RFC 1321 section 3.4) of 16 messages, in two groups of 8 lanes of AVX2.
//!
//! `a` to `d` of the first group are in registers 0 to 3, those of the second in 4 to 7. A step of
//! one group follows a step of the other, each in the order of its definition: on Zen 3 that takes
//! 425 cycles a block, and the best order that a search found takes 421. A step is a chain of five
//! or six operations, which makes 348 cycles. Four operations start a cycle, which makes 310.
//!
//! A block is copied in *pairs*: words `2 * p` and `2 * p + 1` of a lane, in 8 bytes. Pair `p` of a
//! group is in two vectors, which one shuffle turns into the even words and another into the odd
//! ones, since VSHUFPS takes two words of each operand for every half of a vector. The first round
//! does so, and leaves the words where the pairs were.

use core::arch::{asm, x86_64::*};

use super::Assembly;
use crate::family::md5::{Md5Family, T};
use crate::vector::{BLOCK_WORDS, Interleave, Vector, avx2::U32x8};

/// The vectors of both groups.
type Both = Interleave<U32x8>;

/// The constants of the steps in all lanes, and the bytes of each word, rotated by two. The fourth
/// round adds `i`, which is -1 - (c ^ (!b & d)), by a subtraction. The -1 is in its constants.
#[repr(C, align(64))]
#[allow(dead_code, reason = "only the assembly reads them")]
struct Table {
    constants: [[u32; 8]; 64],
    rotated: [[u8; 16]; 2],
}

static TABLE: Table = {
    let mut constants = [[0; 8]; 64];
    let mut t = 0;
    while t < T.len() {
        constants[t] = [if t < 48 { T[t] } else { T[t].wrapping_sub(1) }; 8];
        t += 1;
    }
    let rotated = [[2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13]; 2];
    Table { constants, rotated }
};

/// Adds the function of b, c and d to a. Leaves two registers in an unspecified state.
macro_rules! add_function {
    (f $a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal) => {
        concat!(
            op!(vpandn $x, $b, $d),
            op!(vpand $y, $b, $c),
            op!(vpaddd $a, $a, $x),
            op!(vpaddd $a, $a, $y),
        )
    };
    // What does not depend on b comes first.
    (g $a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal) => {
        concat!(
            op!(vpandn $x, $d, $c),
            op!(vpaddd $a, $a, $x),
            op!(vpand $y, $d, $b),
            op!(vpaddd $a, $a, $y),
        )
    };
    (h $a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal) => {
        concat!(op!(vpxor $x, $c, $d), op!(vpxor $x, $x, $b), op!(vpaddd $a, $a, $x))
    };
    (i $a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal) => {
        concat!(op!(vpandn $x, $b, $d), op!(vpxor $x, $x, $c), op!(vpsubd $a, $a, $x))
    };
}

/// Rotates a, and adds b.
macro_rules! rotate_add {
    (16 $a:literal $b:literal, $x:literal) => {
        concat!(op!(vpshufb $a, $a, "[{table} + 2048]"), op!(vpaddd $a, $a, $b))
    };
    // One of the shifts need not be ready before the sum of the other and b.
    ($shift:literal $a:literal $b:literal, $x:literal) => {
        concat!(
            op!(vpsrld $x, $a, "32 - " $shift),
            op!(vpslld $a, $a, $shift),
            op!(vpaddd $a, $a, $b),
            op!(vpaddd $a, $a, $x),
        )
    };
}

/// In the steps of the first round that come to a new pair: the words of a group.
macro_rules! words {
    (f $group:literal $w:literal $next_w:literal, $even:literal $odd:literal) => {
        concat!(
            op!(vmovdqa $odd, "[{block} + 64 * " $w " + 32 * " $group "]"),
            op!(vshufps $even, $odd, "[{block} + 64 * " $next_w " + 32 * " $group "]", "0x88"),
            op!(vshufps $odd, $odd, "[{block} + 64 * " $next_w " + 32 * " $group "]", "0xdd"),
            op!(vmovdqa "[{block} + 64 * " $w " + 32 * " $group "]", $even),
            op!(vmovdqa "[{block} + 64 * " $next_w " + 32 * " $group "]", $odd),
        )
    };
    ($($other:tt)+) => {
        ""
    };
}

/// A step of a group.
macro_rules! group {
    (
        $group:literal, $function:ident $shift:tt, $t:literal $n:literal,
        [$a:literal $b:literal $c:literal $d:literal], $w:literal $($next_w:literal)?,
        $x:literal $y:literal
    ) => {
        concat!(
            words!($function $group $w $($next_w)?, $x $y),
            op!(vpaddd $a, $a, "[{table} + 32 * (" $t " + " $n ")]"),
            op!(vpaddd $a, $a, "[{block} + 64 * " $w " + 32 * " $group "]"),
            add_function!($function $a $b $c $d, $x $y),
            rotate_add!($shift $a $b, $x),
        )
    };
}

/// Copies pair `$pair` of a lane, which goes to byte `$to` of a pair's vectors.
macro_rules! copy {
    ($pair:literal to $to:literal) => {
        concat!(
            op!(mov "{pair}", "[{lane} + {offset} + 8 * " $pair "]"),
            op!(mov "[{next} + 128 * " $pair " + " $to "]", "{pair}"),
        )
    };
}

/// A step of both groups, which copies two pairs.
macro_rules! step {
    (
        $function:ident $shift:tt, $t:literal $n:literal,
        [$a0:literal $b0:literal $c0:literal $d0:literal]
        [$a1:literal $b1:literal $c1:literal $d1:literal],
        $w:literal $($next_w:literal)?, $pair:literal $next_pair:literal to $to:literal
    ) => {
        concat!(
            group!(
                0, $function $shift, $t $n, [$a0 $b0 $c0 $d0], $w $($next_w)?, "ymm8" "ymm9"
            ),
            copy!($pair to $to),
            group!(
                1, $function $shift, $t $n, [$a1 $b1 $c1 $d1], $w $($next_w)?, "ymm10" "ymm11"
            ),
            copy!($next_pair to $to),
        )
    };
}

/// Four steps from `$t` on, which take four words and copy a lane.
macro_rules! steps {
    (
        $function:ident [$s0:tt $s1:tt $s2:tt $s3:tt] $t:literal:
        $w0:literal $w1:literal $w2:literal $w3:literal, $lane:literal to $to:literal
    ) => {
        concat!(
            op!(mov "{lane}", "[{data} + 8 * " $lane "]"),
            step!(
                $function $s0, $t 0, ["ymm0" "ymm1" "ymm2" "ymm3"] ["ymm4" "ymm5" "ymm6" "ymm7"],
                $w0 $w1, 0 1 to $to
            ),
            step!(
                $function $s1, $t 1, ["ymm3" "ymm0" "ymm1" "ymm2"] ["ymm7" "ymm4" "ymm5" "ymm6"],
                $w1, 2 3 to $to
            ),
            step!(
                $function $s2, $t 2, ["ymm2" "ymm3" "ymm0" "ymm1"] ["ymm6" "ymm7" "ymm4" "ymm5"],
                $w2 $w3, 4 5 to $to
            ),
            step!(
                $function $s3, $t 3, ["ymm1" "ymm2" "ymm3" "ymm0"] ["ymm5" "ymm6" "ymm7" "ymm4"],
                $w3, 6 7 to $to
            ),
        )
    };
}

impl Assembly<Both> for Md5Family {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn compress_and_copy(
        state: &mut [Both; 8],
        block: &mut [Both; BLOCK_WORDS],
        next: *mut [Both; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    ) {
        let before = *state;
        let [a, b, c, d, ..] = state;
        // SAFETY: `Assembly::compress_and_copy` asks the caller for a CPU with AVX2, for 16
        // pointers at `data`, each readable for 64 bytes from `offset`, and for `next`, which is
        // writable and not `block`. Both have 16 times two vectors and are aligned, as the table
        // is. In each four vectors of `next`, a pair is written for each of 16 lanes. All registers
        // that change are named.
        unsafe {
            asm!(
                steps!(f [7 12 17 22] 0: 0 1 2 3, 0 to 0),
                steps!(f [7 12 17 22] 4: 4 5 6 7, 1 to 8),
                steps!(f [7 12 17 22] 8: 8 9 10 11, 2 to 64),
                steps!(f [7 12 17 22] 12: 12 13 14 15, 3 to 72),
                steps!(g [5 9 14 20] 16: 1 6 11 0, 4 to 16),
                steps!(g [5 9 14 20] 20: 5 10 15 4, 5 to 24),
                steps!(g [5 9 14 20] 24: 9 14 3 8, 6 to 80),
                steps!(g [5 9 14 20] 28: 13 2 7 12, 7 to 88),
                steps!(h [4 11 16 23] 32: 5 8 11 14, 8 to 32),
                steps!(h [4 11 16 23] 36: 1 4 7 10, 9 to 40),
                steps!(h [4 11 16 23] 40: 13 0 3 6, 10 to 96),
                steps!(h [4 11 16 23] 44: 9 12 15 2, 11 to 104),
                steps!(i [6 10 15 21] 48: 0 7 14 5, 12 to 48),
                steps!(i [6 10 15 21] 52: 12 3 10 1, 13 to 56),
                steps!(i [6 10 15 21] 56: 8 15 6 13, 14 to 112),
                steps!(i [6 10 15 21] 60: 4 11 2 9, 15 to 120),
                block = in(reg) block,
                table = in(reg) &raw const TABLE,
                offset = in(reg) offset,
                data = in(reg) data,
                next = in(reg) next,
                lane = out(reg) _,
                pair = out(reg) _,
                inout("ymm0") a.0.0, inout("ymm1") b.0.0, inout("ymm2") c.0.0,
                inout("ymm3") d.0.0, inout("ymm4") a.1.0, inout("ymm5") b.1.0,
                inout("ymm6") c.1.0, inout("ymm7") d.1.0,
                out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                options(nostack, preserves_flags),
            );
        }
        for w in 0..4 {
            state[w] = state[w].add(&before[w]);
        }
    }

    arrange_in_pairs!(_mm256_unpacklo_epi32, _mm256_unpackhi_epi32);
}
