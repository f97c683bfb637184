//! Files of other packages that have models under loom, compiled without their packages'
//! dependencies: a model only needs loom and the file, and the rest would take minutes. `cargo
//! xtask loom` runs them.

#![forbid(unsafe_code)]

#[cfg(all(loom, test))]
#[path = "../../crates/hashlanes-pool/src/ordered.rs"]
pub mod ordered;
