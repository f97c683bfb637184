//! Tests, lints, models and sanitizers on this machine.

pub(crate) mod compiles;
pub(crate) mod fuzz;
pub(crate) mod inlined;
pub(crate) mod lint;
#[cfg(test)]
mod lists;
pub(crate) mod loom;
pub(crate) mod miri;
pub(crate) mod msrv;
pub(crate) mod race;
mod race_c;
pub(crate) mod secrecy;
pub(crate) mod stability;
pub(crate) mod supply;
pub(crate) mod test;
