//! `cargo xtask release`: makes everything that a release consists of; see RELEASING.md.

mod statement;
mod twice;

use std::env::{self, consts::ARCH};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{cargo, output, root, run as announce, target};
use crate::package::archive::{self, Program};
use crate::package::c_library::{LIBRARIES, Toolchain};
use crate::package::c_package::Places;
use crate::package::system::{self, Format};
use crate::package::{crates, install_c, version};
use crate::packages::{found, require_programs};
use crate::{python, setup};

/// Make everything that a release consists of, into `dist/`, from the last commit.
///
/// pip and cargo install the tools that are missing under the target folder. The same commit and
/// tools give the same bytes, wherever and whenever it is made.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Make only these [default: all]
    #[arg(long, value_parser = KINDS.map(|kind| kind.name))]
    only: Vec<String>,
    /// Make it again in another folder, and print a table of both
    #[arg(long)]
    twice: bool,
}

/// What a release consists of.
struct Kind {
    name: &'static str,
    make: fn() -> Result<Vec<PathBuf>>,
    /// The size that no file may exceed, in bytes.
    limit: u64,
}

const KINDS: [Kind; 3] = [
    Kind { name: "program", make: programs, limit: 6_000_000 },
    Kind { name: "c", make: libraries, limit: 20_000_000 },
    Kind { name: "crates", make: || crates(&target()), limit: 1_000_000 },
];

/// The size of the program that must not be exceeded.
const PROGRAM_LIMIT: u64 = 13_000_000;

/// A kind of machine that files are made for.
struct Machine {
    /// Rust's name.
    arch: &'static str,
    /// Debian's name.
    debian: &'static str,
    musl: &'static str,
    gnu: &'static str,
    binutils: &'static str,
}

const MACHINES: [Machine; 1] = [Machine {
    arch: "x86_64",
    debian: "amd64",
    musl: "x86_64-unknown-linux-musl",
    gnu: "x86_64-unknown-linux-gnu",
    binutils: "x86_64-linux-gnu-",
}];

/// Programs that cargo installs: the lists of dependencies in executables, and their conversion.
const TOOLS: [(&str, &str); 2] =
    [("cargo-auditable", "cargo-auditable@0.7.7"), ("auditable2cdx", "auditable2cdx@0.1.0")];

/// Set in the process that makes the files.
const MARK: &str = "HASHLANES_RELEASE";

pub(crate) fn run(args: &Args) -> Result<()> {
    if env::var_os(MARK).is_none() {
        return start();
    }
    let dist = root().join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).with_context(|| format!("cannot clear {}", dist.display()))?;
    }
    fs::create_dir(&dist)?;
    let chosen = |kind: &&Kind| args.only.is_empty() || args.only.iter().any(|o| o == kind.name);
    for kind in KINDS.iter().filter(chosen) {
        for file in (kind.make)()? {
            keep(&file, &dist, kind.limit)?;
        }
    }
    statement::write(&dist, &program(host()?)?)?;
    if args.twice { twice::compare(&dist, &args.only) } else { Ok(()) }
}

/// Starts this program again, such that all that it starts inherits what makes bytes repeatable.
fn start() -> Result<()> {
    let changed = output(Command::new("git").args(["status", "--porcelain"]).current_dir(root()))?;
    ensure!(changed.is_empty(), "a release is made from a commit; uncommitted:\n{changed}");
    let folder = root().join("target/release-files");
    let tools = folder.join("tools");
    require_programs(&[("x86_64-linux-gnu-gcc", "gcc")])?;
    for (program, package) in TOOLS {
        if !found(program) {
            let install = ["install", "--quiet", "--locked", package, "--root"];
            announce(cargo().args(install).arg(&tools))?;
        }
    }
    let zig = python::with_zig()?;
    let path = env::var_os("PATH").unwrap_or_default();
    let path = [zig, tools.join("bin")].into_iter().chain(env::split_paths(&path));
    let date = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()))?;
    let mut again = Command::new(env::current_exe()?);
    again.args(env::args_os().skip(1)).env(MARK, "1").env("PATH", env::join_paths(path)?);
    again.env("SOURCE_DATE_EPOCH", date.trim()).env("CARGO_TARGET_DIR", folder);
    again.env("CARGO_ENCODED_RUSTFLAGS", flags()?).env_remove("RUSTFLAGS");
    again.env("CARGO_PROFILE_RELEASE_DEBUG", "none").env("LC_ALL", "C").env("TZ", "UTC");
    announce(&mut again)
}

/// Names of folders end up in messages of panics. They become the same everywhere.
fn flags() -> Result<String> {
    let home = env::home_dir().context("no home folder")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let remap = |from: &Path, to| format!("--remap-path-prefix={}={to}", from.display());
    Ok([remap(&root(), "/hashlanes"), remap(&cargo, "/cargo")].join("\u{1f}"))
}

/// Copies a file to the results, unless it is too large.
fn keep(file: &Path, dist: &Path, limit: u64) -> Result<()> {
    let size = fs::metadata(file).with_context(|| format!("no {}", file.display()))?.len();
    ensure!(size <= limit, "{} has {size} bytes, more than {limit}", file.display());
    fs::copy(file, dist.join(file.file_name().context("a file has a name")?))?;
    Ok(())
}

fn host() -> Result<&'static Machine> {
    let host = MACHINES.iter().find(|machine| machine.arch == ARCH);
    host.with_context(|| format!("a release is not made on {ARCH}"))
}

/// The static program.
///
/// Rust's own linker links it with the C library that comes with Rust, so zig is not needed.
fn program(machine: &Machine) -> Result<PathBuf> {
    setup::rust_target(machine.musl)?;
    let variable = machine.musl.replace('-', "_");
    let mut command = cargo();
    command.args(["auditable", "build", "--locked", "--package", "hashlanes-cli"]);
    command.args(["--profile", "dist", "--target", machine.musl]);
    command.env(format!("CC_{variable}"), format!("{}gcc", machine.binutils));
    // A panic aborts, so nothing unwinds, and relocations are packed: 0.5 MB of 12.3.
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").context("it is set at the start")?;
    let smaller = ["-Cforce-unwind-tables=no", "-Clink-arg=--pack-dyn-relocs=relr"];
    let flags = [&[inherited.as_str()], &smaller[..]].concat().join("\u{1f}");
    command.env("CARGO_ENCODED_RUSTFLAGS", flags);
    let linker = format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase());
    announce(command.env(linker, "rust-lld"))?;
    let program = target().join(machine.musl).join("dist/hashlanes");
    let size = fs::metadata(&program)?.len();
    eprintln!("the program for {}: {size} bytes", machine.arch);
    ensure!(size < PROGRAM_LIMIT, "more than {PROGRAM_LIMIT}");
    Ok(program)
}

/// Archives and packages of the program, with lists of its dependencies.
fn programs() -> Result<Vec<PathBuf>> {
    let (runs, version) = (program(host()?)?, version("hashlanes-cli")?);
    let mut made = Vec::new();
    for machine in &MACHINES {
        let program = Program { file: program(machine)?, runs: runs.clone() };
        let name = format!("hashlanes-v{version}-{}", machine.musl);
        made.push(archive::make(&program, &version, machine.musl)?);
        made.push(dependencies(&program.file, &name)?);
        for format in Format::ALL {
            made.push(system::program::make(&program, machine.debian, format)?);
        }
    }
    Ok(made)
}

/// The dependencies of an executable, as CycloneDX has them.
fn dependencies(executable: &Path, name: &str) -> Result<PathBuf> {
    let list = target().join(format!("{name}.cdx.json"));
    fs::write(&list, output(Command::new("auditable2cdx").arg(executable))?)?;
    Ok(list)
}

/// Archives and packages of the libraries for C, which have no dependencies.
fn libraries() -> Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    for machine in &MACHINES {
        setup::rust_target(machine.gnu)?;
        let system = format!("{}-linux-gnu.2.17", machine.arch);
        // The shared library contains what unwinds, which older systems may lack.
        let zig = ["python3", "-m", "ziglang", "cc", "-target", &system, "-lunwind"];
        let toolchain = Toolchain {
            target: Some(machine.gnu),
            compiler: zig.map(str::to_owned).to_vec(),
            binutils: machine.binutils,
        };
        made.push(library_archive(machine, &toolchain)?);
        for format in Format::ALL {
            let profile = install_c::PROFILE;
            made.push(system::libraries::make(profile, &toolchain, machine.debian, format)?);
        }
    }
    Ok(made)
}

/// An archive to unpack in `/usr/local`.
fn library_archive(machine: &Machine, toolchain: &Toolchain) -> Result<PathBuf> {
    let name = format!("libhashlanes-v{}-{}", version(LIBRARIES[0].package)?, machine.gnu);
    let tree = archive::empty_tree(&format!("archive/{name}"))?;
    let places = Places { prefix: "/usr/local", libdir: "lib" };
    for library in LIBRARIES {
        let built = library.build(install_c::PROFILE, "", toolchain)?;
        install_c::install(library, &built, &places, Some(&tree.join("root")))?;
    }
    let inside = tree.join(&name);
    fs::rename(tree.join("root/usr/local"), &inside)?;
    archive::pack(&inside, &name)
}
