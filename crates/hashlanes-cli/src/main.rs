//! The `hashlanes` program: one module per subcommand, each with its `Args` and a `run`.

#![forbid(unsafe_code)]

mod arguments;
mod bench;
mod check;
mod info;
mod memory;
mod message;
mod options;
mod output;
mod random;
mod simulate;
mod size;
mod sum;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Hash many files side by side in the SIMD lanes of each core.
#[derive(Parser)]
#[command(name = "hashlanes", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Sum(sum::Args),
    Check(check::Args),
    Bench(bench::Args),
    Simulate(simulate::Args),
    Random(random::Args),
    Info(info::Args),
}

fn main() -> ExitCode {
    // clap exits with status 2 on wrong usage, as documented.
    match Cli::parse_from(arguments::arguments()).command {
        Command::Sum(args) => sum::run(args),
        Command::Check(args) => check::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Random(args) => random::run(&args),
        Command::Info(args) => info::run(args),
    }
}
