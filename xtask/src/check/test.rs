//! `cargo xtask test`: what must pass before a change is shared.

use std::process::Command;

use anyhow::Result;

use crate::check::lint;
use crate::command::{ALL_FEATURES, PROGRAM_FEATURES, cargo, run as announce};
use crate::setup;
use crate::tested;

/// The folders of the packages whose tests are left out if nothing has changed since they passed.
const EXTRAS: [&str; 4] = [
    "extras/hashlanes-body",
    "extras/hashlanes-entropy",
    "extras/hashlanes-records",
    "extras/hashlanes-slh-dsa",
];

/// What they stand on.
const BELOW_EXTRAS: [&str; 3] =
    ["Cargo.lock", "crates/hashlanes/Cargo.toml", "crates/hashlanes/src"];

/// Run everything that must pass: formatting, lints, documentation, all tests.
///
/// Installs the test dependencies first (see `cargo xtask setup`).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the tests, without formatting, lints and documentation
    #[arg(long)]
    only_tests: bool,
    /// Run also the tests of `extras` if nothing has changed since they passed, hash 100 million
    /// random messages in place of 200,000, and fail where a test needs root, the right to mount,
    /// or systemd, and does not have it
    #[arg(long)]
    all: bool,
    /// Install nothing; fail if something is missing, and name it
    #[arg(long)]
    no_setup: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    setup::run(&setup::Args { check: args.no_setup })?;
    if !args.only_tests {
        lint::run(&lint::Args { quick: false, pairs: false })?;
    }
    // The library's own tests need all its features. All others use the library as it is by
    // default, so that they test what users run, and share its code with every other chore.
    let mut library = cargo();
    library.args(["test", "-p", "hashlanes", "--features", ALL_FEATURES]);
    if args.all {
        // Of the random ones (`tests/suite/differential.rs`).
        library.env("HASHLANES_MESSAGES", "100000000");
    }
    announce(&mut library)?;
    let mut others = other_tests();
    if !args.all {
        // Not every machine has root, may mount, or runs systemd.
        others.env("HASHLANES_TESTS_MAY_LEAVE_OUT", "1");
    }
    announce(&mut others)?;
    let mut extras = cargo();
    extras.arg("test").args(each_extra("-p"));
    let sources = [&BELOW_EXTRAS[..], &EXTRAS].concat();
    tested::test("extras", &sources, !args.all, || announce(&mut extras))
}

/// The tests of all packages but the library and `EXTRAS`. The programs are those that are
/// released.
pub(crate) fn other_tests() -> Command {
    let mut command = cargo();
    command.args(["test", "--workspace", "--exclude", "hashlanes", "--features"]);
    command.arg(PROGRAM_FEATURES);
    command.args(each_extra("--exclude"));
    command
}

/// This option of cargo for each package of `EXTRAS`.
fn each_extra(option: &str) -> impl Iterator<Item = &str> {
    EXTRAS.iter().flat_map(move |folder| [option, folder.trim_start_matches("extras/")])
}
