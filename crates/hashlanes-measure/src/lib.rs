//! The measurement code that the project's benchmarks share.
//!
//! An absolute speed means little on a shared machine with a varying clock. Therefore:
//! * Figures are in *bytes per core cycle*. The [clock] is calibrated immediately before and after
//!   every [sample].
//! * Contenders take turns, A B A B, on the same pinned [core](cpu).
//! * The [messages] are random, and in a new order for every sample. Their digests are checked
//!   against another implementation outside the timed part.
//!
//! [stats] computes medians and spreads of the samples. [bound] gives an upper bound on the speed
//! of a core. [chart] plots throughput over message length.
//!
//! `hashlanes-lab bench` and `cargo xtask peers` use this crate.

#![deny(missing_docs, unsafe_code)]

pub mod bound;
pub mod chart;
pub mod clock;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only CPUID tells cores apart"))]
mod cores;
pub mod cpu;
pub mod messages;
pub mod sample;
pub mod stats;
