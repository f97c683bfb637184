//! Builds the extension for DuckDB, `target/duckdb/hashlanes.duckdb_extension`, and tests it in
//! real DuckDBs, which pip installs, beside their own functions and hashlib.

use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Options;
use crate::command::version;
use crate::command::{cargo, output, root, run as announce, target};
use crate::packages::{python_folder, python_packages};

/// The versions of DuckDB that the extension is tested with: the oldest one that is promised, the
/// last one before 2.0, and the newest one.
const VERSIONS: [&str; 3] = ["1.4.0", "1.5.6", "2.0.0"];

/// DuckDB's command line, as a package of Python.
const COMMAND_LINE: &str = "duckdb-cli==1.5.6";

/// Measures beside DuckDB's own functions.
pub(super) fn measure(rows: usize, parts: &[String], options: &Options) -> Result<()> {
    let [.., newest] = VERSIONS;
    let extension = build(&options.profile)?;
    let mut python = python(newest)?;
    announce(python.arg("benches/measure.py").arg(extension).arg(rows.to_string()).args(parts))
}

pub(super) fn test(options: &Options) -> Result<()> {
    let extension = build(&options.profile)?;
    let versions: &[&str] = if options.newest { &["newest"] } else { &VERSIONS };
    for version in versions {
        announce(python(version)?.arg("tests/test_extension.py").arg(&extension))?;
    }
    on_the_command_line(&extension)
}

/// Builds the extension for this machine.
pub(super) fn build(profile: &str) -> Result<PathBuf> {
    announce(cargo().args(["build", "--package", "hashlanes-duckdb", "--profile", profile]))?;
    // Cargo keeps the profile `dev` in this folder.
    let folder = target().join(if profile == "dev" { "debug" } else { profile });
    let library = folder.join(format!("{DLL_PREFIX}hashlanes_duckdb{DLL_SUFFIX}"));
    let processor = match ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let file = extension(&library, &version("hashlanes-duckdb")?, processor)?;
    let folder = target().join("duckdb");
    fs::create_dir_all(&folder)?;
    let extension = folder.join("hashlanes.duckdb_extension");
    fs::write(&extension, file)?;
    Ok(extension)
}

/// An extension: a library, followed by what DuckDB wants to know of it.
pub(crate) fn extension(library: &Path, version: &str, processor: &str) -> Result<Vec<u8>> {
    let mut file = fs::read(library).with_context(|| format!("no {}", library.display()))?;
    file.extend(footer(version, processor));
    Ok(file)
}

/// Eight fields of 32 bytes, the last one first, and room for a signature of 256 bytes.
fn footer(version: &str, processor: &str) -> Vec<u8> {
    const FIELD: usize = 32;
    const VERSION: &str = "4";
    const C_API: &str = "v1.2.0";
    let system = if OS == "macos" { "osx" } else { OS };
    let platform = format!("{system}_{processor}");
    let ours = format!("v{version}");
    let fields = ["", "", "", "C_STRUCT", &ours, C_API, &platform, VERSION];
    let mut footer = Vec::with_capacity(512);
    for field in fields {
        let start = footer.len();
        footer.extend_from_slice(field.as_bytes());
        footer.resize(start + FIELD, 0);
    }
    footer.resize(512, 0);
    footer
}

/// Python with a version of DuckDB, in the extension's folder.
fn python(version: &str) -> Result<Command> {
    let folder = if version == "newest" {
        let folder = target().join("duckdb/newest");
        python_folder(&folder, &["duckdb"])?;
        folder
    } else {
        python_packages(&[&format!("duckdb=={version}")])?
    };
    let mut python = Command::new("python3");
    // What another Python has installed here cannot be imported.
    python.env("PYTHONPATH", &folder).current_dir(root().join("extras/integrations/duckdb"));
    Ok(python)
}

/// Loads the extension in DuckDB's own program, where there is one for this system.
fn on_the_command_line(extension: &Path) -> Result<()> {
    let program = match python_packages(&[COMMAND_LINE]) {
        Ok(folder) => folder.join("duckdb_cli/duckdb"),
        Err(error) => {
            println!("without DuckDB's command line: {error:#}");
            return Ok(());
        }
    };
    let load = format!("LOAD '{}'", extension.display());
    let query =
        "SELECT count(*) FROM range(100000) t(i) WHERE hashlanes_md5('a' || i) <> md5('a' || i)";
    let mut command = Command::new(program);
    command.args(["-unsigned", "-csv", "-noheader", "-c", &load, "-c", query]);
    let differences = output(&mut command)?;
    anyhow::ensure!(differences.trim() == "0", "on the command line, {differences} rows differ");
    println!("{COMMAND_LINE}: 100000 comparisons");
    Ok(())
}
