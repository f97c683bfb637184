//! `cargo xtask s3-server`: real S3 servers whose digests are computed in lanes; see
//! `examples/s3-server`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::command::{cargo, output, root, run as announce, target};
use crate::folder::remove;
use crate::go::tool::go;
use crate::packages::require_programs;

/// The newest that the workspace's Rust compiles.
const S3S: &str = "0.14.1";

/// A module of Go and its version.
const VERSITYGW: (&str, &str) = ("github.com/versity/versitygw", "v1.8.0");

/// Build S3 servers with our hashers in place of theirs, and check them under load.
///
/// Their sources come from the registries of crates and of Go modules. The patches in
/// `examples/s3-server` are applied to copies under the target folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this server
    #[arg(long, value_enum)]
    only: Option<Server>,
    /// Measure the CPU time with the server's hashers and with ours, instead of checking
    #[arg(long, conflicts_with = "soak")]
    measure: bool,
    /// Watch the memory of the server for so many minutes, instead of checking
    #[arg(long, value_name = "MINUTES")]
    soak: Option<u32>,
    /// Options for load.py: `-- --help` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Server {
    /// The crate s3s-fs
    S3s,
    /// The Go module versitygw
    Versitygw,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    require_programs(&[("python3", "python3"), ("patch", "patch"), ("wrk", "wrk")])?;
    for server in Server::value_variants() {
        if args.only.is_none_or(|only| only == *server) {
            load(args, *server)?;
        }
    }
    Ok(())
}

fn load(args: &Args, server: Server) -> Result<()> {
    let (name, program) = match server {
        Server::S3s => ("s3s", build_s3s()?),
        Server::Versitygw => ("versitygw", build_versitygw()?),
    };
    let mut load = Command::new("python3");
    load.arg(examples().join("load.py"));
    load.arg(match args {
        Args { measure: true, .. } => "measure",
        Args { soak: Some(_), .. } => "soak",
        _ => "check",
    });
    load.arg(name).arg(program);
    if let Some(minutes) = args.soak {
        load.args(["--seconds", &(minutes * 60).to_string()]);
    }
    announce(load.args(&args.options))
}

fn examples() -> PathBuf {
    root().join("examples").join("s3-server")
}

fn folder(name: &str) -> PathBuf {
    target().join("s3-server").join(name)
}

fn build_s3s() -> Result<PathBuf> {
    let folder = folder("s3s");
    patched(&folder, "s3s.patch", || fetch_crates(&folder))?;
    let mut build = cargo();
    build.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
    announce(build.args(["build", "--release", "-p", "s3s-fs", "--features", "binary"]))?;
    Ok(folder.join("target/release/s3s-fs"))
}

/// Copies s3s and s3s-fs into a workspace of their own.
fn fetch_crates(folder: &Path) -> Result<()> {
    let fetch = folder.join("fetch");
    fs::create_dir_all(fetch.join("src"))?;
    fs::write(fetch.join("src/lib.rs"), "")?;
    let package = "[package]\nname = \"fetch\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    fs::write(fetch.join("Cargo.toml"), format!("{package}s3s-fs = \"={S3S}\"\n"))?;
    let metadata = output(cargo().current_dir(&fetch).args(["metadata", "--format-version=1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    for name in ["s3s", "s3s-fs"] {
        let mut packages = metadata["packages"].as_array().into_iter().flatten();
        let package = packages.find(|package| package["name"] == name);
        let manifest = package.and_then(|package| package["manifest_path"].as_str());
        let sources = Path::new(manifest.with_context(|| format!("no sources of {name}"))?);
        copy(sources.parent().context("a manifest in a folder")?, &folder.join(name))?;
    }
    fs::remove_dir_all(fetch)?;
    let body = root().join("extras/hashlanes-body");
    let workspace = format!(
        "[workspace]\nmembers = [\"s3s\", \"s3s-fs\"]\nresolver = \"3\"\n\
         [workspace.dependencies]\nhashlanes-body.path = {body:?}\n\
         [patch.crates-io]\ns3s.path = \"s3s\"\n[profile.release]\nopt-level = 2\n\
         # Its 150,000 lines are mostly generated, and none of them hash.\n\
         package.s3s.opt-level = 1\n"
    );
    Ok(fs::write(folder.join("Cargo.toml"), workspace)?)
}

fn build_versitygw() -> Result<PathBuf> {
    let folder = folder("versitygw");
    patched(&folder, "versitygw.patch", || fetch_module(&folder))?;
    let program = folder.join("target").join("versitygw");
    let mut build = go("go")?;
    build.current_dir(&folder).args(["build", "-o"]).arg(&program).arg("./cmd/versitygw");
    announce(&mut build)?;
    Ok(program)
}

/// Copies versitygw, and lets it find our module.
fn fetch_module(folder: &Path) -> Result<()> {
    let (module, version) = VERSITYGW;
    let download =
        output(go("go")?.args(["mod", "download", "-json"]).arg(format!("{module}@{version}")))?;
    let download: serde_json::Value = serde_json::from_str(&download)?;
    copy(Path::new(download["Dir"].as_str().context("no sources of versitygw")?), folder)?;
    // The copies are read-only.
    announce(Command::new("chmod").args(["-R", "u+w"]).arg(folder))?;
    let replace = format!("-replace=hashlanes={}", root().join("go").display());
    let mut edit = go("go")?;
    edit.current_dir(folder).args(["mod", "edit", "-require=hashlanes@v0.0.0"]);
    announce(edit.arg(replace))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    announce(Command::new("cp").arg("-r").arg(from).arg(to))
}

/// Fetches sources into a folder and patches them, unless that has been done with this patch.
fn patched(folder: &Path, patch: &str, fetch: impl FnOnce() -> Result<()>) -> Result<()> {
    let file = examples().join(patch);
    let (patch, applied) = (fs::read(&file)?, folder.with_extension("patched"));
    if fs::read(&applied).is_ok_and(|applied| applied == patch) {
        return Ok(());
    }
    remove(folder)?;
    fs::create_dir_all(folder.parent().context("a folder under the target folder")?)?;
    fetch()?;
    announce(Command::new("patch").args(["-p1", "-d"]).arg(folder).arg("-i").arg(file))?;
    Ok(fs::write(applied, patch)?)
}
