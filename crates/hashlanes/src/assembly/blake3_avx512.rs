//! BLAKE3's rounds (section 2.2) in 16 or 8 lanes of AVX-512.
//!
//! The sixteen words of the state are in one half of the registers, those of the block in the
//! other. As in `blake3.rs`, the four G of half a round go side by side, and integer registers copy
//! the next block in pairs of words: pair `p` of all lanes is in two vectors, the first of lanes 0,
//! 1, 4 and 5, and so on. Two shuffles make words of them. A transposition by shuffles alone takes
//! 64, for which Intel's cores have one port or two. Lanes are too many streams for the
//! prefetchers of the hardware, so each copy prefetches the block after the next but one.

use core::arch::{asm, naked_asm};
use core::mem::MaybeUninit;

use crate::vector::{BLOCK_WORDS, avx512::U32x16, avx512_256::U32x8};

/// The register of a word of the block.
macro_rules! word {
    ($v:ident 0) => {
        concat!(stringify!($v), "16")
    };
    ($v:ident 1) => {
        concat!(stringify!($v), "17")
    };
    ($v:ident 2) => {
        concat!(stringify!($v), "18")
    };
    ($v:ident 3) => {
        concat!(stringify!($v), "19")
    };
    ($v:ident 4) => {
        concat!(stringify!($v), "20")
    };
    ($v:ident 5) => {
        concat!(stringify!($v), "21")
    };
    ($v:ident 6) => {
        concat!(stringify!($v), "22")
    };
    ($v:ident 7) => {
        concat!(stringify!($v), "23")
    };
    ($v:ident 8) => {
        concat!(stringify!($v), "24")
    };
    ($v:ident 9) => {
        concat!(stringify!($v), "25")
    };
    ($v:ident 10) => {
        concat!(stringify!($v), "26")
    };
    ($v:ident 11) => {
        concat!(stringify!($v), "27")
    };
    ($v:ident 12) => {
        concat!(stringify!($v), "28")
    };
    ($v:ident 13) => {
        concat!(stringify!($v), "29")
    };
    ($v:ident 14) => {
        concat!(stringify!($v), "30")
    };
    ($v:ident 15) => {
        concat!(stringify!($v), "31")
    };
}

/// The register of a word of the state.
macro_rules! state {
    ($v:ident $i:literal) => {
        concat!(stringify!($v), $i)
    };
}

/// Makes words of pairs, each of which has two vectors of `$size` bytes.
macro_rules! arrange {
    ($v:ident $size:literal $($pair:literal: $even:tt $odd:tt),+) => {
        concat!($(
            "vmovdqa64 ", word!($v $even), ", [rdi + 2 * ", $size, " * ", $pair, "]\n",
            "vshufps ", word!($v $odd), ", ", word!($v $even),
            ", [rdi + 2 * ", $size, " * ", $pair, " + ", $size, "], 0xdd\n",
            "vshufps ", word!($v $even), ", ", word!($v $even),
            ", [rdi + 2 * ", $size, " * ", $pair, " + ", $size, "], 0x88\n",
        )+)
    };
}

/// Half of G, four times, each with a word of the message. Rotates by the two numbers of bits.
macro_rules! half_of_g {
    ($v:ident $first:literal $second:literal, $([$a:tt $b:tt $c:tt $d:tt, $w:tt])+) => {
        concat!(
            $("vpaddd ", state!($v $a), ", ", state!($v $a), ", ", word!($v $w), "\n",)+
            $("vpaddd ", state!($v $a), ", ", state!($v $a), ", ", state!($v $b), "\n",)+
            $("vpxord ", state!($v $d), ", ", state!($v $d), ", ", state!($v $a), "\n",)+
            $("vprord ", state!($v $d), ", ", state!($v $d), ", ", $first, "\n",)+
            $("vpaddd ", state!($v $c), ", ", state!($v $c), ", ", state!($v $d), "\n",)+
            $("vpxord ", state!($v $b), ", ", state!($v $b), ", ", state!($v $c), "\n",)+
            $("vprord ", state!($v $b), ", ", state!($v $b), ", ", $second, "\n",)+
        )
    };
}

/// Copies a lane to byte `$to` of the vectors of pairs.
macro_rules! copy {
    ($size:literal: $lane:literal to $to:literal) => {
        copy!($size: $lane to $to: 0 1 2 3 4 5 6 7)
    };
    ($size:literal: $lane:literal to $to:literal: $($pair:literal)+) => {
        concat!(
            op!(mov "r8", "[rdx + 8 * " $lane "]"),
            op!(prefetcht0 "[r8 + rcx + 128]"),
            $(
                op!(mov "r9", "[r8 + rcx + 8 * " $pair "]"),
                op!(mov "[rsi + 2 * " $size " * " $pair " + " $to "]", "r9"),
            )+
        )
    };
}

/// A round. Copies lanes, after each half of G one at most.
macro_rules! round {
    (
        $v:ident $size:literal: $x0:tt $y0:tt $x1:tt $y1:tt $x2:tt $y2:tt $x3:tt $y3:tt
        $x4:tt $y4:tt $x5:tt $y5:tt $x6:tt $y6:tt $x7:tt $y7:tt
        $(, $l0:literal to $t0:literal, $l1:literal to $t1:literal
        $(, $l2:literal to $t2:literal, $l3:literal to $t3:literal)?)?
    ) => {
        concat!(
            half_of_g!(
                $v 16 12, [0 4 8 12, $x0] [1 5 9 13, $x1] [2 6 10 14, $x2] [3 7 11 15, $x3]
            ),
            $(copy!($size: $l0 to $t0),)?
            half_of_g!(
                $v 8 7, [0 4 8 12, $y0] [1 5 9 13, $y1] [2 6 10 14, $y2] [3 7 11 15, $y3]
            ),
            $($(copy!($size: $l2 to $t2),)?)?
            half_of_g!(
                $v 16 12, [0 5 10 15, $x4] [1 6 11 12, $x5] [2 7 8 13, $x6] [3 4 9 14, $x7]
            ),
            $(copy!($size: $l1 to $t1),)?
            half_of_g!(
                $v 8 7, [0 5 10 15, $y4] [1 6 11 12, $y5] [2 7 8 13, $y6] [3 4 9 14, $y7]
            ),
            $($(copy!($size: $l3 to $t3),)?)?
        )
    };
}

macro_rules! rounds {
    ($name:ident: $vector:ident, $v:ident $size:literal $([$($lanes:tt)*])+) => {
        /// The seven rounds on the words `v`, with the `block` of pairs. Copies the pairs of the
        /// block that begins at byte `offset` of every lane to `next`.
        ///
        /// # Safety
        /// The CPU has AVX-512 F and VL. `block` is initialised. `data` is readable for the
        /// pointers of all lanes, and each of them for a block from `offset`.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(crate) unsafe fn $name(
            v: &mut [$vector; 16],
            block: &[MaybeUninit<$vector>; BLOCK_WORDS],
            next: &mut [MaybeUninit<$vector>; BLOCK_WORDS],
            data: *const *const u8,
            offset: usize,
        ) {
            /// It is a function for the same reason as that of `blake3.rs`.
            ///
            /// # Safety
            /// Only the assembly below calls it, which passes what it reads and names all registers
            /// that it changes.
            #[unsafe(naked)]
            unsafe extern "C" fn rounds() {
                naked_asm!(
                    arrange!($v $size 0: 0 1, 1: 2 3, 2: 4 5, 3: 6 7),
                    arrange!($v $size 4: 8 9, 5: 10 11, 6: 12 13, 7: 14 15),
                    $(round!($v $size: $($lanes)*),)+
                    "ret",
                )
            }
            // SAFETY: `# Safety` above asks the caller for a CPU with AVX-512 F and VL, and for a
            // pointer of each lane at `data`, readable for 64 bytes from `offset`. `block` and
            // `next` are borrowed here, have 16 vectors and are aligned. In each two vectors of
            // `next`, a pair is written for each lane. All registers that change are named.
            unsafe {
                asm!(
                    "call {rounds}",
                    rounds = sym rounds,
                    in("rdi") block, in("rsi") next, in("rdx") data, in("rcx") offset,
                    out("r8") _, out("r9") _,
                    inout("zmm0") v[0].0, inout("zmm1") v[1].0, inout("zmm2") v[2].0,
                    inout("zmm3") v[3].0, inout("zmm4") v[4].0, inout("zmm5") v[5].0,
                    inout("zmm6") v[6].0, inout("zmm7") v[7].0, inout("zmm8") v[8].0,
                    inout("zmm9") v[9].0, inout("zmm10") v[10].0, inout("zmm11") v[11].0,
                    inout("zmm12") v[12].0, inout("zmm13") v[13].0, inout("zmm14") v[14].0,
                    inout("zmm15") v[15].0,
                    out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                    out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                    out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                    out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                    options(preserves_flags),
                );
            }
        }
    };
}

rounds!(
    sixteen: U32x16, zmm 64
    [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 0 to 0, 1 to 8, 2 to 64, 3 to 72]
    [2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8, 4 to 16, 5 to 24, 6 to 80, 7 to 88]
    [3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1, 8 to 32, 9 to 40, 10 to 96, 11 to 104]
    [10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6, 12 to 48, 13 to 56, 14 to 112, 15 to 120]
    [12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4]
    [9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7]
    [11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13]
);
rounds!(
    eight: U32x8, ymm 32
    [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 0 to 0, 1 to 8]
    [2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8, 2 to 32, 3 to 40]
    [3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1, 4 to 16, 5 to 24]
    [10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6, 6 to 48, 7 to 56]
    [12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4]
    [9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7]
    [11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13]
);
