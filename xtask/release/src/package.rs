//! `cargo xtask package`: makes the packages to publish, and tests their content.
//!
//! A package differs from its folder in the repository: files outside the folder are missing, and
//! so is the configuration of the workspace. So the packages are unpacked into a workspace of their
//! own, and built and tested as by a user who has nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use xtask::command::{PUBLISHED, cargo, output, root, run as announce, target, version};
use xtask::folder::empty;

/// Files that every package has.
const EXPECTED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Files that cargo adds, and folders that a package may have.
const ADDED: [&str; 3] = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"];
const FOLDERS: [&str; 3] = ["src/", "tests/", "examples/"];

/// Extensions of files in these folders: code, scripts, and data for tests.
const ENDINGS: [&str; 4] = [".py", ".rs", ".sh", ".txt"];

/// Make the packages to publish, and test their content.
///
/// Lists them, unpacks them under `target/packaged/`, builds all, and runs the library's tests
/// there, including those of its documentation. cargo also builds each of them with the others from
/// a registry that it makes of them, as a user gets them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only list, unpack, and check that everything compiles, including tests and examples
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("packaged");
    let workspace = empty(folder.join("workspace"))?;

    pack(&folder, if args.quick { &["--no-verify"] } else { &[] })?;
    let mut folders = Vec::new();
    for package in PUBLISHED {
        list(package)?;
        folders.push(unpack(package, &folder, &workspace)?);
    }
    fs::write(workspace.join("Cargo.toml"), manifest(&folders)?)?;
    // The versions that everything else is tested with.
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock"))?;

    let outside = |task: &str| outside(task, &workspace);
    if args.quick {
        return announce(outside("check").args(["--workspace", "--all-targets"]));
    }
    announce(outside("build").arg("--workspace"))?;
    // With the default features; `cargo xtask test` covers all of them.
    announce(outside("test").args(["-p", PUBLISHED[0]]))
}

/// Makes the packages of the registry below a folder, and returns their paths.
pub(crate) fn crates(folder: &Path) -> Result<Vec<PathBuf>> {
    pack(folder, &["--no-verify"])?;
    let file = |package: &&str| {
        let version = version(package)?;
        Ok(folder.join("package").join(format!("{package}-{version}.crate")))
    };
    PUBLISHED.iter().map(file).collect()
}

/// Lets cargo make the packages. Uncommitted changes are packaged, too.
fn pack(folder: &Path, options: &[&str]) -> Result<()> {
    let packages: Vec<_> = PUBLISHED.iter().flat_map(|package| ["-p", package]).collect();
    let mut package = cargo();
    package.args(["package", "--allow-dirty", "--quiet"]).args(options).args(&packages);
    announce(package.arg("--target-dir").arg(folder))
}

/// Prints the files of a package, and fails if one is missing or unexpected.
fn list(package: &str) -> Result<()> {
    let files = output(cargo().args(["package", "--list", "--allow-dirty", "-p", package]))?;
    eprintln!("{package}: {} files", files.lines().count());
    for expected in EXPECTED {
        ensure!(files.lines().any(|file| file == expected), "{package}: no {expected}");
    }
    for file in files.lines() {
        let known = EXPECTED.contains(&file)
            || ADDED.contains(&file)
            || FOLDERS.iter().any(|folder| {
                file.starts_with(folder) && ENDINGS.iter().any(|ending| file.ends_with(ending))
            });
        ensure!(known, "{package}: {file} does not belong in a package");
    }
    Ok(())
}

/// Unpacks a package and returns the name of its folder.
fn unpack(package: &str, folder: &Path, workspace: &Path) -> Result<String> {
    let name = format!("{package}-{}", version(package)?);
    let archive = folder.join("package").join(format!("{name}.crate"));
    announce(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(workspace))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let (ours, packaged) = (root().join(licence), workspace.join(&name).join(licence));
        ensure!(
            fs::read(&ours)? == fs::read(&packaged)?,
            "{package}: {licence} differs from the repository's"
        );
    }
    Ok(name)
}

/// A workspace of the unpacked packages, which use each other.
fn manifest(folders: &[String]) -> Result<String> {
    let patches: String = PUBLISHED
        .iter()
        .zip(folders)
        .map(|(package, folder)| format!("{package} = {{ path = {folder:?} }}\n"))
        .collect();
    // The repository's profiles: unoptimised tests would take too long, and with the same profile
    // the packages' dependencies are not recompiled.
    let ours = fs::read_to_string(root().join("Cargo.toml"))?;
    let profiles = ours.find("[profile.").context("no profile")?;
    let profiles = &ours[profiles..];
    Ok(format!(
        "[workspace]
members = {folders:?}
resolver = \"3\"

[patch.crates-io]
{patches}
{profiles}"
    ))
}

/// cargo, started in a folder without the repository's configuration.
fn outside(task: &str, workspace: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(env::temp_dir()).env_remove("HASHLANES_CAVP");
    command.arg(task).arg("--manifest-path").arg(workspace.join("Cargo.toml"));
    command.arg("--target-dir").arg(target());
    command
}
