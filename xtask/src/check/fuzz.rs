//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/` one after another.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{root, run as announce, succeeds, toolchain};
use crate::packages::cargo_tool;

/// Run the fuzz targets, each for a while, until one finds something.
///
/// They need a nightly toolchain (`rustup toolchain install nightly`) and `cargo-fuzz`, which is
/// built under `target/` if it is missing. Findings are kept in `fuzz/artifacts/TARGET`; `cargo
/// +nightly fuzz run TARGET FILE` runs one again.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Targets: files of `fuzz/fuzz_targets`, without `.rs` [default: all]
    targets: Vec<String>,
    /// Seconds to run each target
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Run without the address sanitizer: several times faster, but blind to reads past a message
    #[arg(long)]
    no_sanitizer: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let there = targets()?;
    for target in &args.targets {
        ensure!(
            there.contains(target),
            "no fuzz target '{target}'; there are {}",
            there.join(", ")
        );
    }
    if !succeeds(toolchain("nightly").args(["rustc", "--version"])) {
        bail!("missing: a nightly toolchain: rustup toolchain install nightly");
    }
    let path = cargo_tool("cargo-fuzz")?;
    for target in if args.targets.is_empty() { &there } else { &args.targets } {
        let mut fuzz = toolchain("nightly");
        fuzz.args(["cargo", "fuzz", "run"]).env("PATH", &path);
        if args.no_sanitizer {
            fuzz.args(["--sanitizer", "none"]);
        }
        announce(fuzz.arg(target).arg("--").arg(format!("-max_total_time={}", args.seconds)))?;
    }
    Ok(())
}

pub(crate) fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in
        fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        if let (Some("rs"), Some(name)) =
            (path.extension().and_then(|e| e.to_str()), path.file_stem())
        {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
