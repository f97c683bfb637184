//! Measures hashlanes beside other engines, in one run on one core. `cargo xtask peers` runs this.
//!
//! For each algorithm and each set of messages (a *workload*), all engines hash the same messages
//! in turns, A B C A B C, on the core that this process is pinned to. Every digest of every sample
//! is compared with the reference, outside the timed part. The results go to a table in
//! `docs/record`, or to the screen as a page.

#![deny(unsafe_code)]

mod engine;
mod engines;
mod report;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use hashlanes::Algorithm;
use hashlanes_measure::cpu::{self, Cpu};
use hashlanes_measure::messages::{Lengths, Random};

use engine::{Engine, Found, Missing, USUAL};
use workload::Workload;

/// Measure hashlanes beside every other engine that this machine has
#[derive(Parser)]
#[command(name = "cargo xtask peers", max_term_width = 100)]
struct Args {
    /// Hash function; repeatable [default: md5, sha1, sha256, sha512]
    #[arg(short, long = "algorithm", value_name = "ALG", value_delimiter = ',')]
    algorithms: Vec<Algorithm>,

    /// Measure only engines whose name contains this, in any case; repeatable. hashlanes always
    /// takes part
    #[arg(long = "engine", value_name = "NAME", value_delimiter = ',')]
    engines: Vec<String>,

    /// Length of the messages of equal length, in bytes; repeatable [default: 16 B to 64 KiB]
    #[arg(
        long = "size",
        value_name = "LENGTH",
        value_delimiter = ',',
        default_values_t = [16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10],
        hide_default_value = true
    )]
    sizes: Vec<usize>,

    /// Number of messages of equal length; repeatable
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_value = "64",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    messages: Vec<u32>,

    /// Measure hash chains of this many links in place of messages, with the engines that have a
    /// function for them. --messages are the numbers of chains
    #[arg(
        long,
        value_name = "LINKS",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        conflicts_with_all = ["sizes", "no_mixed"]
    )]
    chains: Option<u64>,

    /// Samples of each figure (at most 3 where messages have more than 64 MiB in all)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    samples: u32,

    /// How long a sample takes at least, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=10_000)
    )]
    sample_time: u64,

    /// Leave out messages of mixed lengths
    #[arg(long)]
    no_mixed: bool,

    /// Write a table to a folder in FOLDER, instead of printing the page
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,

    /// Name of the folder in FOLDER [default: by the core]
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,

    /// First part of the files' names
    #[arg(long, value_name = "SUBJECT", default_value = "peers")]
    subject: String,
}

/// Ranges of mixed lengths, and how many messages there are.
const MIXED: [(usize, usize); 3] = [(16, 1 << 10), (64, 64 << 10), (64, 1 << 20)];
const MIXED_MESSAGES: usize = 4096;

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    // Ask before anything is written, which would make the working tree dirty.
    let commit = report::commit();
    let pinned = cpu::allowed().last().copied().filter(|&last| cpu::pin(last));
    let (mut engines, missing) = chosen(&args);
    for Missing { name, reason, remedy } in &missing {
        eprintln!("missing: {name}: {reason}\n  to have it: {remedy}");
    }
    let mut random = Random::new(None);
    let core = Cpu::detect();
    let algorithms = if args.algorithms.is_empty() { USUAL } else { args.algorithms.as_slice() };
    let load_before = report::load();
    let uniform = |&messages: &u32| {
        args.sizes.iter().map(move |&length| (Lengths::Uniform(length), messages as usize))
    };
    let mut workloads: Vec<(Lengths, usize)> = args.messages.iter().flat_map(uniform).collect();
    if !args.no_mixed && args.chains.is_none() {
        workloads.extend(
            MIXED.iter().map(|&(low, high)| (Lengths::LogUniform(low, high), MIXED_MESSAGES)),
        );
    }

    let mut rows = Vec::new();
    for &algorithm in algorithms {
        eprintln!("{algorithm}: preparing messages and their digests");
        let mut workloads: Vec<Workload> = match args.chains {
            Some(links) => (args.messages.iter())
                .map(|&count| {
                    let count = count as usize;
                    Workload::of_chains(algorithm, links, count, &engines, &mut random)
                })
                .collect(),
            None => (workloads.iter())
                .map(|&(lengths, messages)| {
                    Workload::new(algorithm, lengths, messages, &engines, &mut random)
                })
                .collect(),
        };
        // Every round has all workloads. So a short disturbance of the machine affects one sample
        // of each workload, not all samples of one.
        for round in 0..=args.samples {
            eprintln!("{algorithm}: round {round} of {}", args.samples);
            for workload in &mut workloads {
                workload.round(
                    round,
                    &mut engines,
                    Duration::from_millis(args.sample_time),
                    &mut random,
                );
            }
        }
        rows.extend(workloads.iter().map(|workload| workload.row(&engines, &core)));
    }
    let ours_failed = rows.iter().any(|row| {
        row.results.iter().any(|outcome| outcome.engine == "hashlanes" && outcome.error.is_some())
    });

    let report = report::Report {
        core,
        commit,
        pinned,
        load: [load_before, report::load()],
        seed: random.seed(),
        engines: &engines,
        missing: &missing,
        rows: &rows,
    };
    match &args.write {
        Some(folder) => report
            .write(folder, args.machine.as_deref(), &args.subject)
            .context("cannot write the report")?,
        None => print!("{}", report.markdown()),
    }
    Ok(if ours_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The engines that take part, hashlanes first, and those that this machine lacks.
fn chosen(args: &Args) -> (Vec<Box<dyn Engine>>, Vec<Missing>) {
    let wanted = |name: &str| {
        let name = name.to_lowercase();
        args.engines.is_empty()
            || name == "hashlanes"
            || args.engines.iter().any(|part| name.contains(&part.to_lowercase()))
    };
    let (mut engines, mut missing) = (Vec::new(), Vec::new());
    for found in engines::all() {
        match found {
            found if !wanted(found.name()) => {}
            Found::Engine(engine) => engines.push(engine),
            Found::Missing(lack) => missing.push(lack),
        }
    }
    (engines, missing)
}
