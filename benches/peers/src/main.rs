//! hashlanes beside other engines: one run, one core, in turns. Run by `cargo xtask peers`.
//!
//! For each algorithm and each set of messages (a *workload*), every engine hashes the same messages in turns, A B C A B C,
//! all on the core that this process is pinned to. Every digest of every sample is compared with the reference outside of
//! the timed part. What comes out goes to `docs/benchmarks.md` with pictures and the raw figures beside it, or only to the
//! screen.

mod engine;
mod engines;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use hashlanes::{Algorithm, KernelInfo};
use hashlanes_measure::bound::Bound;
use hashlanes_measure::cpu::{self, Cpu};
use hashlanes_measure::messages::{Expected, Lengths, Messages, Random};
use hashlanes_measure::sample::{Figures, Sample, ratio, repetitions};
use hashlanes_measure::stats::Spread;
use serde::Serialize;

use engine::{ALGORITHMS, Engine, Found, Missing};

/// Measure hashlanes beside every other engine that this machine has
#[derive(Parser)]
#[command(name = "cargo xtask peers", max_term_width = 100)]
struct Args {
    /// Hash function; repeatable [default: md5, sha1, sha256, sha512]
    #[arg(short, long = "algorithm", value_name = "ALG", value_delimiter = ',')]
    algorithms: Vec<Algorithm>,

    /// Only engines whose name contains this, in any case; repeatable. hashlanes always takes part
    #[arg(long = "engine", value_name = "NAME", value_delimiter = ',')]
    engines: Vec<String>,

    /// Samples of each figure (of more than 64 MiB of messages at most 3)
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    samples: u32,

    /// How long a sample takes at least, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    sample_time: u64,

    /// Leave out messages of mixed lengths
    #[arg(long)]
    no_mixed: bool,

    /// Write the result to FOLDER/benchmarks.md, with pictures and raw figures in FOLDER/benchmarks, rather than to the screen
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,

    /// What this machine is called in that page and in the names of the files [default: by its core]
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
}

/// Lengths and numbers of the messages.
const UNIFORM: [usize; 7] = [16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
const UNIFORM_MESSAGES: usize = 64;
const MIXED: [(usize, usize); 3] = [(16, 1 << 10), (64, 64 << 10), (64, 1 << 20)];
const MIXED_MESSAGES: usize = 4096;

/// Whether messages can stay in some cache from one run to the next, so that a first run warms it.
fn fits_some_cache(bytes: usize) -> bool {
    bytes <= 64 << 20
}

/// Figures of all engines for one algorithm and one set of messages.
#[derive(Serialize)]
struct Row {
    algorithm: &'static str,
    messages: usize,
    shortest: usize,
    longest: usize,
    bytes: usize,
    /// The most that the core could reach with the kernels of hashlanes, padding included.
    bound: Option<Bound>,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Outcome {
    engine: String,
    /// `None` if the engine failed, or gave a wrong digest.
    figures: Option<Figures>,
    /// How many times as fast hashlanes is, by rounds.
    hashlanes_ratio: Option<Spread>,
    error: Option<String>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let pinned = cpu::allowed().last().copied().filter(|&last| cpu::pin(last));
    let (mut engines, missing) = chosen(&args);
    for Missing { name, reason, remedy } in &missing {
        eprintln!("missing: {name}: {reason}\n  to have it: {remedy}");
    }
    let mut random = Random::new(None);
    let core = Cpu::detect();
    let algorithms = if args.algorithms.is_empty() { &ALGORITHMS } else { args.algorithms.as_slice() };
    let mut workloads: Vec<(Lengths, usize)> =
        UNIFORM.iter().map(|&length| (Lengths::Uniform(length), UNIFORM_MESSAGES)).collect();
    if !args.no_mixed {
        workloads.extend(MIXED.iter().map(|&(low, high)| (Lengths::LogUniform(low, high), MIXED_MESSAGES)));
    }

    let mut rows = Vec::new();
    for &algorithm in algorithms {
        for &(lengths, messages) in &workloads {
            eprintln!("{algorithm}: {messages} messages of {lengths}");
            let messages = Messages::new(lengths, messages, &mut random);
            rows.push(measure(&args, &mut engines, algorithm, lengths, messages, &core, &mut random));
        }
    }
    let ours_failed = rows
        .iter()
        .any(|row| row.results.iter().any(|outcome| outcome.engine == "hashlanes" && outcome.error.is_some()));

    let report =
        report::Report { core, pinned, seed: random.seed(), engines: &engines, missing: &missing, rows: &rows };
    match &args.write {
        Some(folder) => report.write(folder, args.machine.as_deref()).context("cannot write the report")?,
        None => print!("{}", report.markdown("", "")),
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

/// An engine in the course of one workload.
struct Runner<'a> {
    engine: &'a mut dyn Engine,
    times: u32,
    samples: Vec<Sample>,
    error: Option<String>,
}

fn measure(
    args: &Args,
    engines: &mut [Box<dyn Engine>],
    algorithm: Algorithm,
    lengths: Lengths,
    mut messages: Messages,
    core: &Cpu,
    random: &mut Random,
) -> Row {
    let expected = Expected::of(algorithm, &messages);
    let mut digests = vec![0; messages.len() * algorithm.digest_len()];
    let mut runners: Vec<Runner<'_>> = engines
        .iter_mut()
        .filter(|engine| engine.supports(algorithm))
        .map(|engine| Runner { engine: engine.as_mut(), times: 1, samples: Vec::new(), error: None })
        .collect();
    let rounds = if fits_some_cache(messages.total()) { args.samples } else { args.samples.min(3) };
    // The first round is not kept: it tells how long a run takes.
    for round in 0..=rounds {
        messages.shuffle(random);
        let slices = messages.slices();
        for runner in runners.iter_mut().filter(|runner| runner.error.is_none()) {
            // No digest of another engine may pass for one of this.
            digests.fill(0);
            let sample = runner.sample(algorithm, &messages, &slices, &mut digests);
            match sample.and_then(|sample| Ok(expected.check(&messages, &digests).map(|()| sample)?)) {
                Ok(sample) if round == 0 => {
                    let once = Duration::from_secs_f64(messages.total() as f64 / sample.per_second);
                    runner.times = repetitions(once, Duration::from_millis(args.sample_time));
                }
                Ok(sample) => runner.samples.push(sample),
                Err(error) => {
                    eprintln!("{}: {error:#}", runner.engine.name());
                    runner.error = Some(format!("{error:#}"));
                }
            }
        }
    }

    let kernels: Vec<KernelInfo> = algorithm.kernels().filter(KernelInfo::is_available).collect();
    let alike = matches!(lengths, Lengths::Uniform(_)).then_some(messages.len());
    let (bytes, padded) = (messages.total(), messages.padded(algorithm));
    let (Lengths::Uniform(shortest) | Lengths::LogUniform(shortest, _)) = lengths;
    Row {
        algorithm: algorithm.name(),
        messages: messages.len(),
        shortest,
        longest: lengths.at_most(1),
        bytes,
        bound: Bound::of(core.core, algorithm, &kernels, alike)
            .map(|bound| Bound { bytes_per_cycle: bound.bytes_per_cycle * bytes as f64 / padded as f64, ..bound }),
        results: runners
            .iter()
            .map(|runner| {
                // An engine that failed once has no figures at all.
                let samples =
                    |runner: &Runner<'_>| if runner.error.is_none() { runner.samples.clone() } else { Vec::new() };
                Outcome {
                    engine: runner.engine.name().to_owned(),
                    figures: Figures::of(&samples(runner)),
                    hashlanes_ratio: ratio(&samples(&runners[0]), &samples(runner)),
                    error: runner.error.clone(),
                }
            })
            .collect(),
    }
}

impl Runner<'_> {
    fn sample(
        &mut self,
        algorithm: Algorithm,
        messages: &Messages,
        slices: &[&[u8]],
        digests: &mut [u8],
    ) -> Result<Sample> {
        if fits_some_cache(messages.total()) {
            self.engine.hash(algorithm, slices, digests)?;
            digests.fill(0);
        }
        let (engine, times) = (&mut *self.engine, self.times);
        Sample::take(messages.total() as u64 * u64::from(times), || engine.time(algorithm, slices, digests, times))
    }
}
