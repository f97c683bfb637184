//! The clock of the core, by a chain of instructions of known latency.
//!
//! The time stamp counter ticks at a fixed rate, not with the core, and hardware counters are rarely available in a virtual
//! machine. What is always there is arithmetic: a chain of multiplications, each of which needs the result of the one
//! before, takes [`LATENCY`] cycles a link on the cores this project measures. (Additions would not do: newer cores fold
//! chains of them.)

use std::time::Instant;

/// Cycles of one 32-bit `imul r, r`: 3 on Intel cores since Nehalem and on AMD's since Zen.
pub const LATENCY: u32 = 3;

/// Multiplications in a chain: some 60 us.
const LINKS: u32 = 16 * 4096;

/// Chains of which the fastest counts: whatever interrupts one can only make it slower.
const CHAINS: usize = 5;

/// The core's clock at this moment, in cycles per second; `None` where no instruction of known latency is at hand (other
/// architectures than x86-64). Takes about a third of a millisecond.
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

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn chain() -> Option<()> {
    let mut x = 3_u32;
    for _ in 0..LINKS / 16 {
        // SAFETY: the instructions read and write nothing but the register that `x` is given, and the flags, which an asm
        // block may change unless it says otherwise.
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
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_clock_is_between_half_and_ten_gigahertz() {
        let hertz = super::calibrate().unwrap();
        assert!((5e8..1e10).contains(&hertz), "{hertz}");
    }
}
