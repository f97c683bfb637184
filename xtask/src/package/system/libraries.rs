//! The package of the libraries for C.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::{Format, Package, build};
use crate::command::{output, run as announce, target};
use crate::package::archive::empty_tree;
use crate::package::c_library::{LIBRARIES, Toolchain};
use crate::package::c_package::Places;
use crate::package::install_c;

pub(super) const PACKAGE: &str = "libhashlanes-dev";

/// A program to compile with the installed package.
const PROGRAM: &str = include_str!("../../release/trials/c/program.c");

/// Makes the package and returns its path.
pub(crate) fn make(
    profile: &str,
    toolchain: &Toolchain,
    architecture: &str,
    format: Format,
) -> Result<PathBuf> {
    let libdir = match format {
        Format::Deb => format!("lib/{}", toolchain.multiarch()?),
        Format::Rpm => "lib64".to_owned(),
    };
    let places = Places { prefix: "/usr", libdir: &libdir };
    // The locks are held until this returns, so no other process uses the tree.
    let all = LIBRARIES.iter().map(|library| library.build(profile, "", toolchain));
    let all = all.collect::<Result<Vec<_>>>()?;
    let tree = empty_tree("system/libraries")?;
    for (library, built) in LIBRARIES.iter().zip(&all) {
        install_c::install(library, built, &places, Some(&tree))?;
    }
    let package = Package {
        name: match format {
            Format::Deb => PACKAGE,
            Format::Rpm => "hashlanes-devel",
        },
        version: &all[0].version.text,
        architecture,
        section: "libdevel",
        binaries: all.iter().map(|built| built.shared.as_path()).collect(),
        description: "cryptographic hashes of many messages side by side
MD5, SHA-1, SHA-2, SHA-3, BLAKE2, BLAKE3 and SM3 of many messages at a
time, in the SIMD lanes of one core. This package has the shared and the
static libraries for C, their headers, and the files for pkg-config and
CMake.",
        libraries: true,
    };
    build(&tree, &package, format)
}

/// Compiles and runs a program with the installed files, which only pkg-config locates.
pub(super) fn try_it() -> Result<()> {
    let folder = target().join("c");
    let (source, program) = (folder.join("installed.c"), folder.join("installed"));
    fs::write(&source, PROGRAM)?;
    let line = output(Command::new("pkg-config").args(["--cflags", "--libs", "hashlanes"]))?;
    let mut compile = Command::new("cc");
    announce(compile.arg(&source).arg("-o").arg(&program).args(line.split_whitespace()))?;
    let digest = output(&mut Command::new(&program))?;
    ensure!(digest == "a9993e364706816aba3e25717850c26c9cd0d89d", "a wrong digest: {digest}");
    eprintln!("a program with the installed library gives the right digest");
    Ok(())
}
