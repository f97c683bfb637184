//! `cargo xtask loom`: models of threads that share state, in every possible order.

use anyhow::Result;

use crate::command::{cargo, run as announce};

/// Run the models under loom: of the server's queue (`server::model`), of simulate's exchange
/// (`exchange::model`) and of the pool of workers (`ordered::model`).
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
    /// Run only models with one of these in their names
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = cargo();
    // A separate profile: its flag changes everything, so the results have their own folders.
    command.args([
        "test",
        "--profile",
        "loom",
        "-p",
        "hashlanes",
        "-p",
        "hashlanes-models",
        "--lib",
        "--",
    ]);
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
