//! Conversion of digests to Python objects.

pub(crate) mod memory;
pub(crate) mod output;
