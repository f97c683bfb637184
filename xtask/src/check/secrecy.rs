//! `cargo xtask secrecy`: branches and addresses that depend on private keys, found by valgrind.
//!
//! Keys are declared to be undefined memory, and what a signature reveals to be defined. Valgrind
//! follows both through every instruction. It does not know AVX-512 and the SHA instructions, so
//! the library uses its other kernels.

use anyhow::{Result, bail};

use crate::command::{cargo, run as announce, target};
use crate::packages;

/// Run SLH-DSA's key generation and signing under valgrind, which reports branches and addresses
/// that depend on private keys.
///
/// Requires x86-64 Linux.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also with the parameter sets of small signatures, which takes 6 minutes on Zen 3
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("not available here: it is set up for x86-64 Linux");
    }
    packages::require_programs(&[("valgrind", "valgrind")])?;
    let mut test = cargo();
    test.args(["test", "-p", "hashlanes-slh-dsa", "--test", "suite"]);
    test.arg("--target-dir").arg(target().join("secrecy")).args(["--", "secrecy::"]);
    // Each test counts the reports of the process.
    test.args(["--test-threads=1", "--nocapture"]);
    if args.all {
        test.arg("--include-ignored");
    }
    test.env("RUSTFLAGS", "--cfg memcheck");
    announce(test.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "valgrind -q"))
}
