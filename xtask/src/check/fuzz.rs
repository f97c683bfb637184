//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/` one after another.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{root, run as announce, succeeds, toolchain};
use crate::folder::{empty, remove};
use crate::packages::{cargo_tool, require_programs};

/// Run the fuzz targets, each for a while, until one finds something.
///
/// All targets are built first, then run one after another, and a table says what each has done.
/// They need a nightly toolchain (`rustup toolchain install nightly`) and `cargo-fuzz`, which is
/// built under `target/` if it is missing. Each begins with the inputs of its archive in
/// `fuzz/corpus`, and keeps those that reach new code in the folder beside it, which git ignores.
/// Findings are kept in `fuzz/artifacts/TARGET`; `cargo +nightly fuzz run TARGET FILE` runs one
/// again.
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
    /// Afterwards write each archive anew, with the fewest inputs that reach all code that was
    /// reached
    #[arg(long)]
    pack: bool,
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
    require_programs(&[("unzip", "unzip"), ("zip", "zip")])?;
    announce(&mut fuzz("build"))?;
    let mut table = vec!["target, executions, edges before and after, inputs".to_owned()];
    for target in if args.targets.is_empty() { &there } else { &args.targets } {
        let inputs = unpack(target)?;
        let mut run = fuzz("run");
        run.arg(target).arg("--").arg(format!("-max_total_time={}", args.seconds));
        table.push(format!("{target}, {}", summary(&mut run)?));
        if args.pack {
            let fewest = empty(inputs.with_extension("fewest"))?;
            let mut merge = fuzz("run");
            merge.arg(target).args([&fewest, &inputs]);
            announce(merge.args(["--", "-set_cover_merge=1", "-use_counters=0"]))?;
            pack(target, &fewest)?;
            remove(&fewest)?;
        }
    }
    println!("{}", table.join("\n"));
    Ok(())
}

/// The file with a target's inputs, by the name that OSS-Fuzz expects.
fn archive(target: &str) -> PathBuf {
    root().join(format!("fuzz/corpus/{target}_seed_corpus.zip"))
}

/// Adds the inputs of a target's archive, if it has one, to its folder, where cargo-fuzz looks.
fn unpack(target: &str) -> Result<PathBuf> {
    let (archive, folder) = (archive(target), root().join("fuzz/corpus").join(target));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if archive.is_file() {
        announce(Command::new("unzip").args(["-qo", "-d"]).args([&folder, &archive]))?;
    }
    Ok(folder)
}

/// Writes a target's archive. The same inputs give the same bytes: in the order of their names, all
/// with the first time that a ZIP file can have.
fn pack(target: &str, inputs: &Path) -> Result<()> {
    let archive = archive(target);
    // zip would add to it.
    let _ = fs::remove_file(&archive);
    let script = "find . -type f -exec touch -d 1980-01-01 {} + \
                  && find . -type f | LC_ALL=C sort | zip -9 -X -q -@ \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-ec", script, "sh"]).arg(archive).env("TZ", "UTC");
    announce(shell.current_dir(inputs))
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
