//! `cargo xtask go-assembly`: the library's kernels as Go assembly, in `go/internal/kernels/`.
//!
//! `go/assembly/` compiles them (`compile`), each is linked alone (`link`), checked to be code that
//! needs nothing but its stack (`stack`), and written as bytes behind a function that Go calls
//! (`write`).

mod link;
mod stack;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

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
const SOURCES: [&str; 9] = [
    "crates/hashlanes/src/assembly",
    "crates/hashlanes/src/family",
    "crates/hashlanes/src/input",
    "crates/hashlanes/src/instruction",
    "crates/hashlanes/src/kernel",
    "crates/hashlanes/src/vector",
    "go/assembly",
    "go/internal/kernels",
    "xtask/src/go/assembly",
];

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
    Ok(files)
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
    announce(command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    let library = build.join(machine.target).join("release").join("libhashlanes_go_assembly.a");
    link::rows(&library, machine)
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
