//! `cargo xtask deb`: a Debian package of the libraries for C.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::c_library::{Built, LIBRARIES};
use crate::c_package::Places;
use crate::command::{output, root, run as announce, target};
use crate::install_c;

/// Make a Debian package of the libraries for C: shared and static libraries, headers, pkg-config
/// files, CMake packages.
///
/// Its name is printed on the standard output. Needs `dpkg-deb`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How to compile
    #[arg(long, default_value = "release-c")]
    profile: String,
    /// As root: install the package, compile and run a program with it, and remove it
    #[arg(long)]
    try_it: bool,
}

/// The name of the package.
const PACKAGE: &str = "libhashlanes-dev";

/// What is compiled with the installed package.
const PROGRAM: &str = r#"
#include <hashlanes.h>
#include <stdio.h>
int main(void)
{
    unsigned char digest[16];
    if (hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, sizeof digest) != HASHLANES_OK)
        return 1;
    for (int i = 0; i < 16; i++)
        printf("%02x", digest[i]);
    return 0;
}
"#;

pub(crate) fn run(args: &Args) -> Result<()> {
    let package = make(&args.profile)?;
    if args.try_it {
        announce(Command::new("dpkg").arg("-i").arg(&package))?;
        let tried = try_it();
        announce(Command::new("dpkg").args(["-r", PACKAGE]))?;
        tried?;
    }
    println!("{}", package.display());
    Ok(())
}

/// Makes the package and returns its path.
fn make(profile: &str) -> Result<PathBuf> {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let multiarch = output(Command::new("cc").arg("-print-multiarch"))?;
    let libdir = Path::new("lib").join(multiarch.trim());
    let libdir = libdir.to_string_lossy();
    let places = Places { prefix: "/usr", libdir: libdir.trim_end_matches('/') };
    // Locked until this returns: no other process is at the tree meanwhile.
    let all = LIBRARIES.iter().map(|library| library.build(profile, ""));
    let all = all.collect::<Result<Vec<_>>>()?;
    let tree = target().join("c/deb");
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| format!("cannot clear {}", tree.display()))?;
    }
    for (library, built) in LIBRARIES.iter().zip(&all) {
        install_c::install(library, built, &places, Some(&tree))?;
    }
    let documents = tree.join("usr/share/doc").join(PACKAGE);
    fs::create_dir_all(&documents)?;
    fs::write(documents.join("copyright"), copyright()?)?;
    let version = &all[0].version.text;
    let meta = tree.join("DEBIAN");
    fs::create_dir_all(&meta)?;
    fs::write(meta.join("control"), control(&all, architecture.trim())?)?;
    // So that the loader finds the new shared libraries.
    fs::write(meta.join("triggers"), "activate-noawait ldconfig\n")?;
    let package = target().join(format!("{PACKAGE}_{version}_{}.deb", architecture.trim()));
    let mut build = Command::new("dpkg-deb");
    // What it says is not for the standard output, where the package's name goes.
    eprint!("{}", output(build.args(["--root-owner-group", "--build"]).arg(&tree).arg(&package))?);
    Ok(package)
}

fn control(all: &[Built], architecture: &str) -> Result<String> {
    let mut libc = (0, 0);
    for built in all {
        libc = libc.max(newest_libc(&built.shared)?);
    }
    let (version, (major, minor)) = (&all[0].version.text, libc);
    Ok(format!(
        "\
Package: {PACKAGE}
Version: {version}
Architecture: {architecture}
Section: libdevel
Priority: optional
Maintainer: the hashlanes developers <hashlanes@localhost>
Depends: libc6 (>= {major}.{minor}), libgcc-s1
Description: cryptographic hashes of many messages side by side
 MD5, SHA-1, SHA-2 and SM3 of many messages at a time, in the SIMD lanes of
 one core. This package has the shared and the static libraries for C, their
 headers, and the files for pkg-config and CMake.
"
    ))
}

/// The newest version of the C library of which a shared library uses a symbol.
fn newest_libc(shared: &Path) -> Result<(u32, u32)> {
    let symbols = output(Command::new("objdump").arg("-T").arg(shared))?;
    let versions: BTreeSet<_> = symbols.split("GLIBC_").skip(1).filter_map(version).collect();
    versions.last().copied().with_context(|| format!("{}: no C library", shared.display()))
}

/// The major and the minor number at the start of a text.
fn version(text: &str) -> Option<(u32, u32)> {
    let text = text.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    let mut numbers = text.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Both licences, in full.
fn copyright() -> Result<String> {
    let text = |name: &str| {
        fs::read_to_string(root().join(name)).with_context(|| format!("cannot read {name}"))
    };
    Ok(format!(
        "hashlanes may be used under either of these licences, as you like.\n\n{}\n{}",
        text("LICENSE-MIT")?,
        text("LICENSE-APACHE")?
    ))
}

/// Compiles and runs a program with what is installed, and tells nobody where that is.
fn try_it() -> Result<()> {
    let folder = target().join("c");
    let (source, program) = (folder.join("installed.c"), folder.join("installed"));
    fs::write(&source, PROGRAM)?;
    let line = output(Command::new("pkg-config").args(["--cflags", "--libs", "hashlanes"]))?;
    let mut compile = Command::new("cc");
    announce(compile.arg(&source).arg("-o").arg(&program).args(line.split_whitespace()))?;
    let digest = output(&mut Command::new(&program))?;
    ensure!(digest == "900150983cd24fb0d6963f7d28e17f72", "a wrong digest: {digest}");
    eprintln!("a program with the installed library gives the right digest");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_start() {
        assert_eq!(version("2.34) abort\n"), Some((2, 34)));
        assert_eq!(version("2.2.5"), Some((2, 2)));
        assert_eq!(version("PRIVATE"), None);
    }
}
