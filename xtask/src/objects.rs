//! `cargo xtask objects`: the program against real object stores, started here, and against their
//! faults; see `crates/hashlanes-objects/tests/programs` and docs/design/testing.md.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::command::{cargo, root, run as announce, target};
use crate::go::tool as go;
use crate::packages::{python_packages, require_programs};
use crate::programs;

/// Compare digests of objects with those that stores and boto3 compute, and test faults and
/// interruptions.
///
/// Installs the servers first, under the target folder, and nginx as a system package if root
/// runs this on Debian.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// With the servers that take minutes to build, and more faults and interruptions
    #[arg(long)]
    all: bool,
    /// Only these servers
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = ALL)]
    servers: Vec<String>,
    /// Start the servers, print their URLs, and wait for the end of the standard input
    #[arg(long)]
    serve: bool,
    /// Test the program of `cargo xtask test` instead of one for a release
    #[arg(long)]
    dev: bool,
    /// The modules in `crates/hashlanes-objects/tests/programs` to run [default: all]
    #[arg(value_name = "NAME", value_parser = CHECKS)]
    names: Vec<String>,
}

/// The servers that install in seconds.
const QUICK: [&str; 2] = ["nginx", "moto"];

/// All, with the server of S3 that knows most last.
const ALL: [&str; 6] = ["nginx", "moto", "azurite", "fake-gcs-server", "s3s-fs", "versitygw"];

/// Modules that compare, each with a function `check`.
const CHECKS: [&str; 5] = ["stores", "refusals", "changes", "faults", "kills"];

/// Python packages. `botocore[crt]` computes the newer checksums.
const PYTHON: [&str; 6] =
    ["moto[s3]", "flask", "flask-cors", "boto3", "botocore[crt]", "azure-storage-blob"];

/// The servers of Go, with their packages in the versions that the tests were written with.
const VERSITYGW: &str = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const FAKE_GCS: &str = "github.com/fsouza/fake-gcs-server@v1.56.0";
const AZURITE: &str = "azurite@3.37.0";
/// The newest version that the Rust of the tests can build.
const S3S: [&str; 4] = ["s3s-fs", "--version", "0.14.1", "--features=binary"];

pub(crate) fn run(args: &Args) -> Result<()> {
    let or = |names: &[String], all: &[&'static str]| match names {
        [] => all.iter().map(|&name| name.to_owned()).collect(),
        names => names.to_vec(),
    };
    let servers = or(&args.servers, if args.all { &ALL } else { &QUICK });
    require_programs(&[("python3", "python3"), ("nginx", "nginx-light"), ("openssl", "openssl")])?;
    servers.iter().try_for_each(|server| install(server))?;
    let packages = python_packages(&PYTHON)?;
    std::fs::create_dir_all(folder())?;
    let mut command = Command::new("python3");
    command.arg(root().join("crates/hashlanes-objects/tests/programs/oracles.py")).arg(folder());
    if !args.serve {
        command.args(or(&args.names, &CHECKS));
    }
    command.args(["--servers", &servers.join(",")]);
    command.env("PYTHONPATH", packages).env("PYTHONDONTWRITEBYTECODE", "1");
    if !args.serve {
        let (faults, kills) = if args.all { ("10000", "200") } else { ("100", "5") };
        command.arg("--program").arg(programs::tested_or_released(args.dev)?);
        command.args(["--faults", faults, "--kills", kills]);
    }
    announce(command.env_remove("HASHLANES_KERNEL"))
}

/// The folder of servers.
fn folder() -> PathBuf {
    target().join("objects")
}

/// Installs a server, unless it is there or comes with what all tests need.
fn install(server: &str) -> Result<()> {
    let bin = folder().join("bin");
    match server {
        "versitygw" | "fake-gcs-server" if !bin.join(server).is_file() => {
            go::require()?;
            let package = if server == "versitygw" { VERSITYGW } else { FAKE_GCS };
            announce(go::go(".")?.args(["install", package]).env("GOBIN", bin))
        }
        "azurite" if !folder().join("npm/node_modules/.bin/azurite-blob").is_file() => {
            require_programs(&[("node", "nodejs"), ("npm", "npm")])?;
            let options = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
            announce(Command::new("npm").args(options).arg(folder().join("npm")).arg(AZURITE))
        }
        "s3s-fs" if !bin.join(server).is_file() => {
            announce(cargo().arg("install").args(S3S).arg("--locked").arg("--root").arg(folder()))
        }
        _ => Ok(()),
    }
}
