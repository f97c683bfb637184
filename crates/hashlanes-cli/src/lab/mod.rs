//! The program `hashlanes-lab`, which measures this machine. Builds without the feature `lab` leave
//! it out.

mod bench;
mod chart;
mod memory;
mod simulate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::process::inherited;
use crate::terminal::usage;

/// Measure how fast this machine hashes in lanes.
#[derive(Parser)]
#[command(name = "hashlanes-lab", version, max_term_width = 100, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Args),
    Simulate(simulate::Args),
}

/// Runs the program `hashlanes-lab` with the arguments of this process.
pub fn main() -> ExitCode {
    inherited::restore();
    match Cli::try_parse() {
        Ok(Cli { command: Command::Bench(args) }) => bench::run(args),
        Ok(Cli { command: Command::Simulate(args) }) => simulate::run(args),
        Err(error) => usage::shown(&error),
    }
}
