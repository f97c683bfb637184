//! `cargo xtask go-assembly`: the library's kernels as Go assembly, in `go/internal/kernels/`.
//!
//! `go/assembly/` compiles them (`compile`), each is linked alone (`link`), checked to be code that
//! needs nothing but its stack (`stack`), and written as bytes behind a function that Go calls
//! (`write`).

mod link;
mod stack;
mod write;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use self::link::Row;
use crate::command::{cargo, root, run as announce, target};
use crate::tested;

/// Compile the library's kernels for Go, and write them as Go assembly.
///
/// It needs the binutils of the architecture. The same compiler writes the same files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing: fail if the files in the repository differ
    #[arg(long)]
    check: bool,
    /// Leave it out if it was done with the same sources
    #[arg(long, requires = "check")]
    if_changed: bool,
}

/// What the files depend on, and the files.
const SOURCES: [&str; 10] = [
    "crates/hashlanes/src/assembly",
    "crates/hashlanes/src/family",
    "crates/hashlanes/src/input",
    "crates/hashlanes/src/instruction",
    "crates/hashlanes/src/kernel",
    POLICY,
    "crates/hashlanes/src/vector",
    "go/assembly",
    "go/internal/kernels",
    "xtask/src/go/assembly",
];

/// Where the policy of the library's server is.
const POLICY: &str = "crates/hashlanes/src/server/policy.rs";

/// Where the library knows cores by their models.
const CORES: &str = "crates/hashlanes/src/kernel/cores.rs";

/// An architecture.
pub(super) struct Machine {
    /// Go's name of it.
    go: &'static str,
    target: &'static str,
    /// What its code needs.
    flags: &'static [&'static str],
    /// Before the names of its binutils.
    prefix: &'static str,
    /// The features in the order of `NEEDS` in `crates/hashlanes/src/kernel/export.rs`, as Go
    /// constants.
    needs: &'static [&'static str],
}

const MACHINES: [Machine; 2] = [
    Machine {
        go: "amd64",
        target: "x86_64-unknown-linux-gnu",
        flags: &[],
        prefix: "x86_64-linux-gnu-",
        needs: &[
            "sse41",
            "avx2",
            "avx512",
            "vbmi2",
            "shaNI",
            "bmi2",
            "movbe",
            "sha512NI",
            "sm3NI",
            "mixedEncodings",
        ],
    },
    Machine {
        go: "arm64",
        target: "aarch64-unknown-linux-gnu",
        // Constants are where code finds them by their distance, on whatever page it is. X18
        // belongs to some systems, and X28 is where signal handlers of Go look for the goroutine.
        flags: &["code-model=tiny", "llvm-args=-reserve-regs-for-regalloc=X18,X28"],
        prefix: "aarch64-linux-gnu-",
        needs: &["neon", "armSHA2", "armSHA3"],
    },
];

/// Files by name.
type Files = BTreeMap<String, String>;

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.check {
        replace(&files()?)?;
    }
    tested::test("go-assembly", &SOURCES, args.if_changed, || compare(&files()?))
}

/// The files of all architectures.
fn files() -> Result<Files> {
    let mut files = Files::new();
    for machine in &MACHINES {
        write::add(&mut files, machine, &rows(machine)?);
    }
    files.insert("policy.go".to_owned(), policy()?);
    files.insert("cores.go".to_owned(), cores()?);
    Ok(files)
}

/// The kinds of cores for which rows have cycles, and the models of AMD's.
fn cores() -> Result<String> {
    let source = fs::read_to_string(root().join(CORES))?;
    let (_, kinds) = source.split_once("enum Cores {").context("no kinds of cores")?;
    let kinds = kinds.lines().map(str::trim).filter(|line| !line.starts_with("///"));
    let kinds = kinds.take_while(|line| *line != "Wasm,").filter_map(|line| line.strip_suffix(','));
    let mut text = format!("{}package kernels\n\n", write::HEADER);
    let _ = writeln!(text, "// The places of cores' cycles in a row: Cores in {CORES}.");
    text += "const (";
    for (place, kind) in kinds.enumerate() {
        let iota = if place == 0 { " = iota" } else { "" };
        let _ = write!(text, "\n\t{}{iota}", kind.to_lowercase());
    }
    text += "\n)\n\n// models are ranges of a family's models.\n";
    text += "var models = []struct{ family, first, last, core int }{\n";
    // Such as `(0x19, 0x00..=0x0f | 0x20..=0x5f) => Self::Zen3,`.
    let arms = source.lines().filter_map(|line| line.trim().strip_prefix("(0x"));
    for (models, core) in arms.filter_map(|arm| arm.split_once(") => Self::")) {
        let (family, ranges) = models.split_once(", ").context("no models")?;
        for range in ranges.split(" | ") {
            let (first, last) = range.split_once("..=").context("no range of models")?;
            let core = core.trim_end_matches(',').to_lowercase();
            let _ = writeln!(text, "\t{{0x{family}, {first}, {last}, {core}}},");
        }
    }
    Ok(text + "}\n")
}

/// The constants of the library's policy that the one in Go has too.
fn policy() -> Result<String> {
    let source = fs::read_to_string(root().join(POLICY))?;
    let mut text = format!("{}package kernels\n", write::HEADER);
    for (name, go) in [("LONELY", "Lonely"), ("SOLO", "Solo"), ("LOOKS", "Looks")] {
        let (_, rest) = source
            .split_once(&format!("\nconst {name}: usize = "))
            .with_context(|| format!("{POLICY} has no {name}"))?;
        let (value, _) = rest.split_once(';').context("no end of a constant")?;
        let _ = write!(text, "\n// {go} is {name} in {POLICY}.\nconst {go} = {value}\n");
    }
    Ok(text)
}

fn folder() -> PathBuf {
    root().join("go").join("internal").join("kernels")
}

/// The rows of an architecture, in the order of the table.
fn rows(machine: &Machine) -> Result<Vec<Row>> {
    let build = target().join("go-assembly");
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--target", machine.target]);
    command.args(["--manifest-path", "go/assembly/Cargo.toml"]).arg("--target-dir").arg(&build);
    // A kernel's stack is what it says: nothing below the stack pointer, where a signal may write.
    let flags = ["relocation-model=pic", "no-redzone=yes", "force-unwind-tables=no"];
    let flags: Vec<_> = flags.iter().chain(machine.flags).map(|flag| format!("-C{flag}")).collect();
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    announce(command.env("RUSTC_WRAPPER", compiler(&build)?))?;
    let library = build.join(machine.target).join("release").join("libhashlanes_go_assembly.a");
    link::rows(&library, machine)
}

/// A compiler that gives every crate the same number in every folder. Cargo makes that number from
/// the path of the library, which lies outside this workspace, and the order in which functions
/// are inlined depends on it.
fn compiler(build: &Path) -> Result<PathBuf> {
    let path = build.join("rustc");
    fs::create_dir_all(build)?;
    let text = r#"#!/bin/sh
for word; do
    shift
    case $word in metadata=*) word=metadata=kernels ;; esac
    set -- "$@" "$word"
done
exec "$@"
"#;
    if fs::read_to_string(&path).is_ok_and(|is| is == text) {
        return Ok(path);
    }
    fs::write(&path, text)?;
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
    Ok(path)
}

/// Fails if the files differ from those in the repository.
fn compare(files: &Files) -> Result<()> {
    for (name, text) in files {
        let is = fs::read_to_string(folder().join(name)).with_context(|| name.clone())?;
        ensure!(is == *text, "go/internal/kernels/{name} differs: run cargo xtask go-assembly");
    }
    match generated()?.into_iter().find(|name| !files.contains_key(name)) {
        Some(name) => bail!("go/internal/kernels/{name} is not made any more: delete it"),
        None => Ok(()),
    }
}

/// Writes the files in place of those that were made before.
fn replace(files: &Files) -> Result<()> {
    for name in generated()? {
        fs::remove_file(folder().join(name))?;
    }
    for (name, text) in files {
        fs::write(folder().join(name), text).with_context(|| name.clone())?;
    }
    Ok(())
}

/// The names of the files in the repository that this chore made.
fn generated() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if fs::read(&path)?.starts_with(write::HEADER.as_bytes()) {
            names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    Ok(names)
}
