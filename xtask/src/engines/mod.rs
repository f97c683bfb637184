//! The functions for query engines: `integrations/` and docs/guide/engines.md.

pub(crate) mod datafusion;
pub(crate) mod duckdb;
pub(crate) mod polars;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::command::{output, root};
use crate::python::Environment;

/// Test the functions for DuckDB, Polars and DataFusion, or measure them beside the engines' own.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure instead of testing, and print tables for docs/record
    #[arg(long)]
    measure: bool,
    /// Rows to measure with; columns of more than 1 GiB have fewer
    #[arg(long, default_value_t = 10_000_000)]
    rows: usize,
    /// The engines [default: all]
    #[arg(long, value_name = "ENGINE")]
    only: Vec<Engine>,
    /// What to measure: 16, 64, 256 and 8..512, which are lengths of values, and `queries`
    /// [default: all]
    parts: Vec<String>,
}

/// What the tests of each engine need to know.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Test with the newest version of the engine instead of those that are known to work
    #[arg(long)]
    newest: bool,
    /// The profile to compile with: `release`, or `dev` for overflow checks
    #[arg(long, default_value = PROFILE)]
    profile: String,
}

const PROFILE: &str = "release";

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    Duckdb,
    Polars,
    Datafusion,
}

const ENGINES: [Engine; 3] = [Engine::Duckdb, Engine::Polars, Engine::Datafusion];

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.measure {
        println!("{}", conditions()?);
    }
    let chosen = |engine: &Engine| args.only.is_empty() || args.only.contains(engine);
    for engine in ENGINES.into_iter().filter(chosen) {
        match (engine, args.measure) {
            (Engine::Duckdb, false) => duckdb::test(&Options::default())?,
            (Engine::Polars, false) => polars::test(&Options::default(), &[])?,
            (Engine::Datafusion, false) => datafusion::run(&datafusion::Args::default())?,
            (Engine::Duckdb, true) => duckdb::measure(args.rows, &args.parts)?,
            (Engine::Polars, true) => polars::measure(args.rows, &args.parts)?,
            (Engine::Datafusion, true) => datafusion::measure(args.rows, &args.parts)?,
        }
    }
    Ok(())
}

impl Default for Options {
    fn default() -> Self {
        Self { newest: false, profile: PROFILE.to_owned() }
    }
}

/// A virtual environment with Python packages in these versions, or in the `newest`, and with the
/// wheel of a folder in `integrations`.
fn installed(
    folder: &str,
    options: &Options,
    packages: &[&str],
    newest: &[&str],
) -> Result<Environment> {
    let python = Path::new("python3");
    let package = root().join("integrations").join(folder);
    let prefix = format!("{folder}-");
    let environment = Environment::of_package(python, &options.profile, &prefix, package)?;
    match options.newest {
        true => environment.pip(&[&["--upgrade"], newest].concat())?,
        false => environment.pip(packages)?,
    }
    environment.install(&environment.build(&[])?)?;
    Ok(environment)
}

/// What it takes to judge the figures: the commit, and the load of the machine.
fn conditions() -> Result<String> {
    let commit =
        output(Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]))?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<_> = load.split(' ').take(3).collect();
    Ok(format!("Commit {}; load averages before: {}.\n", commit.trim(), load.join(" ")))
}
