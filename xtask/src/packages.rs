//! Installs packages that chores need: of the system with apt-get, and of Python with pip.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{cargo, output, root, run as announce, succeeds, target};
use crate::folder::remove;

/// Installs Debian packages. With `check`, or if it cannot, adds them to `missing`.
pub fn system_packages(check: bool, packages: &[&str], missing: &mut Vec<String>) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let packages = packages.join(" ");
    if check || !root_user() || !found("apt-get") {
        missing.push(format!("programs and libraries: as root, apt-get install {packages}"));
        return Ok(());
    }
    eprintln!("This is run by root, so apt-get installs what is missing on the system: {packages}");
    announce(Command::new("apt-get").args(["-qq", "update"]))?;
    let options =
        ["-qq", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
    announce(
        Command::new("apt-get")
            .args(options)
            .args(packages.split(' '))
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

/// Installs Debian packages, or fails with their names.
pub fn require(packages: &[&str]) -> Result<()> {
    let mut missing = Vec::new();
    system_packages(false, packages, &mut missing)?;
    ensure!(missing.is_empty(), "missing: {}", missing.join(", "));
    Ok(())
}

/// Installs the Debian packages of programs that are missing; pairs of program and package.
pub fn require_programs(programs: &[(&str, &str)]) -> Result<()> {
    let there = |program: &str| found(program) || Path::new("/usr/sbin").join(program).is_file();
    let missing = programs.iter().filter(|(program, _)| !there(program));
    require(&missing.map(|&(_, package)| package).collect::<Vec<_>>())
}

/// Replaces the content of a folder by Python packages.
pub fn python_folder(folder: &Path, packages: &[&str]) -> Result<()> {
    if !has_pip() {
        require(&["python3-pip"])?;
    }
    // Filled under another name and then moved, so that an interrupted download does not look
    // complete.
    let partial = folder.with_extension("partial");
    remove(&partial)?;
    remove(folder)?;
    pip(
        &mut Command::new("python3"),
        &[&["--target", &partial.to_string_lossy()], packages].concat(),
    )?;
    fs::rename(&partial, folder).with_context(|| format!("cannot move {}", partial.display()))
}

/// A folder with these Python packages, which are installed below the target folder if they are
/// missing. Its `bin` has their programs.
pub fn python_packages(packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join("python-packages").join(packages.join(","));
    if !folder.is_dir() {
        python_folder(&folder, packages)?;
    }
    Ok(folder)
}

/// Installs Python packages for an interpreter. They are compiled on use, since few of their files
/// are used.
pub fn pip(python: &mut Command, packages: &[&str]) -> Result<()> {
    let options = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
    python.args(options).args(["--no-compile", "--root-user-action=ignore"]);
    announce(python.args(packages))
}

/// Makes a virtual environment.
pub fn environment(python: &Path, folder: &Path) -> Result<()> {
    // Debian packages this separately from the interpreter.
    if !succeeds(Command::new(python).args(["-c", "import ensurepip, venv"])) {
        require(&["python3-venv"])?;
    }
    announce(Command::new(python).args(["-m", "venv", "--clear"]).arg(folder))
}

/// A `PATH` that includes a program of the crates registry, `cargo-NAME`, which is built under the
/// target folder if it is missing.
pub fn cargo_tool(program: &str) -> Result<OsString> {
    let tools = root().join("target/tools");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(env::split_paths(&path).chain([tools.join("bin")]))?;
    // As cargo calls it.
    let name = program.strip_prefix("cargo-").unwrap_or(program);
    if !succeeds(Command::new(program).args([name, "--version"]).env("PATH", &path)) {
        announce(cargo().args(["install", "--locked", "--root"]).arg(&tools).arg(program))?;
    }
    Ok(path)
}

pub fn has_pip() -> bool {
    succeeds(Command::new("python3").args(["-m", "pip", "--version"]))
}

/// Whether a program of this name can be started.
pub fn found(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn root_user() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}
