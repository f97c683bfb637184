//! `hashlanes info`: what this CPU can run, and what would run.

use std::process::ExitCode;

use hashlanes::Algorithm;

/// Show the CPU's features and the kernels of each algorithm.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: Args) -> ExitCode {
    for algorithm in Algorithm::ALL {
        for kernel in algorithm.kernels() {
            println!("{algorithm} {} {} {:?}", kernel.name, kernel.lanes, kernel.missing);
        }
    }
    ExitCode::SUCCESS
}
