//! `hashlanes-lab bench`: measures throughput on this machine in bytes per core cycle, and compares
//! it with the upper bound of the core.
//!
//! A [`Case`](case::Case) is one line of the result: an algorithm, a kernel, some messages. Each
//! case has one or more contenders, and is about the first of them. All are sampled in turns, A B A
//! B, so that a disturbance slows down all of them alike. The crate `hashlanes-measure` takes the
//! samples and explains how.

mod case;
mod contender;
mod measure;
mod options;
mod report;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use hashlanes_measure::cpu::{self, Cpu};
use hashlanes_measure::messages::Random;

use crate::lab::chart;
use crate::terminal::message::{output_failed, reason, say, say_of};
use case::{cases, kernel_names, refuse};
use measure::{Setting, measure};
pub(crate) use options::Args;

pub(crate) fn run(args: Args) -> ExitCode {
    let kernels = kernel_names(&args);
    let cases = cases(&args, &kernels);
    let allowed = cpu::allowed();
    let threads = args.threads.get();
    if threads > allowed.len().max(1) {
        refuse(format!("--threads {threads}: this process may run on {} CPUs", allowed.len()));
    }
    // Take the last CPUs, since most interrupts go to the first ones.
    let mut cpus = allowed[allowed.len().saturating_sub(threads)..].to_vec();
    cpus.reverse();
    if !cpus.first().is_some_and(|&first| cpu::pin(first)) {
        cpus.clear();
    }
    // Report an error before the minutes of measuring, not after.
    let plot = match &args.plot {
        Some(path) => match chart::begin(path) {
            Ok(file) => Some((path, file)),
            Err(error) => return fail_at(path, &error),
        },
        None => None,
    };

    let mut random = Random::new(args.seed);
    let cpu = match args.core {
        Some(core) => Cpu::detect().with_core(core),
        None => Cpu::detect(),
    };
    let setting = Setting { cpu, cpus, seed: random.seed() };
    let mut outcomes = Vec::new();
    for case in cases {
        match measure(&args, &setting, case, &mut random) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                let kernel = case.kernel.unwrap_or("auto");
                say(format_args!("bench: kernel {kernel}: {error}"));
                return ExitCode::FAILURE;
            }
        }
    }
    let printed = if args.json {
        report::json(&args, &setting, &outcomes)
    } else {
        report::table(&args, &setting, &outcomes)
    };
    if let Err(error) = printed {
        return output_failed(&error);
    }
    if let Some((path, file)) = plot
        && let Err(error) = report::plot(&args, &setting, &outcomes, &file)
    {
        return fail_at(path, &error);
    }
    ExitCode::SUCCESS
}

/// Reports that a file cannot be written.
fn fail_at(path: &Path, error: &io::Error) -> ExitCode {
    say_of(path, reason(error));
    ExitCode::FAILURE
}
