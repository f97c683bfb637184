//! `cargo xtask loom`: models of threads that share state, in every possible order.

use anyhow::Result;

use crate::command::{cargo, run as announce};
use crate::tested;

/// Run the models under loom: of the server's queue (`server::model`) and of the pool of workers
/// (`ordered::model`).
///
/// Each explores every interleaving of its threads, up to the number of preemptions that it sets, 1
/// to 4.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Explore at most this many preemptions, which is faster and proves less
    #[arg(long)]
    preemptions: Option<u32>,
    /// Leave out models with this in their names; repeatable
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,
    /// Do nothing if what they model has not changed since they passed with the same options, which
    /// `.ci/tested` tells
    #[arg(long)]
    if_changed: bool,
    /// Run only models with one of these in their names
    filter: Vec<String>,
}

/// The models, and what they model. That what a round hashes is hashed right is for other tests.
const SOURCES: [&str; 3] =
    ["crates/hashlanes-pool/src/ordered.rs", "crates/hashlanes/src/server", "models"];

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.filter.is_empty() {
        return explore(args);
    }
    let preemptions = args.preemptions.map(|most| format!("--preemptions={most}"));
    let skipped = args.skip.iter().map(|name| format!("--skip={name}"));
    let name = ["loom".to_owned()].into_iter().chain(preemptions).chain(skipped);
    let name = name.collect::<Vec<_>>().join(",");
    tested::test(&name, &SOURCES, args.if_changed, || explore(args))
}

fn explore(args: &Args) -> Result<()> {
    let mut command = cargo();
    // A separate profile: its flag changes everything, so the results have their own folders.
    command.args(["test", "--profile", "loom", "--lib"]);
    command.args(["-p", "hashlanes", "-p", "hashlanes-models", "--"]);
    if args.filter.is_empty() {
        command.arg("model::");
    }
    command.args(&args.filter);
    command.args(args.skip.iter().flat_map(|name| ["--skip", name]));
    command.env("RUSTFLAGS", "--cfg loom");
    if let Some(preemptions) = args.preemptions {
        command.env("LOOM_MAX_PREEMPTIONS", preemptions.to_string());
    }
    announce(&mut command)
}
