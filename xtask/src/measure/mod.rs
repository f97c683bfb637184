//! Benchmarks and their records.

mod history;
pub(crate) mod peers;
pub(crate) mod record;
pub(crate) mod records;
