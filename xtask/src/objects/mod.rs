//! `cargo xtask objects`: the program against real object stores, started here, and against their
//! faults; see `crates/hashlanes-objects/tests/programs` and docs/design/testing.md.

mod faults;
mod install;
mod kill;
mod kind;
mod proxy;
mod random;
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

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
    /// The modules in `crates/hashlanes-objects/tests/programs` to run, `faults` and `kills`
    /// [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Modules that compare, each with a function `check`.
const CHECKS: [&str; 3] = ["stores", "refusals", "changes"];

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
    let scripts = Scripts { packages, program, folder: folder.0.clone() };
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|it| it == name);
    for module in CHECKS.into_iter().filter(|module| wanted(module)) {
        scripts.run("oracles.py", module, &servers)?;
    }
    let s3 = servers.iter().rfind(|server| server.kind.is_s3()).context("no S3 server")?;
    if wanted("faults") {
        let count = args.faults.unwrap_or(if args.all { 10_000 } else { 100 });
        faults::run(&scripts, s3, count)?;
    }
    if wanted("kills") {
        let count = args.kills.unwrap_or(if args.all { 200 } else { 5 });
        kill::run(&scripts, s3, count)?;
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

/// The program under test, and the scripts that drive it and the servers.
struct Scripts {
    packages: PathBuf,
    program: PathBuf,
    folder: PathBuf,
}

impl Scripts {
    /// Runs a script with its module or task, and with the URLs of the servers.
    fn run(&self, script: &str, argument: &str, servers: &[Server]) -> Result<()> {
        let urls = servers.iter().map(|server| (server.kind.name().to_owned(), &*server.url));
        let urls: serde_json::Map<_, _> = urls.map(|(name, url)| (name, url.into())).collect();
        let script = root().join("crates/hashlanes-objects/tests/programs").join(script);
        let mut command = Command::new("python3");
        command.arg(script).arg(&self.program).arg(&self.folder).arg(argument);
        command.env("HASHLANES_SERVERS", serde_json::Value::Object(urls).to_string());
        command.env("PYTHONPATH", &self.packages).env("PYTHONDONTWRITEBYTECODE", "1");
        announce(&mut command)
    }

    /// The program, with the environment with which users name a server of S3 by its URL.
    fn program(&self, endpoint: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env_remove("HASHLANES_KERNEL");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("AWS_") {
                command.env_remove(name);
            }
        }
        command.env("AWS_ENDPOINT_URL", endpoint).env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ACCESS_KEY_ID", server::ACCESS).env("AWS_REGION", "us-east-1");
        command.env("AWS_SECRET_ACCESS_KEY", server::SECRET);
        command
    }
}

fn unusable(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
