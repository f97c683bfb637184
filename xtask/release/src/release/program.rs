//! The static programs: archives and packages of them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::host;
use super::trial::Trial;
use crate::archive;
use crate::machine::{MACHINES, Machine};
use crate::system::{self, Format};
use xtask::command::version;
use xtask::command::{PROGRAM_FEATURES, cargo, output, run as announce, target};
use xtask::packages::require_programs;
use xtask::programs::Programs;
use xtask::setup;

/// The size of `hashlanes` that must not be exceeded.
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

/// The static programs, `hashlanes` and `hashlanes-lab`.
///
/// Rust's own linker links them with the C library that comes with Rust, so zig is not needed.
pub(super) fn build(machine: &Machine) -> Result<[PathBuf; 2]> {
    // A panic aborts, so nothing unwinds, and relocations are packed: 0.5 MB of 12.3.
    let smaller = ["-Cforce-unwind-tables=no", "-Clink-arg=--pack-dyn-relocs=relr"];
    // Of the rest, tables for unwinding are another 0.96 MB. A path from the root of the workspace,
    // where the linker is started: the symbols' hashes depend on the text.
    let link = ["-Clink-arg=-Txtask/release/no-unwinding.ld"];
    let compiler = format!("{}gcc", machine.tools.0);
    compile(machine.musl, "", [&compiler, "rust-lld"], &smaller, &link)
}

/// The programs for Windows.
fn windows() -> Result<[PathBuf; 2]> {
    require_programs(&[(WINDOWS.1, "gcc-mingw-w64-x86-64-win32"), ("zip", "zip")])?;
    compile(WINDOWS.0, ".exe", [WINDOWS.1; 2], &[], &WINDOWS_LINK)
}

/// Compiles the programs for a target, whose names there end in `suffix`: with `flags` for all
/// crates, and `link` for the linker.
fn compile(
    triple: &'static str,
    suffix: &str,
    tools: [&str; 2],
    flags: &[&str],
    link: &[&str],
) -> Result<[PathBuf; 2]> {
    setup::rust_target(triple)?;
    // `cargo rustc` takes options for one program at a time.
    let compile = |name| compile_one(name, suffix, triple, tools, flags, link);
    let [hashlanes, lab] = [compile("hashlanes")?, compile("hashlanes-lab")?];
    let size = fs::metadata(&hashlanes)?.len();
    eprintln!("hashlanes for {triple}: {size} bytes");
    ensure!(size < PROGRAM_LIMIT, "more than {PROGRAM_LIMIT}");
    Ok([hashlanes, lab])
}

fn compile_one(
    name: &str,
    suffix: &str,
    triple: &str,
    [compiler, linker]: [&str; 2],
    flags: &[&str],
    link: &[&str],
) -> Result<PathBuf> {
    let variable = triple.replace('-', "_");
    let mut command = cargo();
    command.args(["rustc", "--locked", "--package", "hashlanes-cli", "--bin", name]);
    command.args(["--features", PROGRAM_FEATURES]);
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
    Ok(target().join(triple).join("dist").join(format!("{name}{suffix}")))
}

/// Archives and packages of the program, with lists of its dependencies.
pub(super) fn make() -> Result<Vec<PathBuf>> {
    let ([runs, _], version) = (build(host()?)?, version("hashlanes-cli")?);
    let programs = |[hashlanes, lab]: [PathBuf; 2]| Programs { hashlanes, lab, runs: runs.clone() };
    let mut made = Vec::new();
    for machine in &MACHINES {
        let programs = programs(build(machine)?);
        made.push(archive::make(&programs, &version, machine.musl, archive::pack)?);
        made.push(dependencies(&programs.hashlanes, &version, machine.musl)?);
        for format in Format::ALL {
            made.push(system::program::make(&programs, machine.debian, format)?);
        }
    }
    let programs = programs(windows()?);
    made.push(archive::make(&programs, &version, WINDOWS.0, archive::zip)?);
    made.push(dependencies(&programs.hashlanes, &version, WINDOWS.0)?);
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
