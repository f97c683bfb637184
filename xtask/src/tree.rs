//! `cargo xtask tree`: compares `hashlanes tree` with the programs that defined its formats; see
//! `crates/hashlanes-tree/tests/programs` and docs/design/testing.md.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::command::{cargo, root, run as announce, target};
use crate::folder::Scratch;
use crate::packages::{python_packages, require_programs};
use crate::programs;

/// Compare S3 ETags, tree hashes and torrents with those that other programs make of the same
/// files.
///
/// Installs these programs first: Python packages under the target folder, and system packages if
/// root runs this on Debian.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare more files, of more sizes
    #[arg(long)]
    thorough: bool,
    /// Test the program of `cargo xtask test` instead of one for a release
    #[arg(long)]
    dev: bool,
    /// Measure beside these programs instead of comparing, and print tables for docs/record
    #[arg(long)]
    measure: bool,
    /// The modules in `crates/hashlanes-tree/tests/programs` to run [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Modules that compare, and modules that measure.
const CHECKS: [&str; 4] = ["parts", "verity", "merkle", "torrents"];
const MEASURES: [&str; 3] = ["trees", "torrent_rows", "small_files"];

/// Python packages. `moto[s3]` needs what its server requires.
const PYTHON: [&str; 6] = ["boto3", "moto[s3]", "flask", "flask-cors", "libtorrent", "torf"];

/// A program to compare with, with the Debian package that contains it.
const PROGRAMS: [(&str, &str); 3] =
    [("fsverity", "fsverity"), ("veritysetup", "cryptsetup-bin"), ("python3", "python3")];

pub(crate) fn run(args: &Args) -> Result<()> {
    require_programs(&PROGRAMS)?;
    let packages = python_packages(&PYTHON)?;
    let (script, default) = match args.measure {
        true => ("measure.py", &MEASURES[..]),
        false => ("oracles.py", &CHECKS[..]),
    };
    let program = programs::tested_or_released(args.dev)?;
    if args.measure {
        // The program that chunks are measured beside.
        let example = ["build", "--release", "--package", "hashlanes-tree", "--example", "cut"];
        announce(cargo().args(example))?;
    }
    // Files to measure are in memory.
    let memory = Path::new("/dev/shm");
    let folder = match args.measure && memory.is_dir() {
        true => Scratch::new(memory)?,
        false => Scratch::new(&target().join("tree"))?,
    };
    let mut command = Command::new("python3");
    command
        .arg(root().join("crates/hashlanes-tree/tests/programs").join(script))
        .arg(program)
        .arg(&folder.0);
    if args.thorough {
        command.arg("--thorough");
    }
    if args.names.is_empty() {
        command.args(default);
    } else {
        command.args(&args.names);
    }
    // `veritysetup` is in a folder that only root searches.
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let command = command.env("PYTHONPATH", packages).env("PATH", path);
    announce(command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("HASHLANES_KERNEL"))
}
