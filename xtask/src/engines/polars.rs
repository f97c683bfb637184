//! `cargo xtask polars`: builds the package of Polars expressions as a wheel and tests it; see
//! `integrations/polars` and docs/guide/engines.md.

use anyhow::Result;

use super::Options;
use crate::command::{root, run as announce};
use crate::python::Environment;

/// The version of Polars that the package is tested with, and the package to compare with.
const PACKAGES: [&str; 2] = ["polars==2.1.0", "polars-hash==0.9.3"];

/// Build the package of Polars expressions as a wheel, install it under the target folder, and test
/// it beside hashlib and polars-hash.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Options of pytest
    #[arg(last = true)]
    pytest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    test(&args.options, &args.pytest)
}

pub(super) fn test(options: &Options, pytest: &[String]) -> Result<()> {
    installed(options)?.test(pytest, false)
}

/// Measures beside polars-hash.
pub(super) fn measure(rows: usize, parts: &[String]) -> Result<()> {
    let environment = installed(&Options::default())?;
    for threads in ["1", "2"] {
        let mut python = environment.python();
        python.arg("benches/measure.py").arg(rows.to_string()).args(parts);
        let folder = root().join("integrations/polars");
        announce(python.env("POLARS_MAX_THREADS", threads).current_dir(folder))?;
    }
    Ok(())
}

/// An environment with the package, and what it is compared with.
fn installed(options: &Options) -> Result<Environment> {
    super::installed("polars", options, &PACKAGES, &["polars", "polars-hash"])
}
