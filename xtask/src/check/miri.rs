//! `cargo xtask miri`: the library's tests in an interpreter that checks every memory access.
//!
//! Miri finds what no test sees: reads of uninitialised memory, pointers used after their source
//! was used in conflict with them, data races. It has no CPUID, so the library's CPU features are
//! those that it is compiled for (`kernel/cpu.rs`). With AVX2, whose intrinsics Miri supports, the
//! scheduler has 8 and 16 lanes to fill.

use anyhow::{Result, bail};

use crate::command::{has_library_sources, run as announce, succeeds, toolchain};

/// The modules of the integration tests that are small enough.
const TESTS: [&str; 2] = ["every_way::", "small::"];

/// Unit tests that are small enough, by name prefix.
const UNIT_TESTS: [&str; 2] = ["schedule::", "server::help_tests::a_lender"];

/// Aliasing rules: a name, and the option that selects them.
const RULES: [(&str, &str); 2] = [("stacked", ""), ("tree", "-Zmiri-tree-borrows")];

/// Run small tests of every way into the library under Miri.
///
/// Requires a nightly toolchain: `rustup toolchain install nightly --component miri,rust-src`.
/// Takes about ten minutes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The aliasing rules: Stacked Borrows or Tree Borrows [default: both, one after another]
    #[arg(long, value_parser = ["stacked", "tree"])]
    rules: Option<String>,
    /// Another target, with the portable kernels: `s390x-unknown-linux-gnu` is big-endian
    #[arg(long)]
    target: Option<String>,
    /// Run only tests with one of these in their names
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    missing()?;
    for (name, option) in RULES {
        if args.rules.as_deref().is_some_and(|rules| rules != name) {
            continue;
        }
        let tests: [(&[&str], &[&str]); 3] = [
            (&["-p", "hashlanes", "--test", "suite"], &TESTS),
            (&["-p", "hashlanes", "--lib"], &UNIT_TESTS),
            (&["-p", "hashlanes-isal", "--lib"], &[]),
        ];
        for (test, names) in tests {
            let mut command = toolchain("nightly");
            command.args(["cargo", "miri", "test", "--no-fail-fast"]).args(test);
            if let Some(target) = &args.target {
                command.args(["--target", target]);
            } else if cfg!(target_arch = "x86_64") {
                command.env("RUSTFLAGS", "-C target-feature=+avx2");
            }
            command.arg("--").args(&args.filter);
            if args.filter.is_empty() {
                command.args(names);
            }
            announce(command.env("MIRIFLAGS", option))?;
        }
    }
    Ok(())
}

/// Fails if Miri is missing, and says how to install it.
fn missing() -> Result<()> {
    let miri = succeeds(toolchain("nightly").args(["cargo", "miri", "--version"]));
    if !miri || !has_library_sources("nightly") {
        bail!(
            "not available here: missing: \
             rustup toolchain install nightly --component miri,rust-src"
        );
    }
    Ok(())
}
