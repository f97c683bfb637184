//! `cargo xtask wasm`: the library's tests as WebAssembly, in wasmtime.
//!
//! wasmtime comes from Python's package index. The short script `wasm-runner.py` runs programs in
//! it. The standard library for WebAssembly comes from rustup.
//!
//! What WebAssembly lacks is not tested there: threads, other processes, and catching panics. Such
//! tests are ignored there, with the reason.

use std::path::Path;

use anyhow::Result;

use crate::command::{cargo, root, run as announce, target};
use crate::packages::python_packages;
use crate::setup;

const TARGET: &str = "wasm32-wasip1";

/// The requirement for pip.
const WASMTIME: &str = "wasmtime==50.0.1";

/// Run the library's tests as WebAssembly, with and without 128-bit vectors.
///
/// rustup installs the target, and pip installs wasmtime into a folder under `target/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only tests with one of these in their names
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("wasm");
    setup::rust_target(TARGET)?;
    let wasmtime = python_packages(&[WASMTIME])?;
    let builds = [("simd128", "-C target-feature=+simd128"), ("plain", "")];
    for (name, flags) in builds {
        eprintln!("WebAssembly, {name}:");
        test(args, &wasmtime, &folder.join(name), flags)?;
    }
    Ok(())
}

/// Builds the tests into `build` with these compiler flags, and runs them.
fn test(args: &Args, wasmtime: &Path, build: &Path, flags: &str) -> Result<()> {
    let runner = root().join("xtask/src/emulate/wasm-runner.py");
    let mut command = cargo();
    command.args(["test", "-p", "hashlanes", "--lib", "--tests", "--target", TARGET]);
    // A panic ends the program, which would lose output that the harness has captured.
    command.arg("--target-dir").arg(build).args(["--", "--nocapture"]).args(&args.filter);
    command
        .env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", flags)
        // Cargo splits words at spaces.
        .env("CARGO_TARGET_WASM32_WASIP1_RUNNER", format!("python3 {}", runner.display()))
        .env("PYTHONPATH", wasmtime)
        // It would override the flags above.
        .env_remove("RUSTFLAGS")
        // Folders with files that the tests read: NIST's vectors.
        .env("HASHLANES_FOLDERS", root().join("target"))
        // No debugger can use it here, and engines compile faster without.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("HASHLANES_QUICK", "1");
    announce(&mut command)
}
