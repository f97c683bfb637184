//! TLS records beside OpenSSL: `cargo run --release -p hashlanes-bench-records`.
//!
//! Everything that a section compares is sampled in turns, A B A B, on one pinned core. A figure is
//! the median of its samples, and a ratio the median of the ratios of one round each.

#![forbid(unsafe_code)]

mod cbc;
mod contender;
mod hmac;
mod open;
mod records;
mod speed;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Parser;
use hashlanes_measure::cpu::{self, Cpu};

/// Seal TLS records beside OpenSSL on one core.
#[derive(Parser)]
#[command(name = "hashlanes-bench-records", max_term_width = 100)]
struct Args {
    /// Rounds, which are the samples of each figure
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Milliseconds of one of our samples
    #[arg(long, default_value_t = 100)]
    sample_ms: u64,
    /// Seconds of one sample of `openssl speed`
    #[arg(long, default_value_t = 1)]
    seconds: u32,
    /// The CPU to run on [default: the last one that this process may use]
    #[arg(long)]
    cpu: Option<usize>,
    /// Only suites and sections with this in their names: AES128-SHA256, cbc, hmac
    #[arg(long)]
    only: Option<String>,
}

/// How long to measure.
#[derive(Clone, Copy)]
struct Plan {
    rounds: usize,
    sample: Duration,
    seconds: u32,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hashlanes-bench-records: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let cpu = args.cpu.or_else(|| cpu::allowed().last().copied());
    match cpu {
        Some(cpu) if cpu::pin(cpu) => println!("{}, CPU {cpu}", Cpu::detect().name),
        Some(cpu) => bail!("cannot run on CPU {cpu}"),
        None => println!("{}, not pinned", Cpu::detect().name),
    }
    println!("{}", openssl::version::version());
    let plan = Plan {
        rounds: args.rounds.max(1),
        sample: Duration::from_millis(args.sample_ms),
        seconds: args.seconds.max(1),
    };
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    records::run(plan, wanted)?;
    if wanted("cbc") {
        cbc::run(plan)?;
    }
    if wanted("hmac") {
        hmac::run(plan)?;
    }
    Ok(())
}
