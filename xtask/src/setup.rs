//! `cargo xtask setup`: installs the test dependencies that are missing.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::command::{cargo, output, root, run as announce, succeeds};
use crate::go::tool as go_tool;
use crate::packages::{found, has_pip, python_folder, system_packages};

/// Install the test dependencies: components of the toolchain, other hash programs to compare with,
/// a program that judges random bytes, NIST's test vectors, a Go toolchain.
///
/// What is already installed stays as it is. System packages are installed if root runs this on
/// Debian or a derived system, and reported otherwise.
#[derive(clap::Args)]
pub struct Args {
    /// Install nothing; fail if something is missing, and name it
    #[arg(long)]
    pub check: bool,
}

/// A program that tests start, with the Debian package that contains it.
const PROGRAMS: [(&str, &str); 16] = [
    ("sha256sum", "coreutils"),
    ("openssl", "openssl"),
    ("shasum", "perl"),
    ("rhash", "rhash"),
    ("hashdeep", "hashdeep"),
    ("xxhsum", "xxhash"),
    ("python3", "python3"),
    ("pkg-config", "pkg-config"),
    ("rngtest", "rng-tools5"),
    ("script", "bsdutils"),
    ("cc", "gcc"),
    ("c++", "g++"),
    ("make", "make"),
    ("cmake", "cmake"),
    ("valgrind", "valgrind"),
    ("curl", "curl"),
];

/// A library that benches link to compare with, by its pkg-config name, with the Debian package
/// that contains it.
const LIBRARIES: [(&str, &str); 1] = [("libcrypto", "libssl-dev")];

/// Python packages that tests use, each with what it is, and with the variable that tells the tests
/// where it is. `.cargo/config.toml` sets that, however the tests are started.
const PYTHON_PACKAGES: [(&str, &str, &str); 2] = [
    ("cryptography-vectors", "NIST's test vectors", "HASHLANES_CAVP"),
    ("bagit", "the validator of bags", "HASHLANES_BAGIT"),
];

pub fn run(args: &Args) -> Result<()> {
    let mut missing = Vec::new();
    components(args, &mut missing)?;
    let programs = PROGRAMS.iter().filter(|(program, _)| !found(program));
    let libraries = LIBRARIES
        .iter()
        .filter(|(library, _)| !succeeds(Command::new("pkg-config").args(["--exists", library])));
    let pip = (!has_pip()).then_some(&("pip", "python3-pip"));
    let packages = programs.chain(libraries).chain(pip).map(|&(_, package)| package);
    let packages: Vec<_> = packages.collect();
    system_packages(args.check, &packages, &mut missing)?;
    for package in PYTHON_PACKAGES {
        python_package(args, package, &mut missing)?;
    }
    go_tool::setup(args.check, &mut missing)?;
    if !missing.is_empty() {
        bail!("missing:\n  {}", missing.join("\n  "));
    }
    Ok(())
}

/// rustup's minimal profile lacks these.
fn components(args: &Args, missing: &mut Vec<String>) -> Result<()> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if succeeds(cargo().args([command, "--version"])) {
            continue;
        }
        if args.check || !succeeds(Command::new("rustup").arg("--version")) {
            missing.push(format!("cargo {command}: rustup component add {component}"));
        } else {
            announce(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

fn python_package(
    args: &Args,
    (name, what, variable): (&str, &str, &str),
    missing: &mut Vec<String>,
) -> Result<()> {
    let wanted = env::var_os(variable).map(PathBuf::from).unwrap_or_default();
    if wanted.is_dir() {
        return Ok(());
    }
    // Not in the target folder that an environment variable may name: the configuration cannot
    // follow that variable.
    let folder = root().join("target").join(name);
    if args.check || !wanted.starts_with(&folder) {
        missing.push(format!(
            "{what}: no folder {} ({variable}); it is in the Python package {name}",
            wanted.display()
        ));
        return Ok(());
    }
    python_folder(&folder, &[name])
}

/// Installs the standard library for a target, if the compiler that builds this program lacks it.
pub fn rust_target(name: &str) -> Result<()> {
    let there = || {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let folder =
            output(Command::new(rustc).args(["--print", "target-libdir", "--target", name]));
        folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
    };
    if !there() {
        announce(Command::new("rustup").args(["target", "add", name]))?;
    }
    if !there() {
        bail!("the compiler has no standard library for {name}: rustup target add {name}");
    }
    Ok(())
}
