//! How hashlanes is measured: what the benches of this project have in common.
//!
//! An absolute speed says little on a shared machine whose clock goes up and down. So a figure here
//! is in *bytes per core cycle*, with the [clock] calibrated just before and just after every
//! [sample]; what is compared is sampled in turns, A B A B, on the same pinned [core](cpu); and the
//! [messages] are random, in a new order for every sample, with their digests checked against
//! another implementation outside the timed part. [stats] makes medians and spreads of the samples,
//! [bound] tells how fast the core could be at best, and [chart] draws throughput over message
//! length.
//!
//! The tools that use it: `hashlanes bench`, and `cargo xtask peers`.

#![deny(missing_docs, unsafe_code)]

pub mod bound;
pub mod chart;
pub mod clock;
pub mod cpu;
pub mod messages;
pub mod sample;
pub mod stats;
