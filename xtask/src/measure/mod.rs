//! Benchmarks and their records.

pub(crate) mod peers;
pub(crate) mod weight;
