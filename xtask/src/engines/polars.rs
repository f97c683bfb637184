//! Builds the package of Polars expressions as a wheel, installs it under the target folder, and
//! tests it.

use anyhow::Result;

use super::Options;
use crate::command::{root, run as announce};
use crate::python::Environment;

/// The version of Polars that the package is tested with, and the package to compare with.
const PACKAGES: [&str; 2] = ["polars==2.1.0", "polars-hash==0.9.3"];

/// Tests it beside hashlib and polars-hash.
pub(super) fn test(options: &Options) -> Result<()> {
    installed(options)?.test(&[], false)
}

/// Measures beside polars-hash.
pub(super) fn measure(rows: usize, parts: &[String], options: &Options) -> Result<()> {
    let environment = installed(options)?;
    for threads in ["1", "2"] {
        let mut python = environment.python();
        python.arg("benches/measure.py").arg(rows.to_string()).args(parts);
        let folder = root().join("extras/integrations/polars");
        announce(python.env("POLARS_MAX_THREADS", threads).current_dir(folder))?;
    }
    Ok(())
}

/// An environment with the package, and what it is compared with.
fn installed(options: &Options) -> Result<Environment> {
    super::installed("polars", options, &PACKAGES, &["polars", "polars-hash"])
}
