//! `cargo xtask compiles`: compiles what is published for targets whose programs cannot run here.

use anyhow::Result;

use crate::command::{cargo, run as announce, target};
use crate::setup::rust_target;

/// Check that the packages compile for targets whose programs cannot run here: microcontrollers,
/// without and with an allocator, and macOS.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Without an operating system: only the library.
const BARE: [&str; 3] =
    ["thumbv7em-none-eabihf", "riscv32imac-unknown-none-elf", "aarch64-unknown-none-softfloat"];

const MACOS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];

pub(crate) fn run(_: &Args) -> Result<()> {
    for bare in BARE {
        for features in ["all", "all,alloc"] {
            check(bare, &["hashlanes"], &["--no-default-features", "-F", features])?;
        }
    }
    for macos in MACOS {
        check(macos, &["hashlanes", "hashlanes-entropy", "hashlanes-files"], &[])?;
        // TLS would need a C compiler for macOS.
        check(macos, &["hashlanes-cli"], &["--features", "lab"])?;
    }
    Ok(())
}

fn check(for_target: &str, packages: &[&str], features: &[&str]) -> Result<()> {
    rust_target(for_target)?;
    let mut command = cargo();
    command.args(["check", "--target", for_target]).args(features);
    packages.iter().for_each(|package| {
        command.args(["-p", package]);
    });
    announce(command.arg("--target-dir").arg(target().join("cross")))
}
