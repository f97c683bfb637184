//! How hashlanes is measured: the parts that the benches of this project share.
//!
//! An absolute speed says little on a shared machine whose clock goes up and down. So:
//! * Figures are in *bytes per core cycle*. The [clock] is calibrated just before and just after
//!   every [sample].
//! * Whatever is compared is sampled in turns, A B A B, on the same pinned [core](cpu).
//! * The [messages] are random, and come in a new order for every sample. Their digests are checked
//!   against another implementation outside the timed part.
//!
//! [stats] computes medians and spreads of the samples. [bound] tells how fast the core could be at
//! best. [chart] draws throughput over message length.
//!
//! `hashlanes bench` and `cargo xtask peers` use this crate.

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
