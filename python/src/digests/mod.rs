//! Digests as Python wants them.

pub(crate) mod memory;
pub(crate) mod output;
