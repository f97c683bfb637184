//! `cargo xtask emulate`: the tests of the AVX-512 kernels on an emulated CPU, for machines without
//! AVX-512.

use std::path::PathBuf;

use anyhow::Result;

use crate::bochs;
use crate::command::{built, cargo};

/// Named, although it is this machine's: then the build has a folder of its own under `target/`,
/// and does not disturb those without its flag. The executable is static, since the emulated
/// machine has no libraries.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The tests skip what the CPU cannot run, which must not happen here. And they leave out the long
/// messages.
const VARIABLES: [(&str, &str); 2] =
    [("HASHLANES_REQUIRE", "avx512,avx512_256"), ("HASHLANES_QUICK", "1")];

/// Run the library's AVX-512 tests on an emulated CPU: those of `tests/kernels.rs` with `avx512` in
/// their names, or others.
///
/// The emulator (Bochs) and a kernel for it are Debian packages, which are installed if root runs
/// this. It takes some minutes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The library's integration test: a file of `crates/hashlanes/tests`, without `.rs`.
    #[arg(long, default_value = "kernels")]
    test: String,
    /// Only tests with one of these in their names.
    #[arg(default_value = "avx512")]
    filter: Vec<String>,
    /// Do nothing if this CPU has AVX-512, where the ordinary tests have run them.
    #[arg(long)]
    if_needed: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.if_needed && has_avx512() {
        eprintln!("this CPU has AVX-512: nothing to emulate");
        return Ok(());
    }
    bochs::run(&test_binary(&args.test)?, &args.filter, &VARIABLES)
}

/// The same as the library asks of the CPU for its AVX-512 kernels.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Builds an integration test of the library and returns the executable.
fn test_binary(test: &str) -> Result<PathBuf> {
    let build = || {
        let mut command = cargo();
        command.args(["test", "-p", "hashlanes", "--test", test, "--no-run", "--target", TARGET]);
        command.env("RUSTFLAGS", "-C target-feature=+crt-static");
        command
    };
    built(build)
}
