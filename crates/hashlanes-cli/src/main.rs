//! The `hashlanes` program: one module per subcommand, each with its `Args` and a `run`.

#![deny(unsafe_code)]

mod allocator;
mod arguments;
mod base;
mod bench;
mod check;
mod completions;
mod dedup;
mod format;
mod gnu;
mod info;
mod inherited;
mod interrupt;
mod man;
mod memory;
mod message;
mod names;
mod options;
mod output;
mod random;
mod resume;
mod simulate;
mod size;
mod sum;
mod sum_check;
mod threads;
mod torrent;
mod tree;
mod trees;
mod watch;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Hash many files side by side in the SIMD lanes of each core.
#[derive(Parser)]
#[command(name = "hashlanes", version, max_term_width = 100, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Sum(sum::Args),
    Check(check::Args),
    Tree(Box<trees::Args>),
    Bench(bench::Args),
    Simulate(simulate::Args),
    Random(random::Args),
    Dedup(dedup::census::Args),
    Info(info::Args),
    InstallLinks(gnu::links::Args),
    InstallCompletions(completions::Args),
    Man(man::Args),
}

fn main() -> ExitCode {
    inherited::restore();
    let arguments: Vec<_> = arguments::arguments().collect();
    if let Some(tool) = arguments.first().and_then(|program| gnu::tool(program)) {
        return gnu::run(tool, arguments);
    }
    let cli = match Cli::try_parse_from(sum_check::rewrite(arguments)) {
        Ok(cli) => cli,
        Err(error) => return shown(&error),
    };
    match cli.command {
        Command::Sum(args) => sum::run(args),
        Command::Check(args) => check::run(args),
        Command::Tree(args) => trees::run(*args),
        Command::Bench(args) => bench::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Random(args) => random::run(&args),
        Command::Dedup(args) => dedup::census::run(args),
        Command::Info(args) => info::run(args),
        Command::InstallLinks(args) => gnu::links::run(&args),
        Command::InstallCompletions(args) => completions::run(args),
        Command::Man(args) => man::run(&args),
    }
}

/// Shows what clap has to say instead of arguments: help and the version on the standard output,
/// wrong usage on the standard error with exit status 2. clap would not tell if the output fails.
fn shown(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let _ = error.print();
        return message::usage();
    }
    let text = if io::stdout().is_terminal() {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    match output::write(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => message::output_failed(&error),
    }
}
