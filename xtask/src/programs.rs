//! The programs as users get them, which chores test and package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::command::{PROGRAM_FEATURES, all_built, cargo, run as announce, target};

/// The programs that are installed together.
pub struct Programs {
    pub hashlanes: PathBuf,
    /// The one that measures.
    pub lab: PathBuf,
    /// `hashlanes` for this machine, which writes the manual and the completions.
    pub runs: PathBuf,
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
