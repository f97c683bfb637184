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

/// Check formatting, lints, and the documentation, of every feature combination.
#[derive(clap::Args)]
pub(crate) struct LintArgs {}

pub(crate) fn run(args: &Args) -> Result<()> {
    setup::run(&setup::Args { check: args.no_setup })?;
    if !args.only_tests {
        lint(&LintArgs {})?;
    }
    announce(cargo().args(["test", "--workspace", "--all-features"]))
}

pub(crate) fn lint(_: &LintArgs) -> Result<()> {
    announce(cargo().args(["fmt", "--all", "--check"]))?;
    announce(cargo().args(["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]))?;
    // The library alone, as a program without an operating system uses it.
    announce(cargo().args(["clippy", "-p", "hashlanes", "--no-default-features", "--", "-D", "warnings"]))?;
    announce(cargo().args(["doc", "--workspace", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings"))
}
