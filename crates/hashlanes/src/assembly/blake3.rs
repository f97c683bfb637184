//! BLAKE3's rounds (section 2.2) in 8 lanes of AVX2.
//!
//! The sixteen words would fill the registers, and rotations need one more. So word 8 is in memory,
//! and register 8 is free. The four G of half a round go side by side, operation by operation, in
//! the order of their definition. Alone that takes 345 cycles a block on Zen 3, where one G after
//! the other takes 381, two and two 367, and word 0 or 12 in memory 362 and more. By units it would
//! be 258, and a half of a round is a chain of 14, which makes 196. The first four rounds copy the
//! next block.
//!
//! A block is copied in *pairs*: words `2 * p` and `2 * p + 1` of a lane, in 8 bytes. Pair `p` is
//! in two vectors: of lanes 0, 1, 4 and 5, and of the others. One shuffle turns them into the even
//! words, another into the odd ones, since VSHUFPS takes two words of each operand for every half
//! of a vector. The first round does so, and leaves the words in other memory.

use core::arch::{asm, naked_asm};
use core::mem::MaybeUninit;

use crate::vector::{BLOCK_WORDS, Vector, avx2::U32x8};

/// Where each byte of a register goes in rotations by 16 and by 8 bits.
#[repr(C, align(64))]
#[allow(dead_code, reason = "only the assembly reads them")]
struct Table([[u8; 16]; 2], [[u8; 16]; 2]);

static TABLE: Table = Table(
    [[2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13]; 2],
    [[1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12]; 2],
);

/// The words of a block, and word 8 of the state.
#[repr(C, align(64))]
struct Memory([MaybeUninit<U32x8>; BLOCK_WORDS + 1]);

/// Adds a word of the message, which the first round takes from pairs.
macro_rules! add_word {
    (words $half:ident $a:tt $w:tt) => {
        op!(vpaddd $a, $a, "[r10 + 32 * " $w "]")
    };
    (pairs even $a:tt $w:tt) => {
        add_word!($a $w, "[rdi + 32 * " $w "]", "[rdi + 32 * " $w " + 32]", "0x88")
    };
    (pairs odd $a:tt $w:tt) => {
        add_word!($a $w, "[rdi + 32 * " $w " - 32]", "[rdi + 32 * " $w "]", "0xdd")
    };
    ($a:tt $w:tt, $($low:literal)+, $($high:literal)+, $words:literal) => {
        concat!(
            op!(vmovdqa "ymm8", $($low)+),
            op!(vshufps "ymm8", "ymm8", $($high)+, $words),
            op!(vmovdqa "[r10 + 32 * " $w "]", "ymm8"),
            op!(vpaddd $a, $a, "ymm8"),
        )
    };
}

/// Adds d to c. If c is in memory, also adds its bits to b.
macro_rules! add_to_c {
    ($b:tt 8 $d:tt) => {
        concat!(
            op!(vpaddd "ymm8", $d, "[r10 + 512]"),
            op!(vmovdqa "[r10 + 512]", "ymm8"),
            op!(vpxor $b, $b, "ymm8"),
        )
    };
    ($b:tt $c:tt $d:tt) => {
        op!(vpaddd $c, $c, $d)
    };
}

/// Adds the bits of c to b, unless [`add_to_c`] did.
macro_rules! xor_b {
    ($b:tt 8) => {
        ""
    };
    ($b:tt $c:tt) => {
        op!(vpxor $b, $b, $c)
    };
}

/// Half of G, four times: `even` with the first word of the message, `odd` with the second one.
/// Rotates by the bytes at `$bytes` of the table, and by `$shift` bits.
macro_rules! half_of_g {
    (
        $from:ident $half:ident, $bytes:literal $shift:literal,
        $([$a:tt $b:tt $c:tt $d:tt, $w:tt])+
    ) => {
        concat!(
            $(add_word!($from $half $a $w),)+
            $(op!(vpaddd $a, $a, $b),)+
            $(op!(vpxor $d, $d, $a),)+
            $(op!(vpshufb $d, $d, "[r11 + " $bytes "]"),)+
            $(add_to_c!($b $c $d),)+
            $(xor_b!($b $c),)+
            $(
                op!(vpsrld "ymm8", $b, $shift),
                op!(vpslld $b, $b, "32 - " $shift),
                op!(vpor $b, $b, "ymm8"),
            )+
        )
    };
}

/// Copies four pairs of a lane, from `$pair` on, to byte `$to` of their vectors.
macro_rules! copy {
    ($to:literal: $($pair:literal)+) => {
        concat!($(
            op!(mov "r9", "[r8 + rcx + 8 * " $pair "]"),
            op!(mov "[rsi + 64 * " $pair " + " $to "]", "r9"),
        )+)
    };
}

/// A round, whose first half copies a lane, and whose second half copies the next one.
macro_rules! round {
    (
        $from:ident, $x0:tt $y0:tt $x1:tt $y1:tt $x2:tt $y2:tt $x3:tt $y3:tt
        $x4:tt $y4:tt $x5:tt $y5:tt $x6:tt $y6:tt $x7:tt $y7:tt
        $(, $lane:literal to $to:literal, $next_lane:literal to $next_to:literal)?
    ) => {
        concat!(
            $(op!(mov "r8", "[rdx + 8 * " $lane "]"),)?
            half_of_g!(
                $from even, 0 12,
                ["ymm0" "ymm4" 8 "ymm12", $x0] ["ymm1" "ymm5" "ymm9" "ymm13", $x1]
                ["ymm2" "ymm6" "ymm10" "ymm14", $x2] ["ymm3" "ymm7" "ymm11" "ymm15", $x3]
            ),
            $(copy!($to: 0 1 2 3),)?
            half_of_g!(
                $from odd, 32 7,
                ["ymm0" "ymm4" 8 "ymm12", $y0] ["ymm1" "ymm5" "ymm9" "ymm13", $y1]
                ["ymm2" "ymm6" "ymm10" "ymm14", $y2] ["ymm3" "ymm7" "ymm11" "ymm15", $y3]
            ),
            $(copy!($to: 4 5 6 7), op!(mov "r8", "[rdx + 8 * " $next_lane "]"),)?
            half_of_g!(
                $from even, 0 12,
                ["ymm0" "ymm5" "ymm10" "ymm15", $x4] ["ymm1" "ymm6" "ymm11" "ymm12", $x5]
                ["ymm2" "ymm7" 8 "ymm13", $x6] ["ymm3" "ymm4" "ymm9" "ymm14", $x7]
            ),
            $(copy!($next_to: 0 1 2 3),)?
            half_of_g!(
                $from odd, 32 7,
                ["ymm0" "ymm5" "ymm10" "ymm15", $y4] ["ymm1" "ymm6" "ymm11" "ymm12", $y5]
                ["ymm2" "ymm7" 8 "ymm13", $y6] ["ymm3" "ymm4" "ymm9" "ymm14", $y7]
            ),
            $(copy!($next_to: 4 5 6 7),)?
        )
    };
}

/// Copies the pairs of the block that begins at byte `offset` of every lane of `V`.
///
/// # Safety
/// `data` is readable for the pointers of all lanes, and each of them for a block from `offset`.
#[inline(always)]
pub(crate) unsafe fn copy_pairs<V: Vector>(
    block: &mut [MaybeUninit<V>; BLOCK_WORDS],
    data: *const *const u8,
    offset: usize,
) {
    let pairs = block.as_mut_ptr().cast::<u8>();
    for lane in 0..V::LANES {
        let place = size_of::<V>() * (lane % 4 / 2) + 16 * (lane / 4) + 8 * (lane % 2);
        for pair in 0..BLOCK_WORDS / 2 {
            // SAFETY: `# Safety` above asks the caller for a pointer of each lane at `data`,
            // readable for 64 bytes from `offset`. `pairs` points to `block`, which is borrowed for
            // writing: a pair has two of its vectors, and a lane 8 bytes of these from `place`.
            unsafe {
                let bytes = data.add(lane).read().add(offset + 8 * pair).cast::<[u8; 8]>().read();
                pairs.add(2 * size_of::<V>() * pair + place).cast::<[u8; 8]>().write(bytes);
            }
        }
    }
}

/// The seven rounds. LLVM would inline five copies of them, more than a core keeps of decoded
/// instructions.
///
/// # Safety
/// Only the assembly of [`mix_and_copy`] calls it, which passes what it reads and names all
/// registers that it changes.
#[unsafe(naked)]
unsafe extern "C" fn rounds() {
    naked_asm!(
        op!(vmovdqa "[r10 + 512]", "ymm8"),
        round!(pairs, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 0 to 0, 1 to 8),
        round!(words, 2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8, 2 to 32, 3 to 40),
        round!(words, 3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1, 4 to 16, 5 to 24),
        round!(words, 10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6, 6 to 48, 7 to 56),
        round!(words, 12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4),
        round!(words, 9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7),
        round!(words, 11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13),
        op!(vmovdqa "ymm8", "[r10 + 512]"),
        "ret",
    )
}

/// The seven rounds on the words `v`, with the `block` of pairs. Copies the pairs of the block that
/// begins at byte `offset` of every lane to `next`.
///
/// # Safety
/// The CPU has AVX2. `block` is initialised. `data` is readable for 8 pointers, and each of them
/// for a block from `offset`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn mix_and_copy(
    v: &mut [U32x8; 16],
    block: &[MaybeUninit<U32x8>; BLOCK_WORDS],
    next: &mut [MaybeUninit<U32x8>; BLOCK_WORDS],
    data: *const *const u8,
    offset: usize,
) {
    let mut memory = Memory([const { MaybeUninit::uninit() }; _]);
    // SAFETY: `# Safety` above asks the caller for a CPU with AVX2, for 8 pointers at `data`, and
    // for 64 readable bytes from `offset` of each. `block`, `next` and the words are borrowed here,
    // have 16 vectors and are aligned, as the table is, and word 8 of the state is behind the
    // words. In each two vectors of `next`, a pair is written for each of 8 lanes. The first round
    // writes all words. All registers that change are named.
    unsafe {
        asm!(
            "call {rounds}",
            rounds = sym rounds,
            in("rdi") block, in("rsi") next, in("rdx") data, in("rcx") offset,
            in("r10") &raw mut memory, in("r11") &raw const TABLE,
            out("r8") _, out("r9") _,
            inout("ymm0") v[0].0, inout("ymm1") v[1].0, inout("ymm2") v[2].0,
            inout("ymm3") v[3].0, inout("ymm4") v[4].0, inout("ymm5") v[5].0,
            inout("ymm6") v[6].0, inout("ymm7") v[7].0, inout("ymm8") v[8].0,
            inout("ymm9") v[9].0, inout("ymm10") v[10].0, inout("ymm11") v[11].0,
            inout("ymm12") v[12].0, inout("ymm13") v[13].0, inout("ymm14") v[14].0,
            inout("ymm15") v[15].0,
            options(preserves_flags),
        );
    }
}
