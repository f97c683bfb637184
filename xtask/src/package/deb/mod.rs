//! `cargo xtask deb`: Debian packages of the program, and of the libraries for C.
//!
//! `cargo-deb` could make the program's package. But the package of the libraries needs the
//! linker's steps in [`c_library`](super::c_library), which it does not support, and two mechanisms
//! would have to be maintained. What remains is a folder, a control file and `dpkg-deb`.

mod libraries;
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::command::{output, root, run as announce, target};
use crate::package::install_c;

/// Make Debian packages: of the program with its manual and completions, and of the libraries for
/// C with headers, pkg-config files and CMake packages.
///
/// Their names are printed on the standard output. Requires `dpkg-deb`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Make only one of them
    #[arg(long)]
    only: Option<Which>,
    /// The profile to compile the libraries with
    #[arg(long, default_value = install_c::PROFILE)]
    profile: String,
    /// As root: install each package, use it, and remove it
    #[arg(long)]
    try_it: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Program,
    Libraries,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let wanted = |which| args.only.is_none_or(|only| only == which);
    if wanted(Which::Program) {
        finish(program::PACKAGE, &program::make()?, args.try_it, program::try_it)?;
    }
    if wanted(Which::Libraries) {
        let package = libraries::make(&args.profile)?;
        finish(libraries::PACKAGE, &package, args.try_it, libraries::try_it)?;
    }
    Ok(())
}

/// Prints the name of a package, after testing it if requested.
fn finish(name: &str, package: &Path, try_it: bool, test: fn() -> Result<()>) -> Result<()> {
    if try_it {
        announce(Command::new("dpkg").arg("-i").arg(package))?;
        let tried = test();
        announce(Command::new("dpkg").args(["-r", name]))?;
        tried?;
    }
    println!("{}", package.display());
    Ok(())
}

/// The content of `control`, and of `triggers`.
struct Control<'a> {
    package: &'a str,
    version: &'a str,
    section: &'a str,
    /// Executables and libraries: their newest symbols decide which C library is required.
    binaries: Vec<&'a Path>,
    /// The description: its first line, and others that begin with a blank.
    description: &'a str,
    triggers: Option<&'a str>,
}

/// Builds a package from a tree and returns its path.
fn build(tree: &Path, control: &Control<'_>) -> Result<PathBuf> {
    let &Control { package, version, .. } = control;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    let documents = tree.join("usr/share/doc").join(package);
    fs::create_dir_all(&documents)?;
    fs::write(documents.join("copyright"), copyright()?)?;
    let meta = tree.join("DEBIAN");
    fs::create_dir_all(&meta)?;
    fs::write(meta.join("control"), control.text(architecture)?)?;
    if let Some(triggers) = control.triggers {
        fs::write(meta.join("triggers"), triggers)?;
    }
    let file = target().join(format!("{package}_{version}_{architecture}.deb"));
    let mut build = Command::new("dpkg-deb");
    // Its output must not go to the standard output, where the package's name goes.
    eprint!("{}", output(build.args(["--root-owner-group", "--build"]).arg(tree).arg(&file))?);
    Ok(file)
}

impl Control<'_> {
    fn text(&self, architecture: &str) -> Result<String> {
        let mut libc = (0, 0);
        for binary in &self.binaries {
            libc = libc.max(newest_libc(binary)?);
        }
        let (major, minor) = libc;
        let Self { package, version, section, description, .. } = self;
        Ok(format!(
            "\
Package: {package}
Version: {version}
Architecture: {architecture}
Section: {section}
Priority: optional
Maintainer: the hashlanes developers <hashlanes@localhost>
Depends: libc6 (>= {major}.{minor}), libgcc-s1
Description: {description}
"
        ))
    }
}

/// An empty folder for the tree of a package.
fn empty_tree(path: &str) -> Result<PathBuf> {
    let tree = target().join(path);
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| format!("cannot clear {}", tree.display()))?;
    }
    fs::create_dir_all(&tree)?;
    Ok(tree)
}

/// The newest version of the C library whose symbols a binary uses.
fn newest_libc(binary: &Path) -> Result<(u32, u32)> {
    let symbols = output(Command::new("objdump").arg("-T").arg(binary))?;
    let versions: BTreeSet<_> = symbols.split("GLIBC_").skip(1).filter_map(version).collect();
    versions.last().copied().with_context(|| format!("{}: no C library", binary.display()))
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
