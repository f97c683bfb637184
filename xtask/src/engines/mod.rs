//! The functions for query engines: `extras/integrations/` and docs/guide/engines.md.

pub(crate) mod datafusion;
pub(crate) mod duckdb;
mod polars;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::command::{output, root};
use crate::python::{Environment, PROFILE};
use crate::tested;

/// Test the functions for DuckDB, Polars and DataFusion, or measure them beside the engines' own.
///
/// `.ci/tested` has git's name for the sources of each engine that have passed. A test writes it;
/// commit it with the sources.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The engines [default: all]
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    #[arg(value_parser = ENGINES.map(|engine| engine.name))]
    only: Vec<String>,
    /// Leave out engines whose sources have passed before
    #[arg(long)]
    if_changed: bool,
    #[command(flatten)]
    options: Options,
    /// Only build: DuckDB's extension, the wheels of the others
    #[arg(long)]
    build: bool,
    /// Measure instead of testing, and print tables for docs/record
    #[arg(long)]
    measure: bool,
    /// Rows to measure with; columns of more than 1 GiB have fewer
    #[arg(long, default_value_t = 10_000_000)]
    rows: usize,
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
    /// The profile to compile with: `plugin`, or `dev` for overflow checks. DataFusion's is
    /// always that of its workspace
    #[arg(long, default_value = PROFILE)]
    profile: String,
}

/// An engine, by its name in `.ci/tested`.
struct Engine {
    name: &'static str,
    /// What the tests test. The library is not among it: its own tests find wrong digests, and the
    /// functions see only `hashlanes-arrow`.
    sources: &'static [&'static str],
    build: fn(&Options) -> Result<PathBuf>,
    test: fn(&Options) -> Result<()>,
    /// Measures these parts with this many rows.
    measure: fn(usize, &[String], &Options) -> Result<()>,
}

const ENGINES: [Engine; 3] = [
    Engine {
        name: "duckdb",
        sources: &["extras/integrations/duckdb"],
        build: |options| duckdb::build(&options.profile),
        test: duckdb::test,
        measure: duckdb::measure,
    },
    Engine {
        name: "polars",
        sources: &["extras/integrations/polars"],
        build: |options| environment("polars", options)?.build(&[]),
        test: polars::test,
        measure: polars::measure,
    },
    Engine {
        name: "datafusion",
        sources: &[
            "extras/integrations/Cargo.toml",
            "extras/integrations/Cargo.lock",
            "extras/integrations/datafusion",
            "extras/integrations/datafusion-python",
        ],
        build: |options| environment("datafusion-python", options)?.build(&[]),
        test: datafusion::test,
        measure: |rows, parts, _| datafusion::measure(rows, parts),
    },
];

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.measure {
        println!("{}", conditions()?);
    }
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    for Engine { name, sources, build, test, measure } in ENGINES {
        if !chosen(name) {
            continue;
        }
        if args.measure {
            measure(args.rows, &args.parts, &args.options)?;
        } else if args.build {
            println!("{}", build(&args.options)?.display());
        } else {
            let arrow = ["crates/hashlanes-arrow/Cargo.toml", "crates/hashlanes-arrow/src"];
            let sources = [sources, &arrow].concat();
            tested::test(name, &sources, args.if_changed, || test(&args.options))?;
        }
    }
    Ok(())
}

/// A virtual environment with Python packages in these versions, or in the `newest`, and with the
/// wheel of a folder in `integrations`.
fn installed(
    folder: &str,
    options: &Options,
    packages: &[&str],
    newest: &[&str],
) -> Result<Environment> {
    let environment = environment(folder, options)?;
    match options.newest {
        true => environment.pip(&[&["--upgrade"], newest].concat())?,
        false => environment.pip(packages)?,
    }
    environment.install(&environment.build(&[])?)?;
    Ok(environment)
}

/// A virtual environment that builds the package of a folder in `integrations`.
fn environment(folder: &str, options: &Options) -> Result<Environment> {
    let package = root().join("extras/integrations").join(folder);
    let prefix = format!("{folder}-");
    Environment::of_package(Path::new("python3"), &options.profile, &prefix, package)
}

/// What it takes to judge the figures: the commit, and the load of the machine.
fn conditions() -> Result<String> {
    let commit =
        output(Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]))?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<_> = load.split(' ').take(3).collect();
    Ok(format!("Commit {}; load averages before: {}.\n", commit.trim(), load.join(" ")))
}
