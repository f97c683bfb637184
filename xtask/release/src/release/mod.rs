//! `cargo xtask release`: makes everything that a release consists of; see RELEASING.md.

mod dependencies;
mod go;
mod jvm;
mod libraries;
mod program;
mod recipes;
mod source;
mod statement;
mod trial;
mod twice;

use std::env::{self, consts::ARCH};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::machine::{MACHINES, Machine};
use crate::notices::Linked;
use crate::package::crates;
use crate::{version, web, wheels};
use trial::Trial;
use xtask::command::{self, RELEASE, cargo, output, root, run as announce, target};
use xtask::folder::remove;
use xtask::packages::require_programs;

/// Make everything that a release consists of, into `dist/`, from the last commit.
///
/// pip and cargo install the tools that are missing under the target folder. The same commit and
/// tools give the same bytes, wherever and whenever it is made.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Make only these, and keep what `dist/` has of the same commit besides [default: all]
    #[arg(long, value_parser = KINDS.map(|kind| kind.name))]
    only: Vec<String>,
    /// Make it again in another folder, and print a table of both
    #[arg(long)]
    twice: bool,
    /// As root: make nothing, but install what is in `dist/` in clean systems without Rust, of this
    /// release of Debian, and use it
    #[arg(long, value_name = "RELEASE", num_args = 0..=1, default_missing_value = "trixie")]
    #[arg(conflicts_with = "twice")]
    try_it: Option<String>,
}

/// What a release consists of.
struct Kind {
    name: &'static str,
    make: fn() -> Result<Vec<PathBuf>>,
    /// The size that no file may exceed, in bytes.
    limit: u64,
    /// How each is installed in a clean system.
    trials: &'static [Trial],
}

const KINDS: [Kind; 8] = [
    Kind { name: "source", make: source::make, limit: 10_000_000, trials: &[] },
    Kind { name: "program", make: program::make, limit: 6_000_000, trials: &program::TRIALS },
    Kind { name: "c", make: libraries::make, limit: 20_000_000, trials: &libraries::TRIALS },
    Kind { name: "crates", make: || crates(&target()), limit: 1_000_000, trials: &[] },
    Kind { name: "go", make: go::make, limit: 3_000_000, trials: &go::TRIALS },
    Kind { name: "jvm", make: jvm::make, limit: 8_000_000, trials: &jvm::TRIALS },
    Kind { name: "npm", make: npm, limit: 4_000_000, trials: &[NPM] },
    Kind { name: "python", make: wheels::publishable, limit: 8_000_000, trials: &PYTHON },
];

/// The wheels: for each Python of the system, and for Arm.
const PYTHON: [Trial; 2] = [
    Trial { script: "python.sh", packages: &["python3-venv", "ca-certificates"] },
    Trial { script: "python-arm.sh", packages: &["qemu-user-static"] },
];

/// The npm package.
const NPM: Trial = Trial { script: "npm.sh", packages: &["nodejs", "npm", "ca-certificates"] };

fn npm() -> Result<Vec<PathBuf>> {
    let version = command::version("hashlanes-js")?;
    let list = dependencies::make("hashlanes-npm", &version, Linked::JavaScript)?;
    Ok(vec![web::package()?, list])
}

/// Programs that cargo installs, with their versions and features: the lists of dependencies in
/// executables, their conversion, and the notices of dependencies.
const TOOLS: [(&str, &str, &str); 3] = [
    ("cargo-auditable", "0.7.7", ""),
    ("auditable2cdx", "0.1.0", ""),
    ("cargo-about", "0.9.3", "cli"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let kinds = || KINDS.iter().filter(|kind| chosen(kind.name));
    let dist = root().join("dist");
    if let Some(suite) = &args.try_it {
        return trial::run(suite, &dist, kinds().flat_map(|kind| kind.trials));
    }
    if env::var_os(RELEASE).is_none() {
        return start();
    }
    clear(&dist, !args.only.is_empty() && !args.twice)?;
    for kind in kinds() {
        for file in (kind.make)()? {
            keep(&file, &dist, kind.limit)?;
        }
    }
    if let Some(recipes) = recipes::make(&dist)? {
        keep(&recipes, &dist, 1_000_000)?;
    }
    // Our own digests, unless the program would be compiled for nothing else.
    let programs = chosen("program").then(|| program::build(host()?)).transpose()?;
    statement::write(&dist, programs.as_ref().map(|[hashlanes, _]| hashlanes.as_path()))?;
    if args.twice { twice::compare(&dist, &args.only) } else { Ok(()) }
}

/// Starts this program again, such that all that it starts inherits what makes bytes repeatable.
fn start() -> Result<()> {
    let changed = output(Command::new("git").args(["status", "--porcelain"]).current_dir(root()))?;
    ensure!(changed.is_empty(), "a release is made from a commit; uncommitted:\n{changed}");
    version::check_tag(&command::version("hashlanes-cli")?)?;
    let path = root().display().to_string();
    ensure!(!path.contains(' '), "MinGW's dlltool cannot read a path with spaces: {path}");
    // First, since another chore may replace the executable while the tools are made.
    let mut again = Command::new(env::current_exe()?);
    let folder = root().join("target/release-files");
    let tools = folder.join("tools");
    for Machine { tools: (prefix, package), .. } in &MACHINES {
        require_programs(&[(&format!("{prefix}gcc"), package)])?;
    }
    let mut path = vec![wheels::with_zig()?];
    for (program, version, features) in TOOLS {
        let package = format!("{program}@{version}");
        let folder = tools.join(&package);
        if !folder.join("bin").join(program).is_file() {
            let install = ["install", "--quiet", "--locked", &package, "--features", features];
            announce(cargo().args(install).arg("--root").arg(&folder))?;
        }
        path.push(folder.join("bin"));
    }
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let date = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()))?;
    again.args(env::args_os().skip(1)).env(RELEASE, "1").env("PATH", env::join_paths(path)?);
    again.env("SOURCE_DATE_EPOCH", date.trim()).env("CARGO_TARGET_DIR", folder);
    again.env("CARGO_ENCODED_RUSTFLAGS", flags()?).env_remove("RUSTFLAGS");
    again.env("LC_ALL", "C").env("TZ", "UTC");
    announce(&mut again)
}

/// Names of folders end up in messages of panics. They become the same everywhere.
fn flags() -> Result<String> {
    let home = env::home_dir().context("no home folder")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let remap = |from: &Path, to| format!("--remap-path-prefix={}={to}", from.display());
    Ok([remap(&root(), "/hashlanes"), remap(&cargo, "/cargo")].join("\u{1f}"))
}

/// Removes what was made before. A part of a release goes to the other parts of the same commit,
/// and only what describes them all is made again.
fn clear(dist: &Path, part: bool) -> Result<()> {
    let head = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()))?;
    let mark = target().join("commit-of-dist");
    let same = fs::read_to_string(&mark).is_ok_and(|commit| commit == head);
    if !(part && same) {
        remove(dist)?;
    }
    fs::create_dir_all(dist)?;
    fs::create_dir_all(target())?;
    fs::write(&mark, head).with_context(|| format!("cannot write {}", mark.display()))?;
    for name in [statement::SUMS, statement::STATEMENT] {
        let path = dist.join(name);
        if path.exists() {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::command::version;

    #[test]
    fn the_guide_names_the_files_of_this_version() {
        let guide = fs::read_to_string(root().join("docs/releases.md")).unwrap();
        let version = version("hashlanes-cli").unwrap();
        let files = guide.split([' ', '\n', '`']).filter(|word| {
            [".deb", ".rpm", ".tgz", ".zip"].iter().any(|ending| word.ends_with(ending))
        });
        let files: Vec<_> = files.collect();
        assert!(files.len() >= 7, "{files:?}");
        for file in files {
            assert!(file.contains(&version), "{file} is not of {version}");
        }
    }
}
