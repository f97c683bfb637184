//! The subcommands, a module each, with its `Args` and a `run`.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod info;
pub(crate) mod man;
pub(crate) mod manifest;
pub(crate) mod random;
#[cfg(feature = "slh-dsa")]
pub(crate) mod slh_dsa;
pub(crate) mod sum;
pub(crate) mod tree;
