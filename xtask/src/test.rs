//! `cargo xtask test` and `cargo xtask lint`: what must pass before a change is shared.

use anyhow::Result;

use crate::command::{cargo, run as announce};
use crate::setup;

/// Run everything that must pass: formatting, lints, documentation, all tests.
///
/// Gets what the tests need first (see `cargo xtask setup`).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tests only, without formatting, lints and documentation.
    #[arg(long)]
    only_tests: bool,
    /// Install nothing; fail if something is missing, and name it.
    #[arg(long)]
    no_setup: bool,
}

/// Check formatting, lints and the documentation; those of the library also with all features and
/// with none.
#[derive(clap::Args)]
pub(crate) struct LintArgs {}

pub(crate) fn run(args: &Args) -> Result<()> {
    setup::run(&setup::Args { check: args.no_setup })?;
    if !args.only_tests {
        lint(&LintArgs {})?;
    }
    // All features, but only of the library: those of the benches bring in other libraries, for
    // minutes.
    announce(cargo().args(["test", "-p", "hashlanes", "--all-features"]))?;
    announce(cargo().args(["test", "--workspace", "--exclude", "hashlanes"]))
}

pub(crate) fn lint(_: &LintArgs) -> Result<()> {
    let clippy = |options: &[&str]| {
        announce(cargo().arg("clippy").args(options).args(["--", "-D", "warnings"]))
    };
    let doc = |options: &[&str]| {
        announce(
            cargo().args(["doc", "--no-deps"]).args(options).env("RUSTDOCFLAGS", "-D warnings"),
        )
    };
    announce(cargo().args(["fmt", "--all", "--check"]))?;
    clippy(&["--workspace", "--all-targets"])?;
    clippy(&["-p", "hashlanes", "--all-targets", "--all-features"])?;
    // As a program without an operating system uses it.
    clippy(&["-p", "hashlanes", "--no-default-features"])?;
    doc(&["--workspace"])?;
    doc(&["-p", "hashlanes", "--all-features"])
}
