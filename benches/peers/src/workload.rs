//! A workload: one algorithm and one set of messages, which all engines hash in turns.

use std::time::Duration;

use anyhow::Result;
use hashlanes::Algorithm;
use hashlanes::kernels::KernelInfo;
use hashlanes_measure::bound::Bound;
use hashlanes_measure::cpu::Cpu;
use hashlanes_measure::messages::{Expected, Lengths, Messages, Random};
use hashlanes_measure::sample::{Figures, Sample, ratio, repetitions};
use hashlanes_measure::stats::Spread;

use crate::engine::Engine;

/// Figures of all engines for one workload.
pub(crate) struct Row {
    pub(crate) algorithm: &'static str,
    pub(crate) messages: usize,
    pub(crate) shortest: usize,
    pub(crate) longest: usize,
    /// The links of each chain, if the messages are the beginnings of hash chains.
    pub(crate) links: Option<u64>,
    /// The bound of the core with the kernels of hashlanes, padding included.
    pub(crate) bound: Option<Bound>,
    pub(crate) results: Vec<Outcome>,
}

pub(crate) struct Outcome {
    pub(crate) engine: String,
    /// `None` if the engine failed or gave a wrong digest.
    pub(crate) figures: Option<Figures>,
    /// How many times as fast hashlanes is, compared round by round.
    pub(crate) hashlanes_ratio: Option<Spread>,
    pub(crate) error: Option<String>,
}

pub(crate) struct Workload {
    algorithm: Algorithm,
    lengths: Lengths,
    /// The links of each chain, if the messages are the beginnings of hash chains.
    links: Option<u64>,
    messages: Messages,
    expected: Expected,
    /// Room for the digests.
    digests: Vec<u8>,
    /// hashlanes is the first.
    runners: Vec<Runner>,
}

/// An engine that takes part in a workload.
struct Runner {
    /// Its index in the list of all engines.
    engine: usize,
    /// How many times the messages are hashed per sample.
    times: u32,
    samples: Vec<Sample>,
    error: Option<String>,
}

/// The maximum number of rounds for messages that no cache can hold, since they take long.
const FEW: u32 = 3;

/// Whether some cache can hold the messages. Then a run that is not timed fills it first.
pub(crate) fn fits_some_cache(bytes: usize) -> bool {
    bytes <= 64 << 20
}

impl Workload {
    pub(crate) fn new(
        algorithm: Algorithm,
        lengths: Lengths,
        count: usize,
        engines: &[Box<dyn Engine>],
        random: &mut Random,
    ) -> Self {
        let messages = Messages::new(lengths, count, random);
        let runner = |(engine, _)| Runner { engine, times: 1, samples: Vec::new(), error: None };
        Self {
            algorithm,
            lengths,
            links: None,
            expected: Expected::of(algorithm, &messages),
            messages,
            digests: vec![0; count * algorithm.digest_len()],
            runners: engines
                .iter()
                .enumerate()
                .filter(|(_, engine)| engine.supports(algorithm))
                .map(runner)
                .collect(),
        }
    }

    /// Hash chains of `links` links each.
    pub(crate) fn of_chains(
        algorithm: Algorithm,
        links: u64,
        count: usize,
        engines: &[Box<dyn Engine>],
        random: &mut Random,
    ) -> Self {
        let lengths = Lengths::Uniform(algorithm.digest_len());
        let mut chains = Self::new(algorithm, lengths, count, engines, random);
        chains.links = Some(links);
        chains.expected = Expected::of_chains(algorithm, &chains.messages, links);
        chains.runners.retain(|runner| engines[runner.engine].has_chains(algorithm));
        chains
    }

    /// Takes a sample of every engine. Round 0 only tells how long a run takes, and is not kept.
    pub(crate) fn round(
        &mut self,
        round: u32,
        engines: &mut [Box<dyn Engine>],
        sample_time: Duration,
        random: &mut Random,
    ) {
        let Self { algorithm, lengths, links, messages, expected, digests, runners } = self;
        let warm = fits_some_cache(messages.total());
        if !warm && round > FEW {
            return;
        }
        // hashtree takes only nodes that are one after the other in memory.
        if *lengths != Lengths::Uniform(64) {
            messages.shuffle(random);
        }
        let slices = messages.slices();
        let begin = slices.concat();
        for runner in runners.iter_mut().filter(|runner| runner.error.is_none()) {
            let engine = engines[runner.engine].as_mut();
            let mut sample = || -> Result<Sample> {
                let bytes = messages.total() as u64 * u64::from(runner.times);
                if let Some(links) = *links {
                    digests.copy_from_slice(&begin);
                    engine.chain(*algorithm, digests, links)?;
                    expected.check(messages, digests)?;
                    return Sample::take(bytes * links, || {
                        engine.time_chains(*algorithm, digests, links, runner.times)
                    });
                }
                if warm {
                    engine.hash(*algorithm, &slices, digests)?;
                }
                // No digest of another engine may be mistaken for one of this engine.
                digests.fill(0);
                let sample = Sample::take(bytes, || {
                    engine.time(*algorithm, &slices, digests, runner.times)
                })?;
                expected.check(messages, digests)?;
                Ok(sample)
            };
            match sample() {
                Ok(sample) if round == 0 => {
                    let bytes = messages.total() as f64 * links.unwrap_or(1) as f64;
                    let once = Duration::from_secs_f64(bytes / sample.per_second);
                    runner.times = repetitions(once, sample_time);
                }
                Ok(sample) => runner.samples.push(sample),
                Err(error) => {
                    eprintln!("{}: {error:#}", engine.name());
                    runner.error = Some(format!("{error:#}"));
                }
            }
        }
    }

    pub(crate) fn row(&self, engines: &[Box<dyn Engine>], cpu: &Cpu) -> Row {
        let Self { algorithm, lengths, messages, runners, .. } = self;
        let kernels: Vec<KernelInfo> =
            algorithm.kernels().filter(KernelInfo::is_available).collect();
        let alike = matches!(lengths, Lengths::Uniform(_)).then_some(messages.len());
        let (bytes, padded) = (messages.total(), messages.padded(*algorithm));
        let (Lengths::Uniform(shortest) | Lengths::LogUniform(shortest, _)) = *lengths;
        // An engine that failed once gets no figures at all.
        let samples = |runner: &Runner| {
            if runner.error.is_none() { runner.samples.clone() } else { Vec::new() }
        };
        let ours = runners.first().map(samples).unwrap_or_default();
        let outcome = |runner: &Runner| Outcome {
            engine: engines[runner.engine].name().to_owned(),
            figures: Figures::of(&samples(runner)),
            hashlanes_ratio: ratio(&ours, &samples(runner)),
            error: runner.error.clone(),
        };
        Row {
            algorithm: algorithm.name(),
            messages: messages.len(),
            shortest,
            longest: lengths.at_most(1),
            links: self.links,
            bound: Bound::of(cpu.core, *algorithm, &kernels, alike).map(|bound| Bound {
                bytes_per_cycle: bound.bytes_per_cycle * bytes as f64 / padded as f64,
                ..bound
            }),
            results: runners.iter().map(outcome).collect(),
        }
    }
}
