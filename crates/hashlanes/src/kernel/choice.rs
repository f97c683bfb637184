//! The choice of a kernel: the one that takes the fewest cycles for a number of messages.

use core::sync::atomic::Ordering;

use super::contract::{Kernel, Table};
use super::cores::Cores;
use super::cpu::Features;
use super::name::from_environment;
use crate::vector::MAX_LANES;

/// The row of the kernel for `messages >= 1` messages: the one that the environment asks for, or of
/// those that this CPU can run, the one that takes the fewest cycles for a block of each message.
///
/// An idle lane costs as much as a live one, so few messages are faster in few lanes.
#[inline]
fn choose<W>(table: &Table<W>, messages: usize) -> usize {
    let choices = table.choices.entries();
    let messages = messages.min(choices.len() - 1);
    match choices[messages].load(Ordering::Relaxed) {
        0 => first_choice(table, messages),
        row => usize::from(row) - 1,
    }
}

#[cold]
#[inline(never)]
fn first_choice<W>(table: &Table<W>, messages: usize) -> usize {
    let row = from_environment(table.rows)
        .unwrap_or_else(|| cheapest(table.rows, messages, Features::detected()));
    // Threads that race here store the same value.
    table.choices.entries()[messages].store(row as u8 + 1, Ordering::Relaxed);
    row
}

/// Row `forced`, or the one of [`choose`] if none is forced.
#[inline]
pub(crate) fn row<W>(table: &Table<W>, messages: usize, forced: Option<usize>) -> usize {
    forced.unwrap_or_else(|| choose(table, messages))
}

/// Cycles for changing to another kernel: about the overhead of one call for one group. On Golden
/// Cove none was seen: two and one messages of 64 bytes of SHA-256 take 806 cycles together, and
/// 527 and 326 alone. With 26, three of SHA-1 are two and one, which was measured to be faster.
fn change() -> u64 {
    if Cores::detected() == Cores::Intel { 26 } else { 64 }
}

/// The row with the fewest cycles for `messages` messages on a CPU that has these features.
fn cheapest<W>(rows: &[Kernel<W>], messages: usize, features: Features) -> usize {
    if messages <= MAX_LANES {
        return plan(rows, messages, features).0;
    }
    // With more messages than any kernel has lanes, only the cost per lane counts.
    let available = (0..rows.len()).filter(|&row| features.contain(rows[row].needs));
    let cost = |row: &usize| rows[*row].cycles() * (MAX_LANES / rows[*row].lanes) as u64;
    available.min_by_key(cost).unwrap_or(0)
}

/// The row in which `messages` messages, at most `MAX_LANES`, begin, and the cycles for one block
/// of each. A row fills its lanes as often as it can. The remaining messages go to the row that is
/// best for them.
fn plan<W>(rows: &[Kernel<W>], messages: usize, features: Features) -> (usize, u64) {
    // For each number of messages, by induction.
    let mut best = [(0, 0); MAX_LANES + 1];
    let change = change();
    for m in 1..=messages {
        let of = |row: usize| {
            let kernel = &rows[row];
            let (next, rest) = best[m.saturating_sub(kernel.lanes)];
            kernel.cycles() + rest + if rest > 0 && next != row { change } else { 0 }
        };
        // A single message never goes to lanes: the cycles of a block do not include their setup.
        let suits =
            |kernel: &Kernel<W>| features.contain(kernel.needs) && (m > 1 || kernel.lanes == 1);
        let suitable = (0..rows.len()).filter(|&row| suits(&rows[row]));
        // Of equally good rows the widest begins: narrow ones are for the rest. There is always
        // one, as the portable kernel needs no features.
        let row = suitable.min_by_key(|&row| (of(row), MAX_LANES - rows[row].lanes)).unwrap_or(0);
        best[m] = (row, of(row));
    }
    best[messages]
}

/// Cycles for one block of each of `messages >= 1` messages, in the kernel of [`row`].
#[cfg(feature = "std")]
pub(crate) fn cycles<W>(table: &Table<W>, messages: usize, forced: Option<usize>) -> u64 {
    let forced = forced.or_else(|| from_environment(table.rows));
    if forced.is_none() && messages <= MAX_LANES {
        return plan(table.rows, messages, Features::detected()).1;
    }
    let kernel = &table.rows[row(table, messages, forced)];
    kernel.cycles() * messages.div_ceil(kernel.lanes) as u64
}

#[cfg(all(test, feature = "all"))]
mod plan_tests {
    use super::super::contract::{Choices, Kernels};
    use super::*;
    use crate::family::md5::Md5Family;

    /// The portable rows of MD5 have one lane and two. Their cycles depend on this machine's CPU,
    /// but two messages are faster in two lanes on all that have been measured.
    #[test]
    fn a_plan_adds_the_cycles_of_its_rows_and_of_the_change_between_them() {
        let [one, two] = [0, 1].map(|row| Md5Family::TABLE[row].cycles());
        assert!(one < two && two < 2 * one, "{one} {two}");
        let plan = |messages| plan(Md5Family::TABLE, messages, Features::NONE);
        assert_eq!(plan(0), (0, 0));
        assert_eq!(plan(1), (0, one));
        assert_eq!(plan(2), (1, two));
        // The row that begins fills its lanes; the last message is alone.
        assert_eq!(plan(3), (1, two + change() + one));
        assert_eq!(plan(4), (1, 2 * two));
        assert_eq!(plan(7), (1, 3 * two + change() + one));
        assert_eq!(plan(MAX_LANES), (1, MAX_LANES as u64 / 2 * two));
        for (messages, row) in [(1, 0), (2, 1), (MAX_LANES, 1), (MAX_LANES + 1, 1), (1000, 1)] {
            assert_eq!(cheapest(Md5Family::TABLE, messages, Features::NONE), row, "{messages}");
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn a_forced_row_counts_its_groups() {
        let table = Table::new(Md5Family::TABLE, Choices::Md5);
        for row in [0, 1] {
            let kernel = &Md5Family::TABLE[row];
            for messages in [1_usize, 2, 3, 1000] {
                let groups = messages.div_ceil(kernel.lanes) as u64;
                let expected = groups * kernel.cycles();
                assert_eq!(cycles(&table, messages, Some(row)), expected);
            }
        }
    }
}

#[cfg(all(test, feature = "all", target_arch = "aarch64", target_feature = "neon"))]
mod tests {
    use super::super::contract::Kernels;
    use super::*;
    use crate::family::{
        md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family, sha512::Sha512Family,
    };

    /// The names of the kernels for 1, 2, 3, 4, 8, 9, 16 and very many messages.
    fn chosen<F: Kernels>(features: Features) -> [&'static str; 8] {
        [1, 2, 3, 4, 8, 9, 16, 1000].map(|m| F::TABLE[cheapest(F::TABLE, m, features)].name)
    }

    #[test]
    fn arm_cpus_without_sha_instructions() {
        let cpu = Features::NEON;
        let in_lanes = ["portable", "neon", "neon", "neon", "neon", "neon", "neon", "neon"];
        assert_eq!(chosen::<Sha1Family>(cpu), in_lanes);
        // Two messages of SHA-256 are faster one after the other.
        let [one, _, others @ ..] = in_lanes;
        assert_eq!(chosen::<Sha256Family>(cpu), *[&[one, one][..], &others].concat());
        assert_eq!(chosen::<Sha512Family>(cpu), ["portable"; 8]);
    }

    #[test]
    fn arm_cpus_with_sha_2_but_not_sha_512() {
        let cpu = Features::NEON.and(Features::ARM_SHA2);
        let streams = |name| ["arm-sha", name, name, name, name, name, name, name];
        assert_eq!(chosen::<Sha1Family>(cpu), streams("arm-sha-x2"));
        assert_eq!(chosen::<Sha256Family>(cpu), streams("arm-sha-x2"));
        assert_eq!(chosen::<Sha512Family>(cpu), ["portable"; 8]);
    }

    #[test]
    fn arm_cpus_with_all_sha_instructions() {
        let cpu = Features::NEON.and(Features::ARM_SHA2).and(Features::ARM_SHA3);
        assert_eq!(chosen::<Sha256Family>(cpu)[1], "arm-sha-x2");
        let x2 = "arm-sha512-x2";
        assert_eq!(chosen::<Sha512Family>(cpu), ["arm-sha512", x2, x2, x2, x2, x2, x2, x2]);
    }

    #[test]
    fn md5_runs_in_neon_lanes_on_every_arm_cpu() {
        let (x2, x4) = ("neon-x2", "neon-x4");
        for cpu in [Features::NEON, Features::NEON.and(Features::ARM_SHA2)] {
            let names = chosen::<Md5Family>(cpu);
            assert_eq!(names, ["portable", "portable-x2", x2, x2, x2, x4, x4, x4]);
        }
    }
}

#[cfg(all(test, feature = "all", target_arch = "wasm32", target_feature = "simd128"))]
mod wasm_tests {
    use super::super::contract::Kernels;
    use super::*;
    use crate::family::{
        md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family, sha512::Sha512Family,
    };

    /// The names of the kernels for 1, 2, 4, 5, 8 and very many messages.
    fn chosen<F: Kernels>() -> [&'static str; 6] {
        [1, 2, 4, 5, 8, 1000].map(|m| F::TABLE[cheapest(F::TABLE, m, Features::detected())].name)
    }

    #[test]
    fn two_messages_and_more_are_hashed_in_lanes() {
        let (one, lanes, x2) = ("portable", "simd128", "simd128-x2");
        assert_eq!(chosen::<Md5Family>(), [one, lanes, lanes, x2, x2, x2]);
        assert_eq!(chosen::<Sha1Family>(), [one, lanes, lanes, lanes, lanes, lanes]);
        assert_eq!(chosen::<Sha256Family>(), [one, lanes, lanes, lanes, lanes, lanes]);
        assert_eq!(chosen::<Sha512Family>(), [one, lanes, lanes, lanes, lanes, lanes]);
    }
}
