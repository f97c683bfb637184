//! The packages of the libraries for C: one with what programs need when they run, of which several
//! versions can be installed, and one with what compiles programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::{Format, Package, build};
use crate::archive::empty_tree;
use crate::notices::Linked;
use xtask::c::describe::Places;
use xtask::c::install;
use xtask::c::library::{LIBRARIES, Library, Toolchain, Version};
use xtask::command::{output, run as announce, target};

/// A program to compile with the installed package.
const PROGRAM: &str = include_str!("../../trials/c/program.c");

/// Makes the packages and returns their paths.
pub(crate) fn make(
    profile: &str,
    toolchain: &Toolchain,
    architecture: &str,
    format: Format,
) -> Result<[PathBuf; 2]> {
    let libdir = match format {
        Format::Deb => format!("lib/{}", toolchain.multiarch()?),
        Format::Rpm => "lib64".to_owned(),
    };
    let places = Places { prefix: "/usr", libdir: &libdir };
    // The locks are held until this returns, so no other process uses the trees.
    let all = LIBRARIES.iter().map(|library| library.build(profile, "", toolchain));
    let all = all.collect::<Result<Vec<_>>>()?;
    let (to_compile, to_run) = (empty_tree("system/libraries")?, empty_tree("system/runtime")?);
    let inside = |tree: &Path| tree.join("usr").join(&libdir);
    fs::create_dir_all(inside(&to_run))?;
    for (library, built) in LIBRARIES.iter().zip(&all) {
        install::install(library, built, &places, Some(&to_compile))?;
        let soname = library.soname(&built.version);
        for name in [built.shared.file_name().unwrap_or_default(), soname.as_ref()] {
            fs::rename(inside(&to_compile).join(name), inside(&to_run).join(name))?;
        }
    }
    let version = &all[0].version;
    let name = match format {
        Format::Deb => format!("libhashlanes{}", version.interface),
        Format::Rpm => "hashlanes-libs".to_owned(),
    };
    let runtime = Package {
        name: &name,
        version: &version.text,
        architecture,
        section: "libs",
        linked: Linked::Libraries,
        binaries: all.iter().map(|built| built.shared.as_path()).collect(),
        needs: None,
        provides: match format {
            Format::Deb => Vec::new(),
            Format::Rpm => LIBRARIES.iter().flat_map(|one| symbols(one, version)).collect(),
        },
        shlibs: LIBRARIES.iter().map(|one| shlibs(one, version, &name)).collect(),
        multi_arch: true,
        description: "cryptographic hashes of many messages side by side
MD5, SHA-1, SHA-2, SHA-3, BLAKE2, BLAKE3 and SM3 of many messages at a
time, in the SIMD lanes of one core. This package has the shared libraries,
which programs need when they run.",
    };
    let development = Package {
        name: match format {
            Format::Deb => "libhashlanes-dev",
            Format::Rpm => "hashlanes-devel",
        },
        section: "libdevel",
        binaries: Vec::new(),
        needs: Some(&name),
        provides: match format {
            Format::Deb => Vec::new(),
            Format::Rpm => LIBRARIES.iter().map(|one| pkg_config(one, version)).collect(),
        },
        shlibs: String::new(),
        description: "cryptographic hashes of many messages side by side (for C)
MD5, SHA-1, SHA-2, SHA-3, BLAKE2, BLAKE3 and SM3 of many messages at a
time, in the SIMD lanes of one core. This package has the headers and the
static libraries, and the files for pkg-config and CMake.",
        ..runtime
    };
    Ok([build(&to_run, &runtime, format)?, build(&to_compile, &development, format)?])
}

/// What a program that is linked with a shared library requires, as rpm writes it: the library, and
/// the version of its symbols.
fn symbols(library: &Library, version: &Version) -> [String; 2] {
    let soname = library.soname(version);
    let node = library.node(version);
    [format!("{soname}()(64bit)"), format!("{soname}({node})(64bit)")]
}

/// What a package to build requires of pkg-config's files, as rpm writes it.
fn pkg_config(library: &Library, version: &Version) -> String {
    format!("pkgconfig({}) = {}", library.name, version.text)
}

/// A line of Debian's `shlibs`: the package that a program needs that is linked with a library.
fn shlibs(library: &Library, version: &Version, package: &str) -> String {
    let Version { text, interface } = version;
    format!("lib{} {interface} {package} (>= {text})\n", library.name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_programs_can_tell_what_they_need() {
        let (library, version) = (&LIBRARIES[0], Version::new("0.1.2").unwrap());
        let needed = ["libhashlanes.so.0.1()(64bit)", "libhashlanes.so.0.1(HASHLANES_0.1)(64bit)"];
        assert_eq!(symbols(library, &version), needed);
        let line = "libhashlanes 0.1 libhashlanes0.1 (>= 0.1.2)\n";
        assert_eq!(shlibs(library, &version, "libhashlanes0.1"), line);
    }
}
