//! Tests the functions for DataFusion; see `extras/integrations/datafusion`. Compiling DataFusion
//! takes many minutes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Options, installed};
use crate::command::{cargo, root, run as announce};

/// The package with all of its functions.
const PACKAGE: [&str; 4] = ["--package", "datafusion-hashlanes", "--features", "spark"];

/// The version of DataFusion's Python package that the wheel is tested with, and the newest ones
/// whose structs are the same.
const PYTHON: [&str; 2] = ["datafusion==55.0.0", "pyarrow"];
const NEWEST_PYTHON: [&str; 2] = ["datafusion<56", "pyarrow"];

/// Tests the functions beside the engine's own, in Rust and in Python: with the locked version, or
/// with a lock file of the newest versions that is removed again.
pub(super) fn test(options: &Options) -> Result<()> {
    if !options.newest {
        return test_locked(options);
    }
    let path: PathBuf = root().join("extras/integrations/Cargo.lock");
    let lock = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let tested =
        announce(engines().args(["update", "--verbose"])).and_then(|()| test_locked(options));
    fs::write(&path, lock).with_context(|| format!("cannot restore {}", path.display()))?;
    tested
}

fn test_locked(options: &Options) -> Result<()> {
    announce(engines().args(["test", "--release"]).args(PACKAGE))?;
    let options = Options { newest: options.newest, profile: "release".to_owned() };
    installed("datafusion-python", &options, &PYTHON, &NEWEST_PYTHON)?.test(&[], false)
}

/// Measures beside the functions of DataFusion and of datafusion-spark.
pub(super) fn measure(rows: usize, parts: &[String]) -> Result<()> {
    let bench = ["bench", "--quiet", "--bench", "measure"];
    announce(engines().args(bench).args(PACKAGE).arg("--").arg(rows.to_string()).args(parts))
}

/// Cargo, in the workspace of the engines.
pub(crate) fn engines() -> Command {
    let mut command = cargo();
    command.current_dir(root().join("extras/integrations"));
    command
}
