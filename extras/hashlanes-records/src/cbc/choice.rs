//! The choice of a kernel: the one that takes the fewest cycles for the number of buffers.

use std::sync::OnceLock;

use super::contract::{Kernel, MAX_LANES};
use super::table::TABLE;

/// The kernel for `buffers >= 1` buffers: of those that this CPU can run, the one that takes the
/// fewest cycles for a block of each buffer. `None` if the CPU can run none.
pub(super) fn kernel(buffers: usize) -> Option<&'static Kernel> {
    static CHOICES: OnceLock<[Option<usize>; MAX_LANES + 1]> = OnceLock::new();
    let choices = CHOICES.get_or_init(|| plan(TABLE, Kernel::available, cycles));
    choices[buffers.min(MAX_LANES)].map(|row| &TABLE[row])
}

/// The best row for each number of buffers. A row fills its lanes as often as it can. The remaining
/// buffers go to the row that is best for them.
fn plan(
    table: &[Kernel],
    available: impl Fn(&Kernel) -> bool,
    cycles: impl Fn(&Kernel) -> u32,
) -> [Option<usize>; MAX_LANES + 1] {
    let mut rows = [None; MAX_LANES + 1];
    let mut best = [0; MAX_LANES + 1];
    for buffers in 1..=MAX_LANES {
        let of = |row: &usize| {
            let kernel = &table[*row];
            (cycles(kernel) + best[buffers.saturating_sub(kernel.lanes)], MAX_LANES - kernel.lanes)
        };
        let row = (0..table.len()).filter(|&row| available(&table[row])).min_by_key(of);
        (rows[buffers], best[buffers]) = (row, row.map_or(0, |row| of(&row).0));
    }
    rows
}

fn cycles(kernel: &Kernel) -> u32 {
    u32::from(if amd() { kernel.cycles.1 } else { kernel.cycles.0 })
}

/// Whether AMD, or Hygon, made the core: by the first four letters of "AuthenticAMD" and
/// "HygonGenuine".
fn amd() -> bool {
    // SGX enclaves cannot execute CPUID, and run on Intel's CPUs only.
    #[cfg(all(target_arch = "x86_64", not(target_env = "sgx")))]
    {
        #[allow(unused_unsafe, reason = "CPUID became a safe function in Rust 1.93")]
        // SAFETY: every x86-64 CPU has CPUID with leaf 0, and may execute it outside of SGX
        // enclaves.
        let vendor = unsafe { std::arch::x86_64::__cpuid(0) };
        [*b"Auth", *b"Hygo"].contains(&vendor.ebx.to_le_bytes())
    }
    #[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"))))]
    false
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn names(available: impl Fn(&Kernel) -> bool, amd: bool) -> Vec<&'static str> {
        let cycles =
            |kernel: &Kernel| u32::from(if amd { kernel.cycles.1 } else { kernel.cycles.0 });
        let rows = plan(TABLE, available, cycles);
        rows[1..].iter().map(|row| TABLE[row.unwrap()].name).collect()
    }

    #[test]
    fn few_buffers_get_a_narrow_kernel_and_many_a_wide_one() {
        let names = names(|_| true, true);
        assert_eq!(
            [names[0], names[1], names[7], names[15], names[31]],
            ["aes-ni", "aes-ni-x4", "vaes256-x4", "vaes256vl-x8", "vaes256vl-x8"]
        );
    }

    /// A row that is never the cheapest has no place in the table.
    #[test]
    fn every_kernel_is_the_best_somewhere() {
        let cpus: [fn(&Kernel) -> bool; 3] = [
            |_| true,
            |kernel| !kernel.name.contains("512") && !kernel.name.contains("vl"),
            |kernel| !kernel.name.contains("vaes"),
        ];
        let of = |available| [true, false].into_iter().flat_map(move |amd| names(available, amd));
        let mut seen: Vec<_> = cpus.into_iter().flat_map(of).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut all: Vec<_> = TABLE.iter().map(|kernel| kernel.name).collect();
        all.sort_unstable();
        assert_eq!(seen, all);
    }
}
