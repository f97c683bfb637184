//! The wheels to publish, and zig, which links them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::environment::Environment;
use crate::command::target;
use crate::setup;

/// The linker for other systems, which needs nothing of them, and what calls it for cargo.
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

/// Wheels for systems with an old C library: their targets and their tags, whose order depends on
/// the version of maturin.
const WHEELS: [(&str, [&str; 3]); 2] = [
    ("x86_64-unknown-linux-gnu", ["cp311-abi3-", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]),
    (
        "aarch64-unknown-linux-gnu",
        ["cp311-abi3-", "manylinux_2_17_aarch64", "manylinux2014_aarch64"],
    ),
];

/// The folder of an environment's programs, zig among them.
pub(crate) fn with_zig() -> Result<PathBuf> {
    Ok(zig(&Environment::new(Path::new("python3"), "release")?)?.join("bin"))
}

fn zig(environment: &Environment) -> Result<PathBuf> {
    let names = ZIG.map(|package| package.split("==").next().unwrap_or(package));
    if !environment.has(&names) {
        environment.pip(&ZIG)?;
    }
    Ok(environment.folder.clone())
}

/// Makes the wheels in an environment.
pub(super) fn make(environment: &Environment) -> Result<()> {
    zig(environment)?;
    let wheel = |&(triple, tags): &(&str, [&str; 3])| {
        setup::rust_target(triple)?;
        // By version: no interpreter of this machine is one for the target.
        let build = ["build", "--release", "--quiet", "--interpreter", "python3.11"];
        let options = ["--target", triple, "--zig", "--compatibility", "manylinux2014"];
        let wheel = environment.maturin(&[&build[..], &options].concat())?;
        tags.iter().try_for_each(|tag| check_name(&wheel, tag))?;
        keep(&wheel)
    };
    WHEELS.iter().try_for_each(wheel)
}

pub(super) fn check_name(file: &Path, part: &str) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    ensure!(name.contains(part), "{name} should have {part} in its name");
    Ok(())
}

/// Copies a file to where the next one does not replace it.
fn keep(file: &Path) -> Result<()> {
    let folder = target().join("python").join("wheels");
    fs::create_dir_all(&folder)?;
    let kept = folder.join(file.file_name().context("a file has a name")?);
    fs::copy(file, &kept)?;
    eprintln!("built {}", kept.display());
    Ok(())
}
