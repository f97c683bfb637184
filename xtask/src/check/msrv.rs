//! `cargo xtask msrv`: compiles what is published with the oldest supported Rust.
//!
//! Clippy's `incompatible_msrv` notices functions that are too new. It notices neither that an old
//! one was `unsafe` nor changes of the language. Only the compiler of that version does.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::command::{PUBLISHED, run as announce, succeeds, target, toolchain};

/// The version that Cargo.toml names for all packages.
const PROMISED: &str = env!("CARGO_PKG_RUST_VERSION");

/// Without a network, rustup retries for minutes. On a busy machine, it needs a minute to unpack a
/// toolchain. In seconds.
const INSTALL_LIMIT: &str = "180";

/// The sets of features of the library, as options of cargo.
const FEATURES: [&[&str]; 2] = [&["--all-features"], &["--no-default-features", "-F", "all"]];

/// Compile the published packages with the Rust version that Cargo.toml names as the oldest.
///
/// rustup installs that toolchain if it can. Otherwise this says so, and succeeds.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if the toolchain is missing and cannot be installed
    #[arg(long)]
    require: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !installed() && !install() {
        ensure!(
            !args.require,
            "no toolchain of Rust {PROMISED}: rustup toolchain install {PROMISED}"
        );
        eprintln!("NOT TESTED with Rust {PROMISED}: rustup cannot install it");
        return Ok(());
    }
    let packages: Vec<_> = PUBLISHED.iter().flat_map(|package| ["-p", package]).collect();
    check(&packages)?;
    for features in FEATURES {
        check(&[&["-p", PUBLISHED[0]], features].concat())?;
    }
    eprintln!("Rust {PROMISED} compiles it");
    Ok(())
}

/// Whether the toolchain is complete. An interrupted installation leaves one that rustup lists,
/// with a cargo but without a compiler.
fn installed() -> bool {
    ["cargo", "rustc"]
        .into_iter()
        .all(|program| succeeds(toolchain(PROMISED).args([program, "--version"])))
}

/// Installs the toolchain. What exists of one that is unfinished is removed, before and after:
/// rustup does not complete it.
fn install() -> bool {
    let uninstall = || succeeds(Command::new("rustup").args(["toolchain", "uninstall", PROMISED]));
    uninstall();
    let mut install = Command::new("timeout");
    install.args([INSTALL_LIMIT, "rustup", "toolchain", "install", PROMISED]);
    let installed = announce(install.args(["--profile", "minimal", "--no-self-update"])).is_ok();
    if !installed {
        uninstall();
    }
    installed
}

fn check(options: &[&str]) -> Result<()> {
    let mut command = toolchain(PROMISED);
    command.args(["cargo", "check"]).args(options).arg("--target-dir").arg(target().join("msrv"));
    // An old compiler's warnings do not matter; its errors do.
    announce(command.env("RUSTFLAGS", "--cap-lints=allow"))
}
