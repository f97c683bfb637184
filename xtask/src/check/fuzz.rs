//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/` one after another.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{root, run as announce, succeeds, toolchain};
use crate::packages::cargo_tool;

/// Run the fuzz targets, each for a while, until one finds something.
///
/// All targets are built first, then run one after another, and a table says what each has done.
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
    let fuzz = |verb| {
        let mut fuzz = toolchain("nightly");
        fuzz.args(["cargo", "fuzz", verb]).env("PATH", &path);
        if args.no_sanitizer {
            fuzz.args(["--sanitizer", "none"]);
        }
        fuzz
    };
    announce(&mut fuzz("build"))?;
    let mut table = vec!["target, executions, edges before and after, inputs".to_owned()];
    for target in if args.targets.is_empty() { &there } else { &args.targets } {
        let mut run = fuzz("run");
        run.arg(target).arg("--").arg(format!("-max_total_time={}", args.seconds));
        table.push(format!("{target}, {}", summary(&mut run)?));
    }
    println!("{}", table.join("\n"));
    Ok(())
}

/// Runs a target and sums up what libFuzzer says of it at its begin and at its end.
fn summary(fuzz: &mut Command) -> Result<String> {
    let mut child = fuzz.stderr(Stdio::piped()).spawn().context("cannot start rustup")?;
    let (mut before, mut after) = (String::new(), String::new());
    for line in BufReader::new(child.stderr.take().context("it is piped")?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        eprintln!("{line}");
        if line.contains("\tINITED ") {
            before = line;
        } else if line.contains("\tDONE ") {
            after = line;
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "cargo fuzz: {status}");
    let executions = after.trim_start_matches('#').split('\t').next().unwrap_or_default();
    let (first, last) = (value(&before, "cov:"), value(&after, "cov:"));
    Ok(format!("{executions}, {first} {last}, {}", value(&after, "corp:")))
}

/// The word that follows `name` in a line of libFuzzer.
fn value<'l>(line: &'l str, name: &str) -> &'l str {
    line.split_whitespace().skip_while(|word| *word != name).nth(1).unwrap_or("?")
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
