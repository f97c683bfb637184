//! `cargo xtask race`: stress tests of the server and of bodies under ThreadSanitizer, which
//! reports data races.
//!
//! The sanitizer derives the order of two accesses from the synchronisation between them, and sees
//! only code that was compiled for it. So the standard library is recompiled for it as well: with
//! rustup's, every lock and every `Arc` would have to be explained to it, or be excluded from its
//! reports.

use anyhow::{Result, bail};

use super::race_c;
use crate::command::{needs_library_sources, run as announce, target, toolchain};

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The integration tests in which threads interact: package, executable, and its modules, or all.
const TESTS: [(&str, &str, &[&str]); 2] = [
    ("hashlanes", "suite", &["server::", "server_async::", "threads::"]),
    ("hashlanes-body", "body", &[]),
];

/// Run the tests in which threads share a server under ThreadSanitizer.
///
/// Requires x86-64 Linux and a nightly toolchain with its library's sources: `rustup toolchain
/// install nightly --component rust-src`. The run fails on a data race between any two of its
/// accesses, whatever their order was this time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run C programs instead: the test of threads, and the upload server with many clients
    #[arg(long, conflicts_with = "filter")]
    c: bool,
    /// Use an eighth of the threads in each stress test; with `--c`, compile only the programs for
    /// the sanitizer, which needs no nightly toolchain
    #[arg(long)]
    light: bool,
    /// Run only tests with one of these in their names
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("not available here: it is set up for x86-64 Linux");
    }
    if args.c {
        return race_c::run(TARGET, args.light);
    }
    needs_library_sources()?;
    TESTS.iter().try_for_each(|&(package, test, names)| {
        let mut command = toolchain("nightly");
        command.args(["cargo", "test", "-Zbuild-std", "--target", TARGET, "--all-features"]);
        command.arg("--target-dir").arg(target().join("race"));
        command.args(["-p", package, "--test", test, "--"]).args(&args.filter);
        if args.filter.is_empty() {
            command.args(names);
        }
        command.env("RUSTFLAGS", "-Zsanitizer=thread");
        // The first report ends the test. Otherwise it would pass, and fail only when the process
        // ends.
        command.env("TSAN_OPTIONS", "halt_on_error=1");
        if args.light {
            command.env("HASHLANES_STRESS", "light");
        }
        announce(&mut command)
    })
}
