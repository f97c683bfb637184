//! The message schedule in SHA256MSG1 and SHA256MSG2.
//!
//! Of the 16 vector registers, the states and the operand of SHA256RNDS2 occupy nine. So the
//! schedules of two messages are computed during the first half of the rounds, and those of the
//! other two during the second. A group of four words depends on the groups 1 to 4 before it. The
//! last two of them are in registers, and the others in memory.
//!
//! # The order
//!
//! A step has two rounds of all messages, and a group of two messages. Word by word it was found by
//! search, on Zen 3, in which each kind of instruction got a place within the step. The sums of a
//! group are stored two steps later, and a group begins before the rounds during which it is
//! completed. A block of each message takes 56 cycles, two streams of `sha-ni-x2` 65. By the units
//! of the core it would be 41.
//!
//! All but the SHA extensions have VEX encodings, which save copies of registers (58 cycles a block
//! with them). They clear the upper halves of registers. The functions around this are to be
//! compiled without AVX, since the compiler would use 256 bits: see the folder's documentation.

use super::super::put::ByCopies;
use super::super::states::Sha256States;
use super::{MESSAGES, Schedule, call_assembly, code_of_schedule, functions_of_schedule, message};
use crate::family::{known::Sums, sha256::K};

/// The sums of a block: four words of each message, for each group. Then the words of all groups of
/// two messages, one after the other. Aligned for loads and stores of whole groups.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
#[allow(dead_code, reason = "only the assembly accesses them")]
pub(crate) struct Groups {
    sums: [[[u32; 4]; MESSAGES]; 16],
    words: [[[u32; 4]; 16]; 2],
}

/// The constants, and the bytes of each word in reverse.
#[repr(C, align(64))]
#[allow(dead_code, reason = "only the assembly reads them")]
struct Table {
    constants: [u32; 64],
    reverse: [u8; 16],
}

static TABLE: Table =
    Table { constants: K, reverse: [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12] };

/// The place of a group's words in memory, of the first (`a`) or second (`b`) of two messages.
macro_rules! words {
    (a $group:literal $(- $before:literal)?) => {
        concat!("[rdi + 1024 + 16 * (", $group $(, " - ", $before)?, ")]")
    };
    (b $group:literal $(- $before:literal)?) => {
        concat!("[rdi + 1280 + 16 * (", $group $(, " - ", $before)?, ")]")
    };
}

/// Begins a group in `$w`. If it is computed, the words `t - 7` are left in `xmm15`. The two groups
/// before it are in `$w1` and `$w2`.
#[rustfmt::skip]
macro_rules! begin {
    ($ab:ident load $group:literal of $m:tt: $w:literal $w1:literal $w2:literal) => {
        concat!("vmovdqu ", $w, ", [", message!($m), " + 16 * ", $group, "]\n")
    };
    ($ab:ident compute $group:literal of $m:tt: $w:literal $w1:literal $w2:literal) => {
        concat!(
            "vmovdqa ", $w, ", ", words!($ab $group - 4), "\n",
            "vpalignr xmm15, ", $w1, ", ", $w2, ", 4\n",
            "sha256msg1 ", $w, ", ", words!($ab $group - 3), "\n",
        )
    };
    ($ab:ident last $group:literal of $m:tt: $w:literal $w1:literal $w2:literal) => {
        begin!($ab compute $group of $m: $w $w1 $w2)
    };
}

/// Completes a group. The last two are not needed in memory.
#[rustfmt::skip]
macro_rules! finish {
    ($ab:ident load $group:literal: $w:literal $w1:literal) => {
        concat!(
            "vpshufb ", $w, ", ", $w, ", [rax + 256]\n",
            "vmovdqa ", words!($ab $group), ", ", $w, "\n",
        )
    };
    ($ab:ident compute $group:literal: $w:literal $w1:literal) => {
        concat!(
            finish!($ab last $group: $w $w1),
            "vmovdqa ", words!($ab $group), ", ", $w, "\n",
        )
    };
    ($ab:ident last $group:literal: $w:literal $w1:literal) => {
        concat!(
            "vpaddd ", $w, ", ", $w, ", xmm15\n",
            "sha256msg2 ", $w, ", ", $w1, "\n",
        )
    };
}

/// Stores the sums of a group, and leaves them in `$w`.
#[rustfmt::skip]
macro_rules! store_sums {
    ($group:literal of $message:literal: $w:literal) => {
        concat!(
            "vpaddd ", $w, ", ", $w, ", [rax + 16 * ", $group, "]\n",
            "vmovdqa [rdi + 64 * ", $group, " + 16 * ", $message, "], ", $w, "\n",
        )
    };
}

/// Completes a group of two messages, which the first has begun, stores the sums of an earlier one,
/// and begins the next one. Three registers of each message have the last three groups in turn.
#[rustfmt::skip]
macro_rules! step {
    ($rounds:ident $parity:ident $pair:literal one: $($group:tt)*) => {
        step!(@ $rounds $parity $pair "xmm9" "xmm11" "xmm10" "xmm12" "xmm14" "xmm13" $($group)*)
    };
    ($rounds:ident $parity:ident $pair:literal two: $($group:tt)*) => {
        step!(@ $rounds $parity $pair "xmm10" "xmm9" "xmm11" "xmm13" "xmm12" "xmm14" $($group)*)
    };
    ($rounds:ident $parity:ident $pair:literal three: $($group:tt)*) => {
        step!(@ $rounds $parity $pair "xmm11" "xmm10" "xmm9" "xmm14" "xmm13" "xmm12" $($group)*)
    };
    (
        @ $rounds:ident $parity:ident $pair:literal
        $a:literal $a1:literal $a2:literal $b:literal $b1:literal $b2:literal
        $kind:ident $group:literal of $m:tt, $n:tt
        $(; sums $sums:literal of $sums_m:tt, $sums_n:tt)?
        $(; then $next_kind:ident $next:literal of $next_m:tt)?
    ) => {
        concat!(
            $rounds!($parity $pair messages 0 and 1),
            $(store_sums!($sums of $sums_m: $a2),)?
            finish!(a $kind $group: $a $a1),
            begin!(b $kind $group of $n: $b $b1 $b2),
            $rounds!($parity $pair messages 2 and 3),
            $(store_sums!($sums of $sums_n: $b2),)?
            finish!(b $kind $group: $b $b1),
            $(begin!(a $next_kind $next of $next_m: $a2 $a $a1),)?
        )
    };
}

/// The schedule of a block, during the rounds of another, or of another and the precomputed one
/// that follows it.
macro_rules! block {
    ($rounds:ident) => {
        concat!(half_block!($rounds first), half_block!($rounds last))
    };
    ($rounds:ident then $known:ident) => {
        concat!(half_block!($rounds first), next_states!(), half_block!($known last))
    };
}

/// The schedules of two of the messages.
#[rustfmt::skip]
macro_rules! half_block {
    ($rounds:ident first) => {
        concat!(
            begin!(a load 0 of 0: "xmm9" "" ""),
            step!($rounds even 0 one: load 0 of 0, 1; then load 1 of 0),
            step!($rounds odd 1 two: load 1 of 0, 1; then load 2 of 0),
            step!($rounds even 2 three: load 2 of 0, 1; sums 0 of 0, 1; then load 3 of 0),
            step!($rounds odd 3 one: load 3 of 0, 1; sums 1 of 0, 1; then compute 4 of 0),
            step!($rounds even 4 two: compute 4 of 0, 1; sums 2 of 0, 1; then compute 5 of 0),
            step!($rounds odd 5 three: compute 5 of 0, 1; sums 3 of 0, 1; then compute 6 of 0),
            step!($rounds even 6 one: compute 6 of 0, 1; sums 4 of 0, 1; then compute 7 of 0),
            step!($rounds odd 7 two: compute 7 of 0, 1; sums 5 of 0, 1; then compute 8 of 0),
            step!($rounds even 8 three: compute 8 of 0, 1; sums 6 of 0, 1; then compute 9 of 0),
            step!($rounds odd 9 one: compute 9 of 0, 1; sums 7 of 0, 1; then compute 10 of 0),
            step!($rounds even 10 two: compute 10 of 0, 1; sums 8 of 0, 1; then compute 11 of 0),
            step!($rounds odd 11 three: compute 11 of 0, 1; sums 9 of 0, 1; then compute 12 of 0),
            step!($rounds even 12 one: compute 12 of 0, 1; sums 10 of 0, 1; then compute 13 of 0),
            step!($rounds odd 13 two: compute 13 of 0, 1; sums 11 of 0, 1; then compute 14 of 0),
            step!($rounds even 14 three: last 14 of 0, 1; sums 12 of 0, 1; then compute 15 of 0),
            step!($rounds odd 15 one: last 15 of 0, 1; sums 13 of 0, 1; then load 0 of 2),
        )
    };
    ($rounds:ident last) => {
        concat!(
            step!($rounds even 16 two: load 0 of 2, 3; sums 14 of 0, 1; then load 1 of 2),
            step!($rounds odd 17 three: load 1 of 2, 3; sums 15 of 0, 1; then load 2 of 2),
            step!($rounds even 18 one: load 2 of 2, 3; sums 0 of 2, 3; then load 3 of 2),
            step!($rounds odd 19 two: load 3 of 2, 3; sums 1 of 2, 3; then compute 4 of 2),
            step!($rounds even 20 three: compute 4 of 2, 3; sums 2 of 2, 3; then compute 5 of 2),
            step!($rounds odd 21 one: compute 5 of 2, 3; sums 3 of 2, 3; then compute 6 of 2),
            step!($rounds even 22 two: compute 6 of 2, 3; sums 4 of 2, 3; then compute 7 of 2),
            step!($rounds odd 23 three: compute 7 of 2, 3; sums 5 of 2, 3; then compute 8 of 2),
            step!($rounds even 24 one: compute 8 of 2, 3; sums 6 of 2, 3; then compute 9 of 2),
            step!($rounds odd 25 two: compute 9 of 2, 3; sums 7 of 2, 3; then compute 10 of 2),
            step!($rounds even 26 three: compute 10 of 2, 3; sums 8 of 2, 3; then compute 11 of 2),
            step!($rounds odd 27 one: compute 11 of 2, 3; sums 9 of 2, 3; then compute 12 of 2),
            step!($rounds even 28 two: compute 12 of 2, 3; sums 10 of 2, 3; then compute 13 of 2),
            step!($rounds odd 29 three: compute 13 of 2, 3; sums 11 of 2, 3; then compute 14 of 2),
            step!($rounds even 30 one: last 14 of 2, 3; sums 12 of 2, 3; then compute 15 of 2),
            step!($rounds odd 31 two: last 15 of 2, 3; sums 13 of 2, 3),
            store_sums!(14 of 2: "xmm9"),
            store_sums!(14 of 3: "xmm12"),
            store_sums!(15 of 2: "xmm10"),
            store_sums!(15 of 3: "xmm13"),
        )
    };
}

code_of_schedule!(block, message 16, odd -24);

/// AVX, which only the assembly uses.
pub(crate) enum InInstructions {}

impl Schedule for InInstructions {
    type Put = ByCopies;
    type Memory = Groups;
    const FEWEST_BLOCKS: usize = 4;
    const BOTH_FIT: bool = false;

    functions_of_schedule!(
        out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
        out("xmm14") _, out("xmm15") _,
    );

    #[inline(always)]
    fn pair(now: *const Groups, pair: usize, n: usize) -> *const u32 {
        now.cast::<u32>().wrapping_add(4 * MESSAGES * (pair / 2) + 4 * n + 2 * (pair % 2))
    }
}
