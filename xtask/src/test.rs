//! `cargo xtask test`: what must pass before a change is shared.

use anyhow::Result;

use crate::command::{cargo, run as announce};
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
        lint::run(&lint::Args {})?;
    }
    let library =
        |options: &[&str]| announce(cargo().args(["test", "-p", "hashlanes"]).args(options));
    // All features, but only of the library: those of the benches bring in other libraries, for
    // minutes.
    library(&["--all-features"])?;
    // As a program without an operating system uses it: every kernel, through what needs neither
    // memory nor threads. The suite would take minutes to compile once more.
    // (The packaged library is tested with the default features: `cargo xtask package`.)
    let bare = ["--lib", "--test", "kernels"];
    library(&[&["--no-default-features"][..], &bare].concat())?;
    // Those that have the library wipe what it used, and then the others, whose library does not.
    let wiping = ["hashlanes-records", "hashlanes-bench-records"];
    announce(cargo().arg("test").args(wiping.iter().flat_map(|package| ["-p", package])))?;
    let without = wiping.iter().flat_map(|package| ["--exclude", package]);
    announce(cargo().args(["test", "--workspace", "--exclude", "hashlanes"]).args(without))
}

/// The library's tests on another kind of CPU or system: all of them, or those that depend on it,
/// which are of each kernel and of the choice between them.
pub(crate) fn library_tests(kernels: bool) -> &'static [&'static str] {
    if kernels {
        &["--lib", "--test", "kernels", "--test", "selection"]
    } else {
        &["--lib", "--tests"]
    }
}
