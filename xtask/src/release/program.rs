//! The static program: archives and packages of it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{MACHINES, Machine, host};
use crate::command::{cargo, output, run as announce, target};
use crate::package::archive::{self, Program};
use crate::package::system::{self, Format};
use crate::package::version;
use crate::setup;

/// The size of the program that must not be exceeded.
const PROGRAM_LIMIT: u64 = 13_000_000;

/// The static program.
///
/// Rust's own linker links it with the C library that comes with Rust, so zig is not needed.
pub(super) fn build(machine: &Machine) -> Result<PathBuf> {
    setup::rust_target(machine.musl)?;
    let variable = machine.musl.replace('-', "_");
    let mut command = cargo();
    command.args(["auditable", "build", "--locked", "--package", "hashlanes-cli"]);
    command.args(["--profile", "dist", "--target", machine.musl]);
    command.env(format!("CC_{variable}"), format!("{}gcc", machine.binutils));
    // A panic aborts, so nothing unwinds, and relocations are packed: 0.5 MB of 12.3.
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").context("it is set at the start")?;
    let smaller = ["-Cforce-unwind-tables=no", "-Clink-arg=--pack-dyn-relocs=relr"];
    let flags = [&[inherited.as_str()], &smaller[..]].concat().join("\u{1f}");
    command.env("CARGO_ENCODED_RUSTFLAGS", flags);
    let linker = format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase());
    announce(command.env(linker, "rust-lld"))?;
    let program = target().join(machine.musl).join("dist/hashlanes");
    let size = fs::metadata(&program)?.len();
    eprintln!("the program for {}: {size} bytes", machine.arch);
    ensure!(size < PROGRAM_LIMIT, "more than {PROGRAM_LIMIT}");
    Ok(program)
}

/// Archives and packages of the program, with lists of its dependencies.
pub(super) fn make() -> Result<Vec<PathBuf>> {
    let (runs, version) = (build(host()?)?, version("hashlanes-cli")?);
    let mut made = Vec::new();
    for machine in &MACHINES {
        let program = Program { file: build(machine)?, runs: runs.clone() };
        let name = format!("hashlanes-v{version}-{}", machine.musl);
        made.push(archive::make(&program, &version, machine.musl)?);
        made.push(dependencies(&program.file, &name)?);
        for format in Format::ALL {
            made.push(system::program::make(&program, machine.debian, format)?);
        }
    }
    Ok(made)
}

/// The dependencies of an executable, as CycloneDX has them.
fn dependencies(executable: &Path, name: &str) -> Result<PathBuf> {
    let list = target().join(format!("{name}.cdx.json"));
    fs::write(&list, output(Command::new("auditable2cdx").arg(executable))?)?;
    Ok(list)
}
