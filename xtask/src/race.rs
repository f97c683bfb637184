//! `cargo xtask race`: the server's stress tests under ThreadSanitizer, which reports data races.
//!
//! The sanitizer knows the order of two accesses from the synchronisation between them, and sees
//! only what was compiled for it. So the standard library is compiled for it as well: with the one
//! that rustup brings, every lock and every `Arc` would have to be explained to it, or be left out
//! of what it reports.

use anyhow::{Result, bail};

use crate::command::{has_library_sources, run as announce, target, toolchain};

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The library's integration tests in which threads meet: modules of `tests/suite`.
const TESTS: [&str; 3] = ["server::", "server_async::", "threads::"];

/// Run the tests in which threads share a server under ThreadSanitizer.
///
/// Needs x86-64 Linux and a nightly toolchain with its library's sources: `rustup toolchain install
/// nightly --component rust-src`. A data race between any two accesses that happened in the run
/// fails it, whatever their order was this time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// An eighth of the threads of each stress test.
    #[arg(long)]
    light: bool,
    /// The kernel of all hashing, by its name, as `hashlanes info` lists them.
    #[arg(long)]
    kernel: Option<String>,
    /// Only tests with one of these in their names.
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("not available here: it is set up for x86-64 Linux");
    }
    if !has_library_sources("nightly") {
        bail!("not available here: missing: rustup toolchain install nightly --component rust-src");
    }
    let mut command = toolchain("nightly");
    command.args([
        "cargo",
        "test",
        "-Zbuild-std",
        "--target",
        TARGET,
        "-p",
        "hashlanes",
        "--all-features",
    ]);
    command.arg("--target-dir").arg(target().join("race"));
    command.args(["--test", "suite", "--"]).args(&args.filter);
    if args.filter.is_empty() {
        command.args(TESTS);
    }
    command.env("RUSTFLAGS", "-Zsanitizer=thread");
    // The first report ends the test, which else would pass, and fail only at the process's end.
    command.env("TSAN_OPTIONS", "halt_on_error=1");
    if args.light {
        command.env("HASHLANES_STRESS", "light");
    }
    if let Some(kernel) = &args.kernel {
        command.env("HASHLANES_KERNEL", kernel);
    }
    announce(&mut command)
}
