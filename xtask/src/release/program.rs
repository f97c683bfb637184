//! The static program: archives and packages of it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::trial::Trial;
use super::{MACHINES, Machine, host};
use crate::command::{cargo, output, run as announce, target};
use crate::package::archive::{self, Program};
use crate::package::system::{self, Format};
use crate::package::version;
use crate::packages::require_programs;
use crate::setup;

/// The size of the program that must not be exceeded.
const PROGRAM_LIMIT: u64 = 13_000_000;

/// The target for Windows, and its compiler.
const WINDOWS: (&str, &str) = ("x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc");

/// The linker would write the time.
const WINDOWS_LINK: [&str; 1] = ["-Clink-arg=-Wl,--no-insert-timestamp"];

pub(super) const TRIALS: [Trial; 4] = [
    Trial { script: "deb.sh", packages: &[] },
    Trial { script: "rpm.sh", packages: &["rpm"] },
    Trial { script: "archive.sh", packages: &["busybox-static"] },
    Trial { script: "arm.sh", packages: &["qemu-user-static"] },
];

/// The static program.
///
/// Rust's own linker links it with the C library that comes with Rust, so zig is not needed.
pub(super) fn build(machine: &Machine) -> Result<PathBuf> {
    // A panic aborts, so nothing unwinds, and relocations are packed: 0.5 MB of 12.3.
    let smaller = ["-Cforce-unwind-tables=no", "-Clink-arg=--pack-dyn-relocs=relr"];
    // Of the rest, tables for unwinding are another 0.96 MB. A path from the root of the workspace,
    // where the linker is started: the symbols' hashes depend on the text.
    let link = ["-Clink-arg=-Txtask/src/release/no-unwinding.ld"];
    let compiler = format!("{}gcc", machine.tools.0);
    compile(machine.musl, "hashlanes", [&compiler, "rust-lld"], &smaller, &link)
}

/// The program for Windows.
fn windows() -> Result<PathBuf> {
    require_programs(&[(WINDOWS.1, "gcc-mingw-w64-x86-64-win32"), ("zip", "zip")])?;
    compile(WINDOWS.0, "hashlanes.exe", [WINDOWS.1; 2], &[], &WINDOWS_LINK)
}

/// Compiles the program for a target: with `flags` for all crates, and `link` for the linker.
fn compile(
    triple: &'static str,
    file: &str,
    [compiler, linker]: [&str; 2],
    flags: &[&str],
    link: &[&str],
) -> Result<PathBuf> {
    setup::rust_target(triple)?;
    let variable = triple.replace('-', "_");
    let mut command = cargo();
    command.args(["rustc", "--locked", "--package", "hashlanes-cli"]);
    command.args(["--profile", "dist", "--target", triple, "--"]).args(link);
    // As `cargo auditable` does, but by the name alone: cargo hashes this text into all symbols, so
    // a path would change the program's bytes.
    command.env("RUSTC_WORKSPACE_WRAPPER", "cargo-auditable");
    let arguments = json!({ "offline": false, "locked": true, "frozen": false, "config": [] });
    command.env("CARGO_AUDITABLE_ORIG_ARGS", arguments.to_string());
    command.env(format!("CC_{variable}"), compiler);
    command.env(format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase()), linker);
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").context("it is set at the start")?;
    let flags = [&[inherited.as_str()], flags].concat().join("\u{1f}");
    announce(command.env("CARGO_ENCODED_RUSTFLAGS", flags))?;
    let program = target().join(triple).join("dist").join(file);
    let size = fs::metadata(&program)?.len();
    eprintln!("the program for {triple}: {size} bytes");
    ensure!(size < PROGRAM_LIMIT, "more than {PROGRAM_LIMIT}");
    Ok(program)
}

/// Archives and packages of the program, with lists of its dependencies.
pub(super) fn make() -> Result<Vec<PathBuf>> {
    let (runs, version) = (build(host()?)?, version("hashlanes-cli")?);
    let mut made = Vec::new();
    for machine in &MACHINES {
        let program = Program { file: build(machine)?, runs: runs.clone() };
        made.push(archive::make(&program, &version, machine.musl, archive::pack)?);
        made.push(dependencies(&program.file, &version, machine.musl)?);
        for format in Format::ALL {
            made.push(system::program::make(&program, machine.debian, format)?);
        }
    }
    let program = Program { file: windows()?, runs };
    made.push(archive::make(&program, &version, WINDOWS.0, archive::zip)?);
    made.push(dependencies(&program.file, &version, WINDOWS.0)?);
    Ok(made)
}

/// The dependencies of an executable, as CycloneDX has them.
fn dependencies(executable: &Path, version: &str, triple: &str) -> Result<PathBuf> {
    let list = target().join(format!("hashlanes-v{version}-{triple}.cdx.json"));
    let text = output(Command::new("auditable2cdx").arg(executable))?;
    // Our own packages come from a folder here, which it adds to their addresses, without the `?`
    // that has to come first. Whoever looks them up needs the registry's, without any.
    fs::write(&list, text.replace("&download_url=redacted", ""))?;
    Ok(list)
}
