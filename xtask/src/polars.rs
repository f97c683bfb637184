//! `cargo xtask polars`: builds the package of Polars expressions as a wheel and tests it; see
//! `integrations/polars` and docs/guide/engines.md.

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{root, run as announce};
use crate::python::Environment;

/// The version of Polars that the package is tested with, and the package to compare with.
const PACKAGES: [&str; 2] = ["polars==2.1.0", "polars-hash==0.9.3"];

/// Build the package of Polars expressions as a wheel, install it under the target folder, and test
/// it beside hashlib and polars-hash.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The interpreter
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Measure beside polars-hash instead, and print tables in Markdown
    #[arg(long)]
    measure: bool,
    /// Rows to measure with
    #[arg(long, default_value_t = 10_000_000)]
    rows: usize,
    /// Test with the newest Polars instead, which may be newer than the one that is known to work
    #[arg(long)]
    newest: bool,
    /// The profile to compile with: `release`, or `dev` for overflow checks
    #[arg(long, default_value = "release")]
    profile: String,
    /// Options of pytest
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = root().join("integrations/polars");
    let environment = Environment::of_package(&args.python, &args.profile, "polars-", folder)?;
    match args.newest {
        true => environment.pip(&["--upgrade", "polars", "polars-hash"])?,
        false => environment.pip(&PACKAGES)?,
    }
    environment.install(&environment.build(&[])?)?;
    if !args.measure {
        return environment.test(&args.options, false);
    }
    for threads in ["1", "2"] {
        let mut python = environment.python();
        python.args(["benches/measure.py", &args.rows.to_string()]);
        announce(
            python
                .env("POLARS_MAX_THREADS", threads)
                .current_dir(root().join("integrations/polars")),
        )?;
    }
    Ok(())
}
