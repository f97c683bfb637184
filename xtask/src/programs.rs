//! The programs as users get them, which chores test and package.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::check::test::other_tests;
use crate::command::{PROGRAM_FEATURES, all_built, cargo, run as announce, target};
use crate::setup;

/// The programs that are installed together.
pub struct Programs {
    pub hashlanes: PathBuf,
    /// The one that measures.
    pub lab: PathBuf,
    /// `hashlanes` for this machine, which writes the manual and the completions.
    pub runs: PathBuf,
}

/// The program `hashlanes` of the tests, or of a release.
pub(crate) fn tested_or_released(tested: bool) -> Result<PathBuf> {
    if tested { self::tested() } else { Ok(programs()?.hashlanes) }
}

/// The program that `cargo xtask test` has compiled, with overflow checks. If it has not, all tests
/// are compiled: other packages of the same cargo decide the features of what they depend on.
fn tested() -> Result<PathBuf> {
    setup::run(&setup::Args { check: false })?;
    let executables = all_built(|| {
        let mut command = other_tests();
        command.arg("--no-run");
        command
    })?;
    let name = format!("hashlanes{EXE_SUFFIX}");
    let program = executables.into_iter().find(|path| path.file_name() == Some(name.as_ref()));
    program.context("the tests need no program")
}

/// Builds the programs as users get them: with the profile `release`, and without symbols, which
/// are four fifths of them.
pub fn programs() -> Result<Programs> {
    let built = all_built(|| {
        let mut command = cargo();
        command.args(["build", "--package", "hashlanes-cli", "--release"]);
        command.args(["--features", PROGRAM_FEATURES]);
        command
    })?;
    let folder = target().join("stripped");
    fs::create_dir_all(&folder)?;
    let stripped = |program: &PathBuf| {
        let stripped = folder.join(program.file_name().unwrap_or_default());
        announce(Command::new("strip").arg("-o").arg(&stripped).arg(program)).map(|()| stripped)
    };
    let [hashlanes, lab] = built.as_slice() else { bail!("not two programs: {built:?}") };
    let hashlanes = stripped(hashlanes)?;
    Ok(Programs { runs: hashlanes.clone(), hashlanes, lab: stripped(lab)? })
}

impl Programs {
    /// Writes their manual pages.
    pub fn manual(&self, folder: &Path) -> Result<()> {
        announce(Command::new(&self.runs).arg("man").arg(folder).stdout(Stdio::null()))
    }

    /// Writes the completions for all shells.
    pub fn completions(&self, folder: &Path) -> Result<()> {
        let mut command = Command::new(&self.runs);
        command.arg("install-completions").arg("--dir").arg(folder);
        announce(command.stdout(Stdio::null()))
    }
}
