//! `cargo xtask release --try-it`: installs what was made in clean systems, and uses it.
//!
//! Each system is a new copy of Debian's base system, which has neither Rust nor a C compiler. A
//! script installs and uses the files of one kind in it, by the commands of docs/releases.md,
//! and prints how long they took. The scripts are in `trials/`; `timed` and other functions that
//! they use are in `trials/functions.sh`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::statement::SUMS;
use crate::archive::empty_tree;
use xtask::command::{output, root, run as announce, succeeds, target};
use xtask::folder::remove;
use xtask::packages::require_programs;

/// A script to run in a clean system.
pub(super) struct Trial {
    /// A file in `trials/`.
    pub(super) script: &'static str,
    /// Debian packages that it needs besides what is tried.
    pub(super) packages: &'static [&'static str],
}

/// Runs trials in a release of Debian.
pub(super) fn run<'t>(
    suite: &str,
    dist: &Path,
    trials: impl Iterator<Item = &'t Trial>,
) -> Result<()> {
    ensure!(dist.is_dir(), "nothing to try: cargo xtask release makes {}", dist.display());
    let sums = ["--strict", "--quiet", "-c", SUMS];
    announce(Command::new("sha256sum").args(sums).current_dir(dist))?;
    let base = base(suite)?;
    let mut failed = Vec::new();
    let mut used = BTreeSet::new();
    for trial in trials {
        eprintln!("{}, in {suite}", trial.script);
        if let Err(error) = trial.run(&base, dist, &mut used) {
            eprintln!("{}: {error:#}", trial.script);
            failed.push(trial.script);
        }
    }
    for file in files(dist, "@-1")?.difference(&used) {
        eprintln!("read by no trial: {file}");
    }
    ensure!(failed.is_empty(), "failed in {suite}: {}", failed.join(", "));
    Ok(())
}

/// The names of the files in a folder that were read after a time.
fn files(folder: &Path, time: &str) -> Result<BTreeSet<String>> {
    let names = ["-type", "f", "-newerat", time, "-printf", "%P\n"];
    let names = output(Command::new("find").arg(".").args(names).current_dir(folder))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// The base system, which is made once.
fn base(suite: &str) -> Result<PathBuf> {
    let folder = target().join("trial").join(suite);
    if !folder.is_dir() {
        require_programs(&[("debootstrap", "debootstrap")])?;
        let partial = empty_tree(&format!("trial/{suite}.partial"))?;
        let mut make = Command::new("debootstrap");
        announce(make.args(["--variant=minbase", suite]).arg(&partial).env("PATH", PATH))?;
        fs::rename(&partial, &folder)?;
    }
    Ok(folder)
}

/// Where Debian has programs, including those for root only.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl Trial {
    /// Adds the files in `dist` that the script read, even if it failed.
    fn run(&self, base: &Path, dist: &Path, used: &mut BTreeSet<String>) -> Result<()> {
        let system = empty_tree("trial/system")?;
        let copy =
            |from: &Path, to: &Path| announce(Command::new("cp").arg("-aT").args([from, to]));
        copy(base, &system)?;
        let dist_inside = system.join("dist");
        copy(dist, &dist_inside)?;
        // The time of the last access shows what was read. Linux updates one that is older than the
        // file.
        let old = ["-type", "f", "-exec", "touch", "-a", "-d", "@0", "{}", "+"];
        announce(Command::new("find").arg(".").args(old).current_dir(&dist_inside))?;
        copy(&root().join("xtask/release/trials"), &system.join("trials"))?;
        ensure!(!succeeds(&mut inside(&system, "rustc --version")), "it has Rust");
        if !self.packages.is_empty() {
            let packages = self.packages.join(" ");
            let install = "apt-get install -qq --no-install-recommends";
            announce(&mut inside(&system, &format!("apt-get update -qq && {install} {packages}")))?;
        }
        let script = format!(". /trials/functions.sh; . /trials/{}", self.script);
        let tried = announce(&mut inside(&system, &script));
        used.extend(files(&dist_inside, "@1")?);
        tried?;
        remove(&system)
    }
}

/// A shell in another system, with its own processes and mounts, which end with it.
fn inside(system: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.arg("--root").arg(system).args(["/bin/sh", "-euc", script]);
    command.env_clear().env("PATH", PATH).env("HOME", "/root").env("LC_ALL", "C.UTF-8");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
