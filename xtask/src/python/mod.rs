//! `cargo xtask python`: the Python package, built as a wheel, installed and tested; see `python/`
//! and docs/guide/python.md.

mod environment;
mod thorough;

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{root, run as announce};
use environment::Environment;

/// What the tests of columns hash columns of. A Python that one of them has no wheel for skips its
/// tests.
const COLUMNS: [&str; 5] = ["arro3-core", "duckdb", "pandas", "polars", "pyarrow"];

/// What is measured beside ours.
const MEASURED: [&str; 1] = ["polars-hash"];

/// Build the Python package as a wheel, install it below the target folder, and test it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The interpreter
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Measure beside hashlib, polars-hash and DuckDB, and print tables in Markdown
    #[arg(long)]
    measure: bool,
    /// Test also under all other interpreters that are found, and with buffers of more than 2 GiB.
    /// Check the type stubs, install the source distribution, build wheels for old systems and for
    /// Arm
    #[arg(long)]
    thorough: bool,
    /// Test the example of PySpark too. Gets PySpark, and Java by apt-get
    #[arg(long)]
    spark: bool,
    /// How to compile the extension module: `release`, or `dev` for checks of overflow
    #[arg(long, default_value = "release")]
    profile: String,
    /// Options of pytest
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let environment = Environment::new(&args.python, &args.profile)?;
    environment.install(&environment.build(&[])?)?;
    environment.get(&COLUMNS);
    if args.measure {
        environment.get(&MEASURED);
        return announce(
            environment.python().arg("benches/measure.py").current_dir(root().join("python")),
        );
    }
    if args.spark || args.thorough {
        environment.get_spark();
    }
    environment.test(&args.options, args.thorough)?;
    if args.thorough { thorough::run(&environment, &args.options) } else { Ok(()) }
}
