//! Time, and the clock of the core.
//!
//! What is timed is the time that a thread *had* the core: on a shared machine others have it in
//! between, and that says nothing of the code that is measured. (Code that sleeps would look better
//! than it is; hashing does not sleep.)
//!
//! The clock is told by a chain of instructions of known latency.
//! The time stamp counter ticks at a fixed rate, not with the core, and hardware counters are
//! rarely available in a virtual machine. What is always there is arithmetic: a chain of
//! multiplications, each of which needs the result of the one before, takes [`LATENCY`] cycles a
//! link on the cores this project measures. (Additions would not do: newer cores fold
//! chains of them.)

use std::time::{Duration, Instant};

/// Cycles of one 32-bit `imul r, r`: 3 on Intel cores since Nehalem and on AMD's since Zen.
pub const LATENCY: u32 = 3;

/// Multiplications in a chain: some 60 us.
const LINKS: u32 = 16 * 4096;

/// Chains of which the fastest counts: whatever interrupts one can only make it slower.
const CHAINS: usize = 5;

/// The core's clock at this moment, in cycles per second; `None` where no instruction of known
/// latency is at hand (other architectures than x86-64). Takes about a third of a millisecond.
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

/// The time that the calling thread spends on `work`.
pub fn time(work: impl FnOnce()) -> Duration {
    let start = thread_time();
    work();
    thread_time().saturating_sub(start)
}

/// How long the calling thread has had a core. The system call takes less than a microsecond.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Where threads have no clocks of their own, the time of day must do.
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
        // SAFETY: the instructions read and write nothing but the register that `x` is given, and
        // the flags, which an asm block may change unless it says otherwise.
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
