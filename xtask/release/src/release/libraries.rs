//! The libraries for C: archives and packages of them.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::dependencies;
use super::trial::Trial;
use crate::archive;
use crate::machine::{MACHINES, Machine};
use crate::notices::{self, Linked};
use crate::system::{self, Format};
use xtask::c::describe::Places;
use xtask::c::install;
use xtask::c::library::{LIBRARIES, Toolchain};
use xtask::command::version;
use xtask::setup;

pub(super) const TRIALS: [Trial; 4] = [
    Trial {
        script: "c-deb.sh",
        packages: &["gcc", "libc6-dev", "pkg-config", "cmake", "make", "meson", "dpkg-dev"],
    },
    Trial { script: "c-rpm.sh", packages: &["rpm", "gcc", "libc6-dev", "pkg-config"] },
    Trial { script: "c-archive.sh", packages: &["gcc", "libc6-dev", "pkg-config"] },
    Trial {
        script: "c-arm.sh",
        packages: &["qemu-user-static", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    },
];

/// Archives and packages of the libraries for C, and the list of their dependencies.
pub(super) fn make() -> Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    for machine in &MACHINES {
        let toolchain = toolchain(machine)?;
        made.push(archive(machine, &toolchain)?);
        for format in Format::ALL {
            let profile = install::PROFILE;
            made.extend(system::libraries::make(profile, &toolchain, machine.debian, format)?);
        }
    }
    let version = version(LIBRARIES[0].package)?;
    made.push(dependencies::make("libhashlanes", &version, Linked::Libraries)?);
    Ok(made)
}

/// What builds the libraries for a kind of machine, and for glibc 2.17.
pub(super) fn toolchain(machine: &Machine) -> Result<Toolchain> {
    setup::rust_target(machine.gnu)?;
    let system = format!("{}-linux-gnu.2.17", machine.arch);
    // The shared library contains what unwinds, which older systems may lack. zig compiles that,
    // and what it writes for debuggers names the folder in which it was started.
    let unwinds = ["-lunwind", "-Wl,--strip-debug"];
    let zig = [&["python3", "-m", "ziglang", "cc", "-target", &system], &unwinds[..]].concat();
    Ok(Toolchain {
        target: Some(machine.gnu),
        compiler: zig.into_iter().map(str::to_owned).collect(),
        binutils: machine.tools.0,
    })
}

/// An archive to unpack in `/usr/local`.
fn archive(machine: &Machine, toolchain: &Toolchain) -> Result<PathBuf> {
    let name = format!("libhashlanes-v{}-{}", version(LIBRARIES[0].package)?, machine.gnu);
    let tree = archive::empty_tree(&format!("archive/{name}"))?;
    let places = Places { prefix: "/usr/local", libdir: "lib" };
    for library in LIBRARIES {
        let built = library.build(install::PROFILE, "", toolchain)?;
        install::install(library, &built, &places, Some(&tree.join("root")))?;
    }
    let inside = tree.join(&name);
    fs::rename(tree.join("root/usr/local"), &inside)?;
    let documents = inside.join("share/doc/hashlanes");
    archive::licences(&documents)?;
    notices::add(Linked::Libraries, &documents)?;
    archive::tar(&inside, &name)
}
