//! The rounds of four messages, during which a schedule computes sums for the next block.
//!
//! The sums of pair `j` (the words `2 * j` and `2 * j + 1` with their constants) of message `n` are
//! at byte `32 * j + {message} * n` of the memory at `rsi`, plus `{odd}` if the pair is odd.

/// Two rounds of two of the messages: those of pair `$pair`, which is even or odd. Message `n` has
/// `a`, `b`, `e`, `f` in register `1 + n` and the other words in `5 + n`. Two rounds leave the new
/// `a`, `b`, `e`, `f` in the place of the others, so the two change their roles with each pair.
macro_rules! rounds {
    (even $pair:literal messages 0 and 1) => {
        rounds!(@ $pair "" 0 "xmm5, xmm1" 1 "xmm6, xmm2")
    };
    (even $pair:literal messages 2 and 3) => {
        rounds!(@ $pair "" 2 "xmm7, xmm3" 3 "xmm8, xmm4")
    };
    (odd $pair:literal messages 0 and 1) => {
        rounds!(@ $pair " + {odd}" 0 "xmm1, xmm5" 1 "xmm2, xmm6")
    };
    (odd $pair:literal messages 2 and 3) => {
        rounds!(@ $pair " + {odd}" 2 "xmm3, xmm7" 3 "xmm4, xmm8")
    };
    (
        @ $pair:literal $odd:literal $m:literal $states_m:literal $n:literal $states_n:literal
    ) => {
        concat!(
            "vmovq xmm0, [rsi + 32 * ", $pair, " + {message} * ", $m, $odd, "]\n",
            "sha256rnds2 ", $states_m, "\n",
            "vmovq xmm0, [rsi + 32 * ", $pair, " + {message} * ", $n, $odd, "]\n",
            "sha256rnds2 ", $states_n, "\n",
        )
    };
}

/// Used instead of `rounds` for two blocks: the rounds of two pairs per pair of the schedule.
macro_rules! double_rounds {
    ($parity:ident $pair:literal messages 0 and 1) => {
        double_rounds!(@ $pair "" "xmm5, xmm1" "xmm6, xmm2" "xmm7, xmm3" "xmm8, xmm4")
    };
    ($parity:ident $pair:literal messages 2 and 3) => {
        double_rounds!(
            @ $pair " + 32 + {odd}" "xmm1, xmm5" "xmm2, xmm6" "xmm3, xmm7" "xmm4, xmm8"
        )
    };
    (@ $pair:literal $odd:literal $m0:literal $m1:literal $m2:literal $m3:literal) => {
        concat!(
            "vmovq xmm0, [rsi + 64 * ", $pair, $odd, "]\n",
            "sha256rnds2 ", $m0, "\n",
            "vmovq xmm0, [rsi + 64 * ", $pair, $odd, " + {message}]\n",
            "sha256rnds2 ", $m1, "\n",
            "vmovq xmm0, [rsi + 64 * ", $pair, $odd, " + {message} * 2]\n",
            "sha256rnds2 ", $m2, "\n",
            "vmovq xmm0, [rsi + 64 * ", $pair, $odd, " + {message} * 3]\n",
            "sha256rnds2 ", $m3, "\n",
        )
    };
}

/// Used after `double_rounds` for a precomputed block, from pair 16 of the schedule on. All
/// messages have the same sums.
#[rustfmt::skip]
macro_rules! known_rounds {
    ($parity:ident $pair:literal messages 0 and 1) => {
        concat!(
            "vmovq xmm0, [rdx + 16 * (", $pair, " - 16)]\n",
            "sha256rnds2 xmm5, xmm1\n",
            "sha256rnds2 xmm6, xmm2\n",
            "sha256rnds2 xmm7, xmm3\n",
            "sha256rnds2 xmm8, xmm4\n",
        )
    };
    ($parity:ident $pair:literal messages 2 and 3) => {
        concat!(
            "vmovq xmm0, [rdx + 16 * (", $pair, " - 16) + 8]\n",
            "sha256rnds2 xmm1, xmm5\n",
            "sha256rnds2 xmm2, xmm6\n",
            "sha256rnds2 xmm3, xmm7\n",
            "sha256rnds2 xmm4, xmm8\n",
        )
    };
}

/// Adds the states before a block to those after its rounds, and stores these.
macro_rules! next_states {
    () => {
        "vpaddd xmm1, xmm1, [rcx]
        vpaddd xmm2, xmm2, [rcx + 16]
        vpaddd xmm3, xmm3, [rcx + 32]
        vpaddd xmm4, xmm4, [rcx + 48]
        vpaddd xmm5, xmm5, [rcx + 64]
        vpaddd xmm6, xmm6, [rcx + 80]
        vpaddd xmm7, xmm7, [rcx + 96]
        vpaddd xmm8, xmm8, [rcx + 112]
        vmovdqa [rcx], xmm1
        vmovdqa [rcx + 16], xmm2
        vmovdqa [rcx + 32], xmm3
        vmovdqa [rcx + 48], xmm4
        vmovdqa [rcx + 64], xmm5
        vmovdqa [rcx + 80], xmm6
        vmovdqa [rcx + 96], xmm7
        vmovdqa [rcx + 112], xmm8
        "
    };
}

/// Used instead of `rounds` where there are none.
macro_rules! no_rounds {
    ($($any:tt)*) => {
        ""
    };
}
