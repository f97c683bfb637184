//! `cargo xtask test`: what must pass before a change is shared.

use anyhow::Result;

use crate::command::{ALL_FEATURES, cargo, run as announce};
use crate::{lint, setup};

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

pub(crate) fn run(args: &Args) -> Result<()> {
    setup::run(&setup::Args { check: args.no_setup })?;
    if !args.only_tests {
        lint::run(&lint::Args { quick: false })?;
    }
    // The library with all its features, among them that it wipes what it used, and those that want
    // this of it. (Features by name: those of the benches bring in other libraries, for minutes.)
    let wiping = ["hashlanes", "hashlanes-records", "hashlanes-bench-records"];
    let packages = wiping.iter().flat_map(|package| ["-p", package]);
    announce(cargo().arg("test").args(packages).args(["--features", ALL_FEATURES]))?;
    // All others, whose library does not wipe. As it has no other features either, it depends on
    // nothing, and is the one that every other chore uses, whatever else that compiles.
    let without = wiping.iter().flat_map(|package| ["--exclude", package]);
    announce(cargo().args(["test", "--workspace"]).args(without))
}

/// The library's tests on another kind of CPU or system: all of them, or those that depend on it,
/// which are of each kernel and of the choice between them.
pub(crate) fn library_tests(kernels: bool) -> &'static [&'static str] {
    if kernels { &["--test", "kernels"] } else { &["--lib", "--tests"] }
}
