//! `cargo xtask python`: builds the Python package as a wheel, installs and tests it; see `python/`
//! and docs/guide/python.md.

mod environment;
mod interpreters;
mod thorough;

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{root, run as announce};
pub use environment::{Environment, TOOLS, check_name, tag};

/// Packages whose columns the tests hash. If one has no wheel for a Python, its tests are skipped.
const COLUMNS: [&str; 5] = ["arro3-core", "duckdb", "pandas", "polars", "pyarrow"];

/// Implementations of ML-KEM and ML-DSA, whose matrices the tests compare.
const LATTICES: [&str; 2] = ["dilithium-py", "kyber-py"];

/// What thorough tests use besides Spark.
const RAY: [&str; 1] = ["ray[data]"];

/// The package to compare with when measuring.
const MEASURED: [&str; 1] = ["polars-hash"];

/// Build the Python package as a wheel, install it under the target folder, and test it.
#[derive(clap::Args)]
pub struct Args {
    /// The interpreter
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Measure beside hashlib, polars-hash and DuckDB, and print tables in Markdown
    #[arg(long)]
    measure: bool,
    /// Also test under all other interpreters that are found, with buffers of more than 2 GiB, with
    /// Ray and Spark, for which apt-get installs Java, and with clusters whose workers are killed;
    /// check the type stubs, try each extra in an environment of its own, install the source
    /// distribution, build wheels for old systems and for Arm
    #[arg(long)]
    thorough: bool,
    /// Build nothing: install the package from a folder with wheels, under all interpreters that
    /// are found, and compare with hashlib
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["measure", "thorough"])]
    from: Option<PathBuf>,
    /// The profile to compile the extension module with: `plugin`, or `dev` for overflow checks
    #[arg(long, default_value = PROFILE)]
    profile: String,
    /// Options of pytest
    #[arg(last = true)]
    options: Vec<String>,
}

/// The profile for what runs inside another program: a panic becomes an error of that program.
pub const PROFILE: &str = "plugin";

pub fn run(args: &Args) -> Result<()> {
    if let Some(folder) = &args.from {
        return thorough::try_all(folder);
    }
    let environment = Environment::new(&args.python, &args.profile)?;
    environment.install(&environment.build(&[])?)?;
    environment.get(&COLUMNS);
    environment.get(&LATTICES);
    if args.measure {
        environment.get(&MEASURED);
        return announce(
            environment.python().arg("benches/measure.py").current_dir(root().join("python")),
        );
    }
    if args.thorough {
        environment.get_spark();
        environment.get(&RAY);
    }
    environment.test(&args.options, args.thorough)?;
    if args.thorough { thorough::run(&environment, &args.options) } else { Ok(()) }
}
