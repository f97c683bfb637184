//! `cargo xtask objects`: the program against real object stores, started here, and against their
//! faults; see `crates/hashlanes-objects/tests/programs` and docs/design/testing.md.

mod install;
mod kind;
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use crate::command::{root, run as announce, target};
use crate::folder::Scratch;
use crate::programs;
use kind::Kind;
use server::Server;

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
    /// Only these servers, such as `versitygw`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    servers: Vec<String>,
    /// Start the servers, print their URLs, and wait for the end of the standard input
    #[arg(long)]
    serve: bool,
    /// The number of faults to inject [default: 100, or 10000 with --all]
    #[arg(long)]
    faults: Option<u64>,
    /// The number of times to kill the program [default: 5, or 200 with --all]
    #[arg(long)]
    kills: Option<u64>,
    /// Test the program of `cargo xtask test` instead of one for a release
    #[arg(long)]
    dev: bool,
    /// The program to test, instead of one that is compiled
    #[arg(long)]
    program: Option<PathBuf>,
    /// The modules in `crates/hashlanes-objects/tests/programs` to run: `stores`, `refusals`,
    /// `changes`, `faults`, `kills` [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Modules that compare, each with a function `check`.
const CHECKS: [&str; 5] = ["stores", "refusals", "changes", "faults", "kills"];

pub(crate) fn run(args: &Args) -> Result<()> {
    let kinds = kinds(args);
    let packages = install::all(&kinds)?;
    let folder = Scratch::new(&target().join("objects"))?;
    let servers: Vec<Server> = kinds
        .iter()
        .map(|&kind| Server::start(kind, &packages, &folder.0))
        .collect::<Result<_>>()?;
    if args.serve {
        return serve(&servers);
    }
    let program = match &args.program {
        Some(program) => program.clone(),
        None => programs::tested_or_released(args.dev)?,
    };
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|it| it == name);
    for module in CHECKS.into_iter().filter(|module| wanted(module)) {
        let count = match module {
            "faults" => args.faults.unwrap_or(if args.all { 10_000 } else { 100 }),
            "kills" => args.kills.unwrap_or(if args.all { 200 } else { 5 }),
            _ => 0,
        };
        let script = root().join("crates/hashlanes-objects/tests/programs/oracles.py");
        let urls = servers.iter().map(|server| (server.kind.name(), server.url.as_str()));
        let mut command = Command::new("python3");
        command.arg(script).arg(&program).arg(&folder.0).arg(module).arg(count.to_string());
        command.env("HASHLANES_SERVERS", json!(urls.collect::<BTreeMap<_, _>>()).to_string());
        command.env("PYTHONPATH", &packages).env("PYTHONDONTWRITEBYTECODE", "1");
        announce(command.env_remove("HASHLANES_KERNEL"))?;
    }
    Ok(())
}

/// The servers to start.
fn kinds(args: &Args) -> Vec<Kind> {
    let is_named = |kind: &Kind| args.servers.iter().any(|name| name == kind.name());
    match (args.all, args.servers.is_empty()) {
        (false, true) => Kind::QUICK.to_vec(),
        (true, true) => Kind::ALL.to_vec(),
        (_, false) => Kind::ALL.into_iter().filter(is_named).collect(),
    }
}

fn serve(servers: &[Server]) -> Result<()> {
    for server in servers {
        println!("{} {}", server.kind.name(), server.url);
    }
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}

fn unusable(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
