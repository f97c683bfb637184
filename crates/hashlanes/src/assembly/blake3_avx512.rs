//! BLAKE3's rounds (section 2.2) in 8, 16 or 32 lanes of AVX-512.
//!
//! The sixteen words of the state are in one half of the registers, those of the block in the
//! other. In two groups of 16 lanes, the state takes all registers, and the block is in memory. As
//! in `blake3.rs`, the four G of half a round go side by side, and integer registers copy the next
//! block in pairs of words: pair `p` of all lanes is in two vectors, the first of lanes 0, 1, 4 and
//! 5, and so on. Two shuffles make words of them. A transposition by shuffles alone takes 64, for
//! which Intel's cores have one port or two. Lanes are too many streams for the prefetchers of the
//! hardware, so each copy prefetches the block after the next but one.

use core::arch::{asm, naked_asm};
use core::mem::MaybeUninit;

use crate::family::{blake::LANE_WORDS, blake2::IV_S};
use crate::vector::{BLOCK_WORDS, Interleave, avx512::U32x16, avx512_256::U32x8};

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
    (first $i:tt) => {
        state!(zmm $i)
    };
    (second $i:tt) => {
        word!(zmm $i)
    };
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

/// Operations on words of the state, each of which changes its first one.
macro_rules! each {
    ($v:ident $op:literal $([$a:tt $b:tt])+) => {
        concat!($($op, " ", state!($v $a), ", ", state!($v $a), ", ", state!($v $b), "\n",)+)
    };
    ($v:ident $op:literal by $bits:literal: $($a:tt)+) => {
        concat!($($op, " ", state!($v $a), ", ", state!($v $a), ", ", $bits, "\n",)+)
    };
}

/// Adds words of the message to those of the state: of two groups from memory.
macro_rules! add_words {
    (first $($words:tt)+) => {
        add_words!(@zmm 0: $($words)+)
    };
    (second $($words:tt)+) => {
        add_words!(@second 64: $($words)+)
    };
    (@$v:ident $at:literal: $([$a:tt $w:tt])+) => {
        concat!($(
            "vpaddd ", state!($v $a), ", ", state!($v $a), ", [rdi + 128 * ", $w, " + ", $at, "]\n",
        )+)
    };
    ($v:ident $([$a:tt $w:tt])+) => {
        concat!($("vpaddd ", state!($v $a), ", ", state!($v $a), ", ", word!($v $w), "\n",)+)
    };
}

/// Half of G, four times, each with a word of the message. Rotates by the two numbers of bits. Of
/// `both` groups, one after the other: operation by operation, the rounds take 460 cycles instead
/// of 432.
macro_rules! half_of_g {
    (both $($rest:tt)+) => {
        concat!(half_of_g!(first $($rest)+), half_of_g!(second $($rest)+))
    };
    ($v:ident $first:literal $second:literal, $([$a:tt $b:tt $c:tt $d:tt, $w:tt])+) => {
        concat!(
            add_words!($v $([$a $w])+),
            each!($v "vpaddd" $([$a $b])+),
            each!($v "vpxord" $([$d $a])+),
            each!($v "vprord" by $first: $($d)+),
            each!($v "vpaddd" $([$c $d])+),
            each!($v "vpxord" $([$b $c])+),
            each!($v "vprord" by $second: $($b)+),
        )
    };
}

/// Copies lanes, each to byte `$to` of the vectors of pairs.
macro_rules! copy {
    ($size:literal: $($lane:literal to $to:literal),*) => {
        concat!($(copy!($size: $lane to $to: 0 1 2 3 4 5 6 7)),*)
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

/// A round. Copies lanes after each half of G.
macro_rules! round {
    (
        $v:ident $size:literal: $x0:tt $y0:tt $x1:tt $y1:tt $x2:tt $y2:tt $x3:tt $y3:tt
        $x4:tt $y4:tt $x5:tt $y5:tt $x6:tt $y6:tt $x7:tt $y7:tt
        $(, [$($l0:tt)*] [$($l1:tt)*] [$($l2:tt)*] [$($l3:tt)*])?
    ) => {
        concat!(
            half_of_g!(
                $v 16 12, [0 4 8 12, $x0] [1 5 9 13, $x1] [2 6 10 14, $x2] [3 7 11 15, $x3]
            ),
            $(copy!($size: $($l0)*),)?
            half_of_g!(
                $v 8 7, [0 4 8 12, $y0] [1 5 9 13, $y1] [2 6 10 14, $y2] [3 7 11 15, $y3]
            ),
            $(copy!($size: $($l1)*),)?
            half_of_g!(
                $v 16 12, [0 5 10 15, $x4] [1 6 11 12, $x5] [2 7 8 13, $x6] [3 4 9 14, $x7]
            ),
            $(copy!($size: $($l2)*),)?
            half_of_g!(
                $v 8 7, [0 5 10 15, $y4] [1 6 11 12, $y5] [2 7 8 13, $y6] [3 4 9 14, $y7]
            ),
            $(copy!($size: $($l3)*),)?
        )
    };
}

/// The seven rounds. The first four copy the lanes that are listed.
macro_rules! seven {
    ($v:ident $size:literal: [$($a:tt)*] [$($b:tt)*] [$($c:tt)*] [$($d:tt)*]) => {
        concat!(
            round!($v $size: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, $($a)*),
            round!($v $size: 2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8, $($b)*),
            round!($v $size: 3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1, $($c)*),
            round!($v $size: 10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6, $($d)*),
            round!($v $size: 12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4),
            round!($v $size: 9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7),
            round!($v $size: 11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13),
        )
    };
}

macro_rules! rounds {
    ($name:ident: $vector:ident, $v:ident $size:literal $($lanes:tt)+) => {
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
                    seven!($v $size: $($lanes)+),
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
    [[0 to 0] [2 to 64] [1 to 8] [3 to 72]] [[4 to 16] [6 to 80] [5 to 24] [7 to 88]]
    [[8 to 32] [10 to 96] [9 to 40] [11 to 104]] [[12 to 48] [14 to 112] [13 to 56] [15 to 120]]
);
rounds!(
    eight: U32x8, ymm 32
    [[0 to 0] [] [1 to 8] []] [[2 to 32] [] [3 to 40] []]
    [[4 to 16] [] [5 to 24] []] [[6 to 48] [] [7 to 56] []]
);

/// Two groups of lanes.
type Both = Interleave<U32x16>;

/// The initial values, of which four are words before the first round.
static IV: [u32; 8] = IV_S;

/// Makes words of pairs, in their place.
macro_rules! arrange_in_place {
    ($($pair:literal)+) => {
        concat!($(arrange_in_place!($pair at 0), arrange_in_place!($pair at 64)),+)
    };
    ($pair:literal at $at:literal) => {
        concat!(
            op!(vmovdqa64 "zmm0", "[rsi + 256 * " $pair " + " $at "]"),
            op!(vshufps "zmm1", "zmm0", "[rsi + 256 * " $pair " + 128 + " $at "]", "0x88"),
            op!(vshufps "zmm0", "zmm0", "[rsi + 256 * " $pair " + 128 + " $at "]", "0xdd"),
            op!(vmovdqa64 "[rsi + 256 * " $pair " + " $at "]", "zmm1"),
            op!(vmovdqa64 "[rsi + 256 * " $pair " + 128 + " $at "]", "zmm0"),
        )
    };
}

/// Loads words of the state of both groups from places in memory, or stores them.
macro_rules! both {
    ($from:literal to $([$i:tt $place:literal])+) => {
        concat!($(
            "vmovdqa64 ", state!(zmm $i), ", [", $from, " + 128 * ", $place, "]\n",
            "vmovdqa64 ", state!(second $i), ", [", $from, " + 128 * ", $place, " + 64]\n",
        )+)
    };
    ($([$i:tt $place:literal])+ to $to:literal) => {
        concat!($(
            "vmovdqa64 [", $to, " + 128 * ", $place, "], ", state!(zmm $i), "\n",
            "vmovdqa64 [", $to, " + 128 * ", $place, " + 64], ", state!(second $i), "\n",
        )+)
    };
}

/// Compresses the `block` of words in two groups of lanes, whose state takes all registers.
/// Replaces the eight words of the state that are chained. Copies the block that begins at byte
/// `offset` of every lane to `next`, and makes words of its pairs.
///
/// On Zen 5 the rounds alone take 432 cycles, and all of it 500. By operations it would be 408.
///
/// # Safety
/// The CPU has AVX-512 F. `block` is initialised. `data` is readable for the pointers of all lanes,
/// and each of them for a block from `offset`.
#[inline]
pub(crate) unsafe fn both(
    state: &mut [Both; LANE_WORDS],
    block: &mut [MaybeUninit<Both>; BLOCK_WORDS],
    next: &mut [MaybeUninit<Both>; BLOCK_WORDS],
    data: *const *const u8,
    offset: usize,
) {
    /// # Safety
    /// As for the function above.
    #[unsafe(naked)]
    unsafe extern "sysv64" fn compress(
        block: *mut [MaybeUninit<Both>; BLOCK_WORDS],
        next: *mut [MaybeUninit<Both>; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
        state: *mut [Both; LANE_WORDS],
    ) {
        naked_asm!(
            op!(mov "r10", "r8"),
            op!(lea "rax", "[rip + {iv}]"),
            both!("r10" to [0 0] [1 1] [2 2] [3 3] [4 4] [5 5] [6 6] [7 7]),
            op!(vpbroadcastd "zmm8", "[rax]"),
            op!(vpbroadcastd "zmm9", "[rax + 4]"),
            op!(vpbroadcastd "zmm10", "[rax + 8]"),
            op!(vpbroadcastd "zmm11", "[rax + 12]"),
            op!(vmovdqa64 "zmm24", "zmm8"),
            op!(vmovdqa64 "zmm25", "zmm9"),
            op!(vmovdqa64 "zmm26", "zmm10"),
            op!(vmovdqa64 "zmm27", "zmm11"),
            both!("r10" to [12 8] [13 9] [14 10] [15 11]),
            seven!(
                both 128:
                [[0 to 0, 1 to 8] [2 to 128, 3 to 136] [4 to 16, 5 to 24] [6 to 144, 7 to 152]]
                [[8 to 32, 9 to 40] [10 to 160, 11 to 168]
                 [12 to 48, 13 to 56] [14 to 176, 15 to 184]]
                [[16 to 64, 17 to 72] [18 to 192, 19 to 200]
                 [20 to 80, 21 to 88] [22 to 208, 23 to 216]]
                [[24 to 96, 25 to 104] [26 to 224, 27 to 232]
                 [28 to 112, 29 to 120] [30 to 240, 31 to 248]]
            ),
            each!(first "vpxord" [0 8] [1 9] [2 10] [3 11] [4 12] [5 13] [6 14] [7 15]),
            each!(second "vpxord" [0 8] [1 9] [2 10] [3 11] [4 12] [5 13] [6 14] [7 15]),
            both!([0 0] [1 1] [2 2] [3 3] [4 4] [5 5] [6 6] [7 7] to "r10"),
            arrange_in_place!(0 1 2 3 4 5 6 7),
            "ret",
            iv = sym IV,
        )
    }
    // SAFETY: `# Safety` above asks the caller for a CPU with AVX-512 F, for a block of words, and
    // for a pointer of each lane at `data`, readable for 64 bytes from `offset`. The others are
    // borrowed here, have as many vectors as are written, and are aligned. The registers that
    // change are those that a function may change by its ABI.
    unsafe { compress(block, next, data, offset, state) };
}

/// Makes words of the pairs of a block.
///
/// # Safety
/// The CPU has AVX-512 F. `block` is initialised.
#[inline]
pub(crate) unsafe fn arrange(block: &mut [MaybeUninit<Both>; BLOCK_WORDS]) {
    /// The block is in the same register as `next` of [`both`].
    ///
    /// # Safety
    /// As for the function above.
    #[unsafe(naked)]
    unsafe extern "sysv64" fn arrange(_: usize, block: *mut [MaybeUninit<Both>; BLOCK_WORDS]) {
        naked_asm!(arrange_in_place!(0 1 2 3 4 5 6 7), "ret")
    }
    // SAFETY: `# Safety` above asks the caller for the same. `block` is borrowed, has 16 vectors of
    // two groups, and is aligned.
    unsafe { arrange(0, block) };
}
