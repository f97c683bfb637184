//! `cargo xtask msrv`: compiles what is published with the oldest supported Rust.
//!
//! Clippy's `incompatible_msrv` notices functions that are too new. It notices neither that an old
//! one was `unsafe` nor changes of the language. Only the compiler of that version does.

use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{PUBLISHED, cargo, output, run as announce, succeeds, target, toolchain};

/// Without a network, rustup retries for minutes. On a busy machine, it needs a minute to unpack a
/// toolchain.
const INSTALL_LIMIT: Duration = Duration::from_secs(180);

/// The sets of features of the library, as options of cargo.
const FEATURES: [&[&str]; 2] = [&["--all-features"], &["--no-default-features", "-F", "all"]];

/// Compile the published packages with the Rust version that Cargo.toml names as the oldest.
///
/// rustup installs that toolchain if it can. Otherwise this says so, and compiles with the oldest
/// installed toolchain that is no older.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if the toolchain is missing and cannot be installed
    #[arg(long)]
    require: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let promised = promised()?;
    if installed(&promised) || install(&promised)? {
        check(&promised)?;
        eprintln!("Rust {promised} compiles it");
        return Ok(());
    }
    if args.require {
        bail!("no toolchain of Rust {promised}: rustup toolchain install {promised}");
    }
    let oldest = oldest_no_older_than(&promised)?;
    let why = "there is no such toolchain, and rustup cannot install it";
    let version = |command: &mut Command| output(command.args(["rustc", "--version"]));
    if version(&mut toolchain(&oldest))? == output(Command::new("rustc").arg("--version"))? {
        eprintln!("NOT TESTED with Rust {promised}: {why}, and none is older than the one in use");
        return Ok(());
    }
    eprintln!(
        "NOT TESTED with Rust {promised}: {why}. Testing with the oldest installed one, {oldest}"
    );
    check(&oldest)
}

/// `rust-version` of the library.
fn promised() -> Result<String> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages
        .iter()
        .find(|package| package["name"] == PUBLISHED[0])
        .and_then(|package| package["rust_version"].as_str())
        .map(str::to_owned)
        .with_context(|| format!("{} has no rust-version", PUBLISHED[0]))
}

/// Whether the toolchain is complete. An interrupted installation leaves one that rustup lists,
/// with a cargo but without a compiler.
fn installed(version: &str) -> bool {
    ["cargo", "rustc"]
        .into_iter()
        .all(|program| succeeds(toolchain(version).args([program, "--version"])))
}

fn install(version: &str) -> Result<bool> {
    if !succeeds(Command::new("rustup").arg("--version")) {
        return Ok(false);
    }
    // rustup does not complete an unfinished toolchain.
    uninstall(version);
    eprintln!("$ rustup toolchain install {version} --profile minimal");
    let mut install = Command::new("rustup")
        .args(["toolchain", "install", version, "--profile", "minimal", "--no-self-update"])
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start rustup")?;
    let started = Instant::now();
    loop {
        if let Some(status) = install.try_wait()? {
            return Ok(ExitStatus::success(&status));
        }
        if started.elapsed() > INSTALL_LIMIT {
            install.kill()?;
            install.wait()?;
            uninstall(version);
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Removes what exists of a toolchain. It is no error if there is none.
fn uninstall(version: &str) {
    succeeds(Command::new("rustup").args(["toolchain", "uninstall", version]));
}

/// The oldest of rustup's toolchains from a version on.
fn oldest_no_older_than(version: &str) -> Result<String> {
    let wanted = parsed(version).with_context(|| format!("not a version: {version}"))?;
    let list = output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    let versions = names.filter_map(|name| {
        let version = output(toolchain(name).args(["rustc", "--version"])).ok()?;
        Some((parsed(version.split_whitespace().nth(1)?)?, name.to_owned()))
    });
    let oldest = versions.filter(|(version, _)| *version >= wanted).min();
    let (_, name) = oldest.with_context(|| format!("no toolchain of Rust {version} or newer"))?;
    Ok(name)
}

/// Major and minor version: (1, 97) for "1.97.0-nightly".
fn parsed(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn check(name: &str) -> Result<()> {
    let check = |options: &[&str]| {
        let mut command = toolchain(name);
        command
            .args(["cargo", "check"])
            .args(options)
            .arg("--target-dir")
            .arg(target().join("msrv"));
        // An old compiler's warnings do not matter; its errors do.
        announce(command.env("RUSTFLAGS", "--cap-lints=allow"))
    };
    let packages: Vec<_> = PUBLISHED.iter().flat_map(|package| ["-p", package]).collect();
    check(&packages)?;
    for features in FEATURES {
        check(&[&["-p", PUBLISHED[0]], features].concat())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parsed;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(parsed("1.97.0-nightly"), Some((1, 97)));
        assert!(parsed("1.100") > parsed("1.89.1"));
        assert_eq!(parsed("nightly"), None);
    }
}
