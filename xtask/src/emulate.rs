//! `cargo xtask emulate`: the tests of the AVX-512 kernels on an emulated CPU, for machines without AVX-512.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::bochs;
use crate::command::{cargo, output, run as announce};

/// Static, since the emulated machine has no libraries; its own folder under `target/`, since the flag differs.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The tests skip what the CPU cannot run, which must not happen here; and leave out the long messages.
const VARIABLES: [(&str, &str); 2] = [("HASHLANES_REQUIRE", "avx512"), ("HASHLANES_QUICK", "1")];

/// Run the library's AVX-512 tests on an emulated CPU: those with `avx512` in their names, or others.
///
/// The emulator (Bochs) and a kernel for it are Debian packages, which root gets installed. The whole takes some minutes.
#[derive(clap::Args)]
pub(crate) struct Args {
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
    let binaries = test_binaries()?;
    let mut ran = 0;
    for binary in binaries {
        // Booting takes a while: leave out binaries without such tests.
        let listed = output(Command::new(&binary).args(&args.filter).args(["--list", "--format=terse"]))?;
        let tests = listed.lines().filter(|line| line.ends_with(": test")).count();
        if tests > 0 {
            eprintln!("{tests} tests of {} on an emulated CPU", binary.display());
            bochs::run(&binary, &args.filter, &VARIABLES)?;
            ran += tests;
        }
    }
    ensure!(ran > 0, "no test has {} in its name", args.filter.join(" or "));
    Ok(())
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

/// Builds the library's unit and integration tests and returns the executables.
fn test_binaries() -> Result<Vec<PathBuf>> {
    let build = || {
        let mut command = cargo();
        command.args(["test", "-p", "hashlanes", "--lib", "--tests", "--no-run", "--target", TARGET]);
        command.env("RUSTFLAGS", "-C target-feature=+crt-static");
        command
    };
    // Once to be seen, and once more, when there is nothing left to build, for the list.
    announce(&mut build())?;
    let messages = output(build().arg("--message-format=json"))?;
    let mut binaries = Vec::new();
    for message in messages.lines() {
        let message: serde_json::Value = serde_json::from_str(message)?;
        if let (Some(true), Some(path)) = (message["profile"]["test"].as_bool(), message["executable"].as_str()) {
            binaries.push(PathBuf::from(path));
        }
    }
    Ok(binaries)
}
