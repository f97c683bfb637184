//! Keccak-p[1600] (FIPS 202 section 3.3) of 8 messages.
//!
//! Word `x + 5 * y` of the state is in register `x + 5 * y` between rounds, and theta's sum of
//! column x in register `25 + x`. The compiler keeps some of the words in memory, which these 30
//! registers and two more avoid.
//!
//! Theta's sums are combined in pairs before they are used. That is five operations more than
//! ternary ones on each word, but an operation on three words takes twice as long as others if two
//! of them were just computed. In this order a round takes 56 cycles, and 68 with ternary ones. The
//! next round's sums begin before this round's words are complete.

use core::arch::asm;

use crate::family::keccak::{LANES, last_constants};
use crate::vector::avx512::U64x8;

/// An operation on registers, by number. The result is in the first one.
macro_rules! operation {
    (copy $to:literal $from:literal) => {
        op!(vmovdqa64 "zmm" $to, "zmm" $from)
    };
    (rol $to:literal $word:literal $bits:literal) => {
        op!(vprolq "zmm" $to, "zmm" $word, $bits)
    };
    (xor $to:literal $a:literal $b:literal) => {
        op!(vpxorq "zmm" $to, "zmm" $a, "zmm" $b)
    };
    (xor3 $a:literal $b:literal $c:literal) => {
        op!(vpternlogq "zmm" $a, "zmm" $b, "zmm" $c, "0x96")
    };
    // a ^ (!b & c). The result is where a, b or c was.
    (chi $a:literal $b:literal $c:literal) => {
        op!(vpternlogq "zmm" $a, "zmm" $b, "zmm" $c, "0xd2")
    };
    (chi_in_b $b:literal $a:literal $c:literal) => {
        op!(vpternlogq "zmm" $b, "zmm" $a, "zmm" $c, "0xc6")
    };
    (chi_in_c $c:literal $a:literal $b:literal) => {
        op!(vpternlogq "zmm" $c, "zmm" $a, "zmm" $b, "0x9c")
    };
    (iota $to:literal $word:literal) => {
        op!(vpxorq "zmm" $to, "zmm" $word, "[{constants}]{{1to8}}")
    };
}

macro_rules! operations {
    ($($name:ident $($operand:literal)+),+) => {
        concat!($(operation!($name $($operand)+)),+)
    };
}

/// Theta's sums before the first round.
macro_rules! sums {
    () => {
        operations!(
            copy 25 0, xor3 25 5 10, copy 26 1, xor3 26 6 11, copy 27 2, xor3 27 7 12,
            copy 28 3, xor3 28 8 13, copy 29 4, xor3 29 9 14,
            xor3 25 15 20, xor3 26 16 21, xor3 27 17 22, xor3 28 18 23, xor3 29 19 24
        )
    };
}

/// A round, and theta's sums of the next one, in an order that was found by search.
macro_rules! round {
    () => {
        operations!(
            rol 30 26 1, rol 31 28 1, xor 30 29 30, xor 20 20 30, xor 26 26 31, xor 12 12 26,
            xor 22 22 26, rol 12 12 43, rol 29 29 1, xor 7 7 26, xor 29 27 29, rol 31 25 1,
            rol 27 27 1, xor 28 28 31, xor 19 19 28, xor 25 25 27, xor 13 13 29, xor 0 0 30,
            rol 22 22 61, xor 3 3 29, xor 14 14 28, xor 15 15 30, xor 9 9 28, xor 1 1 25,
            rol 14 14 39, rol 20 20 18, rol 13 13 25, rol 19 19 8, xor 8 8 29, xor 5 5 30,
            xor 10 10 30, rol 9 9 20, rol 1 1 1, xor 18 18 29, xor 2 2 26, rol 7 7 6, rol 3 3 28,
            rol 8 8 55, copy 30 20, chi 30 1 7, rol 10 10 3, xor 16 16 25, rol 16 16 45,
            xor 6 6 25, copy 27 19, chi 27 20 1, rol 6 6 44, xor 21 21 25, xor 23 23 29,
            xor 17 17 26, rol 21 21 2, xor 4 4 28, rol 2 2 62, xor 11 11 25, rol 15 15 41,
            copy 25 15, chi 25 21 2, chi_in_c 20 13 19, copy 26 14, chi 26 15 21, chi_in_c 15 8 14,
            copy 29 9, chi 29 10 16, copy 31 16, chi 31 22 3, rol 11 11 10, xor 24 24 28,
            rol 17 17 15, rol 24 24 14, rol 18 18 21, rol 5 5 36, chi 21 2 8, rol 4 4 27,
            rol 23 23 56, chi_in_b 16 10 22, chi 22 3 9, copy 28 0, chi 28 6 12, chi 3 9 10,
            chi 1 7 13, chi 7 13 19, copy 9 5, chi 9 11 17, copy 10 12, chi 10 18 24, chi 2 8 14,
            iota 28 28, copy 13 24, chi 13 0 6, chi 6 12 18, chi 18 24 0, copy 19 6, xor3 19 29 7,
            copy 8 17, chi 8 23 4, copy 14 23, chi 14 4 5, copy 12 13, xor3 12 22 30,
            chi_in_b 17 11 23, copy 24 18, xor3 24 31 27, copy 0 10, xor3 0 16 20, xor3 24 8 25,
            xor3 0 17 26, copy 23 28, xor3 23 3 1, xor3 19 9 15, xor3 12 14 21, chi 4 5 11,
            xor3 23 4 2, copy 5 3, copy 3 18, copy 11 7, copy 7 16, copy 16 9, copy 9 22,
            copy 18 8, copy 8 31, copy 22 26, copy 26 19, copy 19 14, copy 14 30, copy 30 0,
            copy 0 28, copy 28 24, copy 24 21, copy 21 15, copy 15 4, copy 4 13, copy 13 27,
            copy 27 30, copy 30 1, copy 1 6, copy 6 29, copy 29 12, copy 12 20, copy 20 2,
            copy 2 10, copy 10 30, copy 30 23, copy 23 25, copy 25 30
        )
    };
}

/// The last `rounds` rounds of Keccak-f[1600], at least one.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn permute(a: &mut [U64x8; LANES], rounds: usize) {
    let constants = last_constants(rounds);
    let [
        a0,
        a1,
        a2,
        a3,
        a4,
        b0,
        b1,
        b2,
        b3,
        b4,
        c0,
        c1,
        c2,
        c3,
        c4,
        d0,
        d1,
        d2,
        d3,
        d4,
        e0,
        e1,
        e2,
        e3,
        e4,
    ] = a;
    // SAFETY: `# Safety` above asks the caller for a CPU with AVX-512 F. Each round reads one of
    // the constants, of which there are `rounds`. All registers that change are named.
    unsafe {
        asm!(
            sums!(),
            "2:",
            round!(),
            "add {constants}, 8",
            "dec {rounds}",
            "jnz 2b",
            constants = inout(reg) constants.as_ptr() => _,
            rounds = inout(reg) constants.len() => _,
            inout("zmm0") a0.0, inout("zmm1") a1.0, inout("zmm2") a2.0, inout("zmm3") a3.0,
            inout("zmm4") a4.0, inout("zmm5") b0.0, inout("zmm6") b1.0, inout("zmm7") b2.0,
            inout("zmm8") b3.0, inout("zmm9") b4.0, inout("zmm10") c0.0, inout("zmm11") c1.0,
            inout("zmm12") c2.0, inout("zmm13") c3.0, inout("zmm14") c4.0, inout("zmm15") d0.0,
            inout("zmm16") d1.0, inout("zmm17") d2.0, inout("zmm18") d3.0, inout("zmm19") d4.0,
            inout("zmm20") e0.0, inout("zmm21") e1.0, inout("zmm22") e2.0, inout("zmm23") e3.0,
            inout("zmm24") e4.0,
            out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
            out("zmm30") _, out("zmm31") _,
            options(nostack, readonly),
        );
    }
}
