//! The links of four chains, in assembly. `m` is the address of [`Memory`](super::Memory), whose
//! layout is in the numbers.

/// Four rounds of a lane, with the words and constants in `xmm0`.
#[rustfmt::skip]
macro_rules! rounds {
    (0) => { rounds!(@ "xmm1" "xmm5") };
    (1) => { rounds!(@ "xmm2" "xmm6") };
    (2) => { rounds!(@ "xmm3" "xmm7") };
    (3) => { rounds!(@ "xmm4" "xmm8") };
    (@ $abef:literal $cdgh:literal) => {
        concat!(
            "sha256rnds2 ", $cdgh, ", ", $abef, "\n",
            "pshufd xmm0, xmm0, 0x0e\n",
            "sha256rnds2 ", $abef, ", ", $cdgh, "\n",
        )
    };
}

/// The rounds of a group of the block in memory.
#[rustfmt::skip]
macro_rules! first_rounds {
    ($group:literal: $($lane:tt)*) => {
        concat!($(
            "movdqa xmm0, [{m} + 1552 + 16 * ", $group, "]\n",
            "paddd xmm0, [{m} + 64 * ", $group, " + 16 * ", $lane, "]\n",
            rounds!($lane),
        )*)
    };
}

/// The first half of group `$group` of the schedule: what does not depend on the group before it.
#[rustfmt::skip]
macro_rules! mix {
    (4 skipping $lane:tt $to:literal) => {
        concat!("movdqa ", $to, ", [{m} + 1344 + 16 * ", $lane, "]\n")
    };
    ($group:tt $rounds:ident $lane:tt $to:literal) => {
        concat!(
            "movdqa ", $to, ", [{m} + 64 * (", $group, " - 4) + 16 * ", $lane, "]\n",
            "sha256msg1 ", $to, ", [{m} + 64 * (", $group, " - 3) + 16 * ", $lane, "]\n",
        )
    };
}

/// Leaves a group of the schedule in memory, if it is read from there.
#[rustfmt::skip]
macro_rules! leave {
    (14 $lane:tt $from:literal) => { "" };
    (15 $lane:tt $from:literal) => { "" };
    ($group:tt $lane:tt $from:literal) => {
        concat!("movdqa [{m} + 64 * ", $group, " + 16 * ", $lane, "], ", $from, "\n")
    };
}

/// A group of the schedule, during the rounds of the group before it. For each lane: the register
/// of the new words, a temporary one, and that of the words before.
#[rustfmt::skip]
macro_rules! group {
    (
        $group:tt $rounds:ident:
        $($lane:tt $to:literal $temporary:literal $before:literal),*
    ) => {
        concat!($(
            mix!($group $rounds $lane $to),
            "movdqa ", $temporary, ", ", $before, "\n",
            "palignr ", $temporary, ", [{m} + 64 * (", $group, " - 2) + 16 * ", $lane, "], 4\n",
            "paddd ", $to, ", ", $temporary, "\n",
            "movdqa xmm0, [{m} + 1552 + 16 * (", $group, " - 1)]\n",
            "paddd xmm0, ", $before, "\n",
            rounds!($lane),
            "sha256msg2 ", $to, ", ", $before, "\n",
            leave!($group $lane $to),
        )*)
    };
}

/// The last four rounds, and the new value in the block. For each lane: the registers of the state,
/// of the last words, and two temporary ones.
#[rustfmt::skip]
macro_rules! end {
    (
        $put:ident:
        $($lane:tt $abef:literal $cdgh:literal $last:literal $one:literal $two:literal),*
    ) => {
        concat!(
            $(
                "movdqa xmm0, [{m} + 1552 + 16 * 15]\n",
                "paddd xmm0, ", $last, "\n",
                rounds!($lane),
            )*
            $(
                "paddd ", $abef, ", [{m} + 1408]\n",
                "paddd ", $cdgh, ", [{m} + 1424]\n",
                "movdqa ", $last, ", ", $cdgh, "\n",
                "punpckhqdq ", $last, ", ", $abef, "\n",
                "movdqa ", $one, ", [{m} + 1024 + 16 * ", $lane, "]\n",
                "paddb ", $one, ", [{m} + 1440]\n",
                "movdqa [{m} + 1024 + 16 * ", $lane, "], ", $one, "\n",
                $put!($lane $abef $cdgh $last $one $two),
            )*
        )
    };
}

/// Puts the first half of a digest into the first two groups.
#[rustfmt::skip]
macro_rules! put_half {
    ($lane:tt $abef:literal $cdgh:literal $abcd:literal $one:literal $two:literal) => {
        concat!(
            "movdqa ", $two, ", ", $abcd, "\n",
            "pshufb ", $two, ", [{m} + 1456]\n",
            "por ", $one, ", ", $two, "\n",
            "movdqa [{value} + 16 * ", $lane, "], ", $one, "\n",
            "pshufb ", $abcd, ", [{m} + 1456 + 32]\n",
            "por ", $abcd, ", [{m} + 1024 + 64 + 16 * ", $lane, "]\n",
            "movdqa [{value} + 64 + 16 * ", $lane, "], ", $abcd, "\n",
        )
    };
}

/// Puts both halves of a digest into three groups.
#[rustfmt::skip]
macro_rules! put_all {
    ($lane:tt $abef:literal $cdgh:literal $abcd:literal $one:literal $two:literal) => {
        concat!(
            "punpcklqdq ", $cdgh, ", ", $abef, "\n",
            put_all!(@ 0 $lane $abef $cdgh $abcd $two),
            "por ", $abef, ", ", $one, "\n",
            "movdqa [{value} + 16 * ", $lane, "], ", $abef, "\n",
            put_all!(@ 1 $lane $abef $cdgh $abcd $two),
            "por ", $abef, ", [{m} + 1024 + 64 + 16 * ", $lane, "]\n",
            "movdqa [{value} + 64 + 16 * ", $lane, "], ", $abef, "\n",
            put_all!(@ 2 $lane $abef $cdgh $abcd $two),
            "por ", $abef, ", [{m} + 1024 + 128 + 16 * ", $lane, "]\n",
            "movdqa [{value} + 128 + 16 * ", $lane, "], ", $abef, "\n",
        )
    };
    (@ $part:literal $lane:tt $to:literal $efgh:literal $abcd:literal $other:literal) => {
        concat!(
            "movdqa ", $to, ", ", $abcd, "\n",
            "pshufb ", $to, ", [{m} + 1456 + 32 * ", $part, "]\n",
            "movdqa ", $other, ", ", $efgh, "\n",
            "pshufb ", $other, ", [{m} + 1456 + 32 * ", $part, " + 16]\n",
            "por ", $to, ", ", $other, "\n",
        )
    };
}

/// The rounds before the schedule.
macro_rules! first {
    (all) => {
        first_rounds!(0: 0 1 2 3)
    };
    (skipping) => {
        ""
    };
}

/// Links of four chains. Words move through registers 9 to 15 in turn.
#[rustfmt::skip]
macro_rules! links {
    ($rounds:ident, $put:ident, $memory:expr, $value:expr, $links:expr) => {
        core::arch::asm!(
            concat!(
                "2:\n",
                "movdqa xmm1, [{m} + 1216]\n", "movdqa xmm5, [{m} + 1280]\n",
                "movdqa xmm2, [{m} + 1216 + 16]\n", "movdqa xmm6, [{m} + 1280 + 16]\n",
                "movdqa xmm3, [{m} + 1216 + 32]\n", "movdqa xmm7, [{m} + 1280 + 32]\n",
                "movdqa xmm4, [{m} + 1216 + 48]\n", "movdqa xmm8, [{m} + 1280 + 48]\n",
                first!($rounds),
                first_rounds!(1: 0 1 2 3),
                first_rounds!(2: 0 1 2 3),
                "movdqa xmm9, [{m} + 64 * 3]\n", "movdqa xmm10, [{m} + 64 * 3 + 16]\n",
                "movdqa xmm11, [{m} + 64 * 3 + 32]\n", "movdqa xmm12, [{m} + 64 * 3 + 48]\n",
                group!(4 $rounds: 0 "xmm13" "xmm14" "xmm9", 1 "xmm14" "xmm15" "xmm10",
                    2 "xmm15" "xmm9" "xmm11", 3 "xmm9" "xmm10" "xmm12"),
                group!(5 all: 0 "xmm10" "xmm11" "xmm13", 1 "xmm11" "xmm12" "xmm14",
                    2 "xmm12" "xmm13" "xmm15", 3 "xmm13" "xmm14" "xmm9"),
                group!(6 all: 0 "xmm14" "xmm15" "xmm10", 1 "xmm15" "xmm9" "xmm11",
                    2 "xmm9" "xmm10" "xmm12", 3 "xmm10" "xmm11" "xmm13"),
                group!(7 all: 0 "xmm11" "xmm12" "xmm14", 1 "xmm12" "xmm13" "xmm15",
                    2 "xmm13" "xmm14" "xmm9", 3 "xmm14" "xmm15" "xmm10"),
                group!(8 all: 0 "xmm15" "xmm9" "xmm11", 1 "xmm9" "xmm10" "xmm12",
                    2 "xmm10" "xmm11" "xmm13", 3 "xmm11" "xmm12" "xmm14"),
                group!(9 all: 0 "xmm12" "xmm13" "xmm15", 1 "xmm13" "xmm14" "xmm9",
                    2 "xmm14" "xmm15" "xmm10", 3 "xmm15" "xmm9" "xmm11"),
                group!(10 all: 0 "xmm9" "xmm10" "xmm12", 1 "xmm10" "xmm11" "xmm13",
                    2 "xmm11" "xmm12" "xmm14", 3 "xmm12" "xmm13" "xmm15"),
                group!(11 all: 0 "xmm13" "xmm14" "xmm9", 1 "xmm14" "xmm15" "xmm10",
                    2 "xmm15" "xmm9" "xmm11", 3 "xmm9" "xmm10" "xmm12"),
                group!(12 all: 0 "xmm10" "xmm11" "xmm13", 1 "xmm11" "xmm12" "xmm14",
                    2 "xmm12" "xmm13" "xmm15", 3 "xmm13" "xmm14" "xmm9"),
                group!(13 all: 0 "xmm14" "xmm15" "xmm10", 1 "xmm15" "xmm9" "xmm11",
                    2 "xmm9" "xmm10" "xmm12", 3 "xmm10" "xmm11" "xmm13"),
                group!(14 all: 0 "xmm11" "xmm12" "xmm14", 1 "xmm12" "xmm13" "xmm15",
                    2 "xmm13" "xmm14" "xmm9", 3 "xmm14" "xmm15" "xmm10"),
                group!(15 all: 0 "xmm15" "xmm9" "xmm11", 1 "xmm9" "xmm10" "xmm12",
                    2 "xmm10" "xmm11" "xmm13", 3 "xmm11" "xmm12" "xmm14"),
                end!($put: 0 "xmm1" "xmm5" "xmm15" "xmm12" "xmm13",
                    1 "xmm2" "xmm6" "xmm9" "xmm14" "xmm12",
                    2 "xmm3" "xmm7" "xmm10" "xmm13" "xmm14",
                    3 "xmm4" "xmm8" "xmm11" "xmm12" "xmm13"),
                "dec {links}\n",
                "jnz 2b\n",
            ),
            m = in(reg) $memory,
            value = in(reg) $value,
            links = inout(reg) $links => _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
            out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
            out("xmm15") _,
            options(nostack),
        )
    };
}
