//! The engines, one file for each kind: Rust crates, C libraries through a shim, Go packages through a driver process.

mod crates;
mod go;
mod shim;

use crate::engine::{Engine, Found};

/// Every engine that we know of, hashlanes first.
pub(crate) fn all() -> Vec<Found> {
    let mut engines = vec![Found::Engine(Box::new(crates::Hashlanes) as Box<dyn Engine>)];
    engines.extend(shim::all());
    engines.push(Found::Engine(Box::new(crates::RustCrypto)));
    engines.push(crates::aws_lc_rs());
    engines.extend(go::all());
    engines
}
