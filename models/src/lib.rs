//! Files of other packages that have models under loom, compiled without their packages'
//! dependencies: a model only needs loom and the file, and the rest would take minutes. `cargo
//! xtask loom` runs them.

#![forbid(unsafe_code)]

#[cfg(all(loom, test))]
#[allow(dead_code, reason = "the models do without what only measures")]
#[path = "../../crates/hashlanes-cli/src/lab/simulate/exchange.rs"]
mod exchange;

#[cfg(all(loom, test))]
#[path = "../../crates/hashlanes-pool/src/ordered.rs"]
pub mod ordered;
