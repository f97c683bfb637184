//! `cargo xtask loom`: models of threads that share something, in every order that is possible.

use anyhow::Result;

use crate::command::{cargo, run as announce};

/// Run the models under loom: of the server's queue (`server::model`), of simulate's exchange
/// (`exchange::model`) and of the pool of workers (`ordered::model`).
///
/// Each explores every interleaving of its threads with at most as many preemptions as it says, 1
/// to 4.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Explore no more than so many preemptions, which is faster and shows less.
    #[arg(long)]
    preemptions: Option<u32>,
    /// Leave out the models with this in their names. Repeatable.
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,
    /// Only models with one of these in their names.
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = cargo();
    // A profile of its own: another flag for everything, and folders of their own for what comes of
    // it.
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
