//! CPU time, and the core's clock frequency.
//!
//! Only the time for which a thread was *running* is counted. On a shared machine, other programs
//! run in between, which says nothing about the measured code. (Code that sleeps would look faster
//! than it is, but hashing does not sleep.)
//!
//! The clock is measured with a chain of instructions of known latency. The time stamp counter
//! would not do, because it ticks at a fixed rate rather than with the core. Hardware counters are
//! rarely available in a virtual machine. In a chain of multiplications, each needs the result of
//! the one before and takes [`LATENCY`] cycles on the cores that this project measures. (Additions
//! would not do: newer cores fold chains of them.)

use std::time::{Duration, Instant};

/// Latency of a 32-bit `imul r, r` in cycles: 3 on Intel cores since Nehalem, and on AMD cores
/// since Zen.
pub const LATENCY: u32 = 3;

/// Multiplications in a chain, which takes about 60 µs.
const LINKS: u32 = 16 * 4096;

/// Chains in a calibration. The fastest counts, because interruptions only slow chains down.
const CHAINS: usize = 5;

/// The core's current clock frequency in cycles per second. `None` on architectures other than
/// x86-64, for which no chain is implemented. Takes about a third of a millisecond.
pub fn calibrate() -> Option<f64> {
    let fastest = (0..CHAINS)
        .map(|_| {
            let start = Instant::now();
            chain()?;
            Some(start.elapsed().as_secs_f64())
        })
        .reduce(|a, b| Some(a?.min(b?)))??;
    Some(f64::from(LINKS * LATENCY) / fastest)
}

/// The CPU time that the calling thread spends in `work`.
pub fn time(work: impl FnOnce()) -> Duration {
    let start = thread_time();
    work();
    thread_time().saturating_sub(start)
}

/// The CPU time of the calling thread. The system call takes less than a microsecond.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Elapsed time, on systems without per-thread clocks.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static ORIGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    ORIGIN.elapsed()
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn chain() -> Option<()> {
    let mut x = 3_u32;
    for _ in 0..LINKS / 16 {
        // SAFETY: the instructions access only the register of `x` and the flags. Without the
        // option `preserves_flags`, an asm block may change the flags.
        unsafe {
            std::arch::asm!(
                "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}",
                "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}",
                "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}",
                "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}", "imul {x:e}, {x:e}",
                x = inout(reg) x,
                options(nomem, nostack),
            );
        }
    }
    std::hint::black_box(x);
    Some(())
}

#[cfg(not(target_arch = "x86_64"))]
fn chain() -> Option<()> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn sleep_is_not_work() {
        let pause = Duration::from_millis(50);
        assert!(time(|| std::thread::sleep(pause)) < pause / 2);
        let start = Instant::now();
        let busy = time(|| while start.elapsed() < pause {});
        assert!(Duration::ZERO < busy && busy < start.elapsed());
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_clock_is_between_half_and_ten_gigahertz() {
        let hertz = calibrate().unwrap();
        assert!((5e8..1e10).contains(&hertz), "{hertz}");
    }
}
