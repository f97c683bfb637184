//! `cargo xtask datafusion`: tests the functions for DataFusion; see `integrations/datafusion` and
//! docs/guide/engines.md.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Options, PROFILE, installed};
use crate::command::{cargo, output, root, run as announce, target};

/// What the tests test. The library is not among it: its own tests find wrong digests, and the
/// functions see only `hashlanes-arrow`.
const SOURCES: [&str; 6] = [
    "integrations/Cargo.toml",
    "integrations/Cargo.lock",
    "integrations/datafusion",
    "integrations/datafusion-python",
    "crates/hashlanes-arrow/Cargo.toml",
    "crates/hashlanes-arrow/src",
];

/// The package with all of its functions.
const PACKAGE: [&str; 4] = ["--package", "datafusion-hashlanes", "--features", "spark"];

/// The version of DataFusion's Python package that the wheel is tested with, and the newest ones
/// whose structs are the same.
const PYTHON: [&str; 2] = ["datafusion==55.0.0", "pyarrow"];
const NEWEST_PYTHON: [&str; 2] = ["datafusion<56", "pyarrow"];

/// Test the functions for DataFusion beside its own, in Rust and in Python.
///
/// Compiling DataFusion takes many minutes. `integrations/tested` has git's name for the sources
/// that have passed; commit it with them, and `--if-changed` does nothing until they change.
#[derive(Default, clap::Args)]
pub(crate) struct Args {
    /// Do nothing if these sources have passed before
    #[arg(long)]
    if_changed: bool,
    /// Test with the newest DataFusion that the package allows instead of the locked one
    #[arg(long)]
    newest: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let tested = root().join("integrations/tested");
    let read = || fs::read_to_string(&tested).with_context(|| format!("no {}", tested.display()));
    if args.newest {
        return with_newest();
    }
    let tree = tree()?;
    if args.if_changed && read()? == tree {
        println!("DataFusion: nothing has changed since it was tested");
        return Ok(());
    }
    test(false)?;
    fs::write(&tested, tree).with_context(|| format!("cannot write {}", tested.display()))
}

fn test(newest: bool) -> Result<()> {
    announce(engines().args(["test", "--release"]).args(PACKAGE))?;
    let options = Options { newest, profile: PROFILE.to_owned() };
    installed("datafusion-python", &options, &PYTHON, &NEWEST_PYTHON)?.test(&[], false)
}

/// Measures beside the functions of DataFusion and of datafusion-spark.
pub(super) fn measure(rows: usize, parts: &[String]) -> Result<()> {
    let bench = ["bench", "--quiet", "--bench", "measure"];
    announce(engines().args(bench).args(PACKAGE).arg("--").arg(rows.to_string()).args(parts))
}

/// Tests with a lock file of the newest versions, and restores the old one.
fn with_newest() -> Result<()> {
    let path: PathBuf = root().join("integrations/Cargo.lock");
    let lock = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let tested = announce(engines().args(["update", "--verbose"])).and_then(|()| test(true));
    fs::write(&path, lock).with_context(|| format!("cannot restore {}", path.display()))?;
    tested
}

/// Cargo, in the workspace of the engines.
pub(crate) fn engines() -> Command {
    let mut command = cargo();
    command.current_dir(root().join("integrations"));
    command
}

/// Git's name for the tree of the sources as they are now.
fn tree() -> Result<String> {
    // An index of its own, so that the user's keeps what is staged.
    let index = target().join("engines.index");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        output(git.current_dir(root()).env("GIT_INDEX_FILE", &index).args(arguments))
    };
    git(&["read-tree", "--empty"])?;
    git(&[&["add", "--"], &SOURCES[..]].concat())?;
    git(&["write-tree"])
}
