//! The wheels to publish, and zig, which links them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::notices::{self, Linked};
use xtask::command::{output, root, run as announce, target};
use xtask::folder::empty;
use xtask::packages::require_programs;
use xtask::python::{Environment, PROFILE, TOOLS, check_name, tag};
use xtask::setup;

/// The linker for other systems, which needs nothing of them, and what calls it for cargo.
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

/// The linker for Windows, with the Debian package that contains it. zig's headers for Windows lack
/// some that `ring` includes.
const MINGW: (&str, &str) = ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32");

/// A kind of system that wheels are made for.
struct System {
    /// Rust's name.
    triple: &'static str,
    /// The oldest C library that a wheel needs, as maturin names it, if zig links it.
    compatibility: Option<&'static str>,
    /// What the names of its wheels end with. The order of several tags depends on maturin.
    ends: &'static [&'static str],
    /// The versions of Python that it has wheels for: those without the stable ABI's buffers have
    /// one each.
    versions: &'static [&'static str],
}

/// Python 3.11 stands for all newer ones that have a GIL.
const ALL: &[&str] = &["3.9", "3.10", "3.11", "3.14t"];

/// Versions that still get fixes from Python's maintainers.
const MAINTAINED: &[&str] = &["3.11", "3.14t"];

const SYSTEMS: [System; 5] = [
    System {
        triple: "x86_64-unknown-linux-gnu",
        compatibility: Some("manylinux2014"),
        ends: &["manylinux_2_17_x86_64", "manylinux2014_x86_64"],
        versions: ALL,
    },
    System {
        triple: "aarch64-unknown-linux-gnu",
        compatibility: Some("manylinux2014"),
        ends: &["manylinux_2_17_aarch64", "manylinux2014_aarch64"],
        versions: ALL,
    },
    System {
        triple: "x86_64-unknown-linux-musl",
        compatibility: Some("musllinux_1_2"),
        ends: &["musllinux_1_2_x86_64"],
        versions: MAINTAINED,
    },
    System {
        triple: "aarch64-unknown-linux-musl",
        compatibility: Some("musllinux_1_2"),
        ends: &["musllinux_1_2_aarch64"],
        versions: MAINTAINED,
    },
    System {
        triple: "x86_64-pc-windows-gnu",
        compatibility: None,
        ends: &["win_amd64"],
        versions: MAINTAINED,
    },
];

/// The tools whose versions are part of what decides the bytes, as pip's requirements.
pub(crate) fn pinned() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().chain(ZIG).filter(|requirement| requirement.contains("=="))
}

/// The folder of an environment's programs, zig among them.
pub(crate) fn with_zig() -> Result<PathBuf> {
    Ok(zig(&Environment::new(Path::new("python3"), PROFILE)?)?.join("bin"))
}

fn zig(environment: &Environment) -> Result<PathBuf> {
    if !environment.has(&ZIG) {
        environment.pip(&ZIG)?;
    }
    Ok(environment.folder.clone())
}

/// Make the wheels for old Linux systems and the newer Pythons with a GIL.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    let environment = Environment::new(Path::new("python3"), PROFILE)?;
    zig(&environment)?;
    let gnu = SYSTEMS.iter().filter(|system| system.triple.ends_with("-gnu"));
    for system in gnu.filter(|system| system.compatibility.is_some()) {
        eprintln!("built {}", system.wheel(&environment, "3.11")?.display());
    }
    Ok(())
}

/// Makes all files to publish: the wheels and the source distribution.
pub(crate) fn publishable() -> Result<Vec<PathBuf>> {
    forget_others()?;
    let environment = Environment::new(Path::new("python3"), PROFILE)?;
    zig(&environment)?;
    let mut made = vec![keep(&environment.maturin(&["sdist"])?)?];
    for system in &SYSTEMS {
        for version in system.versions {
            let before = system.made(version)?;
            made.push(before.map_or_else(|| system.wheel(&environment, version), Ok)?);
        }
    }
    Ok(made)
}

impl System {
    fn wheel(&self, environment: &Environment, version: &str) -> Result<PathBuf> {
        setup::rust_target(self.triple)?;
        // By version: no interpreter of this machine is one for the target.
        let interpreter = format!("python{version}");
        let mut options =
            vec!["build", "--profile", PROFILE, "--quiet", "--interpreter", &interpreter];
        options.extend(["--target", self.triple]);
        match self.compatibility {
            Some(oldest) => options.extend(["--zig", "--compatibility", oldest]),
            None => require_programs(&[MINGW])?,
        }
        let wheel = environment.maturin(&options)?;
        check_name(&wheel, &format!("-{}-", tag(version)))?;
        self.ends.iter().try_for_each(|end| check_name(&wheel, end))?;
        let script = root().join("xtask/release/repack.py");
        let notices = notices::made(Linked::Python)?;
        announce(environment.python().arg(script).args([&wheel, &root()]).args(notices))?;
        keep(&wheel)
    }

    /// The wheel, if a release of the same commit that was stopped has made it: each takes minutes.
    fn made(&self, version: &str) -> Result<Option<PathBuf>> {
        let tag = format!("-{}-", tag(version));
        let parts = || [&*tag].into_iter().chain(self.ends.iter().copied());
        let files = fs::read_dir(kept())?.map(|entry| Ok(entry?.path()));
        let files = files.collect::<Result<Vec<_>>>()?;
        Ok(files.into_iter().find(|file| parts().all(|part| check_name(file, part).is_ok())))
    }
}

/// Copies a file to where the next one does not replace it.
fn keep(file: &Path) -> Result<PathBuf> {
    let folder = kept();
    fs::create_dir_all(&folder)?;
    let kept = folder.join(file.file_name().context("a file has a name")?);
    // Renamed at the end, so that there is no half of a file.
    let partial = folder.join("partial");
    fs::copy(file, &partial)?;
    fs::rename(&partial, &kept)?;
    Ok(kept)
}

fn kept() -> PathBuf {
    target().join("python").join("wheels")
}

/// Removes what was kept, unless it is of this commit and made with this compiler.
fn forget_others() -> Result<()> {
    let commit = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()))?;
    let of = commit + &output(Command::new("rustc").arg("--version"))?;
    let file = kept().join("of");
    if fs::read_to_string(&file).ok().as_ref() != Some(&of) {
        empty(kept())?;
        fs::write(&file, of)?;
    }
    Ok(())
}
