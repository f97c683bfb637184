//! `hashlanes-lab bench`: measures throughput on this machine in bytes per core cycle, and compares
//! it with the upper bound of the core.
//!
//! A [`Case`] is one line of the result: an algorithm, a kernel, some messages. Each case has one
//! or more contenders, and is about the first of them. All are sampled in turns, A B A B, so that a
//! disturbance slows down all of them alike. The crate `hashlanes-measure` takes the samples and
//! explains how.

mod contender;
mod report;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Barrier;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use hashlanes::{Algorithm, AnyEngine, KernelInfo};
use hashlanes_measure::bound::Bound;
use hashlanes_measure::clock;
use hashlanes_measure::cpu::{self, Core, Cpu};
use hashlanes_measure::messages::{Expected, Lengths, Messages, Random, WrongDigest};
use hashlanes_measure::sample::{Figures, Sample, ratio, repetitions};
use hashlanes_measure::stats::Spread;

use crate::lab::chart;
use crate::options::size::Size;
use crate::terminal::message::{output_failed, reason, say, say_of};
use contender::{Contender, Way, contender};

/// Measure throughput on this machine, in bytes per core cycle, beside what the core could do at
/// best
///
/// The clock is calibrated before and after every sample. Digests are verified outside the timed
/// part. Contenders are sampled in turns. docs/design/measuring.md explains the
/// figures and --json.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Hash function; repeatable [default: md5, sha1, sha256, sha512]
    #[arg(short, long = "algorithm", value_name = "ALG", value_delimiter = ',')]
    algorithms: Vec<Algorithm>,

    /// Length of every message, such as 64, 4KiB or 1MB; repeatable [default: 16, 64, 256, 1KiB,
    /// 4KiB, 64KiB]
    #[arg(long = "size", value_name = "SIZE", value_delimiter = ',')]
    sizes: Vec<Size>,

    /// Hash messages of mixed lengths from LO to HI, each order of magnitude as likely as any
    /// other, and compare with as many messages that all have the mean length; repeatable
    #[arg(long, value_name = "LO..HI", value_delimiter = ',')]
    mixed: Vec<Mixed>,

    /// Number of messages, a range such as 1..8, or a list of them [default: 64; with --mixed 4096]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    messages: Vec<Counts>,

    /// Threads, each pinned to a core and with messages of its own; with more than 1, also show the
    /// speed-up
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,

    /// Kernel to use: a name that `hashlanes info` shows, `auto` (the library's choice) or `all`;
    /// repeatable [default: auto]
    #[arg(long = "kernel", value_name = "NAME", value_delimiter = ',')]
    kernels: Vec<String>,

    /// The kind of this CPU's cores, for the bounds, if it is detected wrongly or not at all
    #[arg(long, value_name = "NAME", value_parser = core())]
    core: Option<Core>,

    /// Compare with hashing the same messages one after the other by single-message code
    #[arg(long, conflicts_with_all = ["manager", "out_of_cache"])]
    alone: bool,

    /// Hash through the manager `Lanes`, which gets messages in pieces of this size, and compare
    /// with digest_many
    #[arg(long, value_name = "PIECE", conflicts_with = "out_of_cache")]
    manager: Option<Size>,

    /// Hash 512 messages of 1 MiB, and compare with messages that stay in the cache and with
    /// reading memory only
    #[arg(long, conflicts_with_all = ["sizes", "mixed", "messages"])]
    out_of_cache: bool,

    /// Samples of each figure
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    samples: u32,

    /// Minimum duration of a sample, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=10_000)
    )]
    sample_time: u64,

    /// Seed for the messages and their lengths, to repeat a run [default: a new one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Draw throughput over message length as an SVG picture, or over the number of messages if
    /// only that differs
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// A parser for clap of the names of cores. For a wrong name it lists all that there are.
fn core() -> impl TypedValueParser<Value = Core> {
    PossibleValuesParser::new(Core::ALL.map(Core::name))
        .try_map(|name| Core::from_name(&name).ok_or("unknown core"))
}

/// `LO..HI`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mixed(Size, Size);

impl FromStr for Mixed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (low, high) =
            text.split_once("..").ok_or("lengths are written LO..HI, such as 16..1KiB")?;
        let parse = |size: &str| size.parse::<Size>().map_err(|error| format!("{size:?}: {error}"));
        let (low, high) = (parse(low)?, parse(high)?);
        if low.bytes() == 0 || low > high {
            return Err("LO is at least 1 byte and at most HI".to_owned());
        }
        Ok(Self(low, high))
    }
}

/// `N`, or `N..M` with both included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts(usize, usize);

impl Counts {
    const MOST: usize = 1 << 20;
}

impl FromStr for Counts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let parse =
            |count: &str| count.parse().ok().filter(|count| (1..=Self::MOST).contains(count));
        match (parse(first), parse(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self(first, last)),
            _ => Err(format!(
                "a number of messages is 1 to {}, or a range of them, such as 1..8",
                Self::MOST
            )),
        }
    }
}

/// The most bytes of messages per thread.
const MEMORY: usize = 4 << 30;

/// More than any cache holds.
const OUT_OF_CACHE: (Lengths, usize) = (Lengths::Uniform(1 << 20), 512);

/// One line of the result.
#[derive(Clone, Copy)]
struct Case<'a> {
    algorithm: Algorithm,
    /// `None` for the library's choice.
    kernel: Option<&'a str>,
    lengths: Lengths,
    messages: usize,
}

/// What was measured in one case.
struct Outcome<'a> {
    case: Case<'a>,
    /// Total bytes of one thread's messages.
    bytes: usize,
    figures: Figures,
    /// The bound for all cores together with these messages, padding included.
    bound: Option<Bound>,
    /// How many times as fast the case is as each other contender.
    versus: Vec<(&'static str, Spread)>,
}

impl Outcome<'_> {
    /// The kernel that hashes the messages at first.
    fn kernel(&self) -> &str {
        self.case
            .kernel
            .unwrap_or_else(|| AnyEngine::new(self.case.algorithm).kernel_for(self.case.messages))
    }

    fn share(&self) -> Option<f64> {
        Some(self.figures.bytes_per_cycle?.median / self.bound.as_ref()?.bytes_per_cycle)
    }
}

/// What all cases share.
struct Setting {
    cpu: Cpu,
    /// The CPUs that the threads are pinned to. Empty where pinning is not possible.
    cpus: Vec<usize>,
    seed: u64,
}

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

/// Ends the program as clap does for wrong usage.
fn refuse(reason: impl std::fmt::Display) -> ! {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{reason}\n")).exit()
}

/// Reports that a file cannot be written.
fn fail_at(path: &Path, error: &io::Error) -> ExitCode {
    say_of(path, reason(error));
    ExitCode::FAILURE
}

/// The kernels that the command line names, or else the environment.
fn kernel_names(args: &Args) -> Vec<String> {
    let Some(environment) = hashlanes::kernel_from_environment() else {
        return args.kernels.clone();
    };
    if args.kernels.iter().any(|name| name == "auto") {
        refuse(format!("--kernel auto: HASHLANES_KERNEL={environment} leaves no choice"));
    }
    if args.kernels.is_empty() { vec![environment.into_owned()] } else { args.kernels.clone() }
}

/// The cases that the arguments describe. All of them can run here.
fn cases<'a>(args: &Args, kernels: &'a [String]) -> Vec<Case<'a>> {
    let algorithms = if args.algorithms.is_empty() {
        &[Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512]
    } else {
        args.algorithms.as_slice()
    };
    if args.sizes.iter().chain(&args.manager).any(|size| size.bytes() == 0) {
        refuse("--size and --manager must be at least 1 byte");
    }
    if args.plot.is_some() && args.sizes.is_empty() && !args.mixed.is_empty() {
        refuse("--plot needs messages of one length, and --mixed has none; add --size");
    }

    let mut cases = Vec::new();
    for &algorithm in algorithms {
        for kernel in kernels_of(algorithm, kernels) {
            let mut add = |lengths: Lengths, counts: &[Counts]| {
                for messages in counts.iter().flat_map(|counts| counts.0..=counts.1) {
                    if lengths.at_most(messages) > MEMORY {
                        let longest = Size::new(lengths.at_most(1) as u64);
                        let most = Size::new(MEMORY as u64);
                        refuse(format!(
                            "{messages} messages of up to {longest} are more than the {most} \
                             that a thread may use"
                        ));
                    }
                    cases.push(Case { algorithm, kernel, lengths, messages });
                }
            };
            if args.out_of_cache {
                add(OUT_OF_CACHE.0, &[Counts(OUT_OF_CACHE.1, OUT_OF_CACHE.1)]);
                continue;
            }
            let counts = |default: usize| {
                if args.messages.is_empty() {
                    vec![Counts(default, default)]
                } else {
                    args.messages.clone()
                }
            };
            let default = [16, 64, 256, 1024, 4096, 65536].map(Size::new);
            let sizes = if args.sizes.is_empty() && args.mixed.is_empty() {
                &default
            } else {
                args.sizes.as_slice()
            };
            for size in sizes {
                add(Lengths::Uniform(size.in_memory()), &counts(64));
            }
            for Mixed(low, high) in &args.mixed {
                add(Lengths::LogUniform(low.in_memory(), high.in_memory()), &counts(4096));
            }
        }
    }
    cases
}

/// The kernels of an algorithm with these names. `None` is the library's choice.
fn kernels_of(algorithm: Algorithm, names: &[String]) -> Vec<Option<&str>> {
    if names.is_empty() {
        return vec![None];
    }
    let mut kernels = Vec::new();
    for name in names {
        match name.as_str() {
            "auto" => kernels.push(None),
            "all" => kernels.extend(
                algorithm
                    .kernels()
                    .filter(KernelInfo::is_available)
                    .map(|kernel| Some(kernel.name)),
            ),
            _ => match AnyEngine::with_kernel(algorithm, name) {
                Ok(_) => kernels.push(Some(name)),
                Err(error) => refuse(error),
            },
        }
    }
    kernels
}

/// A set of messages with their digests.
struct Data {
    messages: Messages,
    expected: Expected,
}

impl Data {
    fn new(case: Case<'_>, random: &mut Random) -> Self {
        let messages = Messages::new(case.lengths, case.messages, random);
        Self { expected: Expected::of(case.algorithm, &messages), messages }
    }

    fn check(&self, contender: &dyn Contender) -> Result<(), WrongDigest> {
        contender.digests().map_or(Ok(()), |digests| self.expected.check(&self.messages, &digests))
    }
}

/// A participant in a case, on one thread or several.
struct Party {
    /// The name in comparisons. Empty for the party that the case is about.
    name: &'static str,
    /// One per thread.
    contenders: Vec<Box<dyn Contender>>,
    /// The index of the set of messages that it hashes.
    set: usize,
    /// How many times it hashes the set per sample.
    times: u32,
    samples: Vec<Sample>,
}

fn measure<'a>(
    args: &Args,
    setting: &Setting,
    case: Case<'a>,
    random: &mut Random,
) -> Result<Outcome<'a>, WrongDigest> {
    let threads = args.threads.get();
    // Each set has messages for every thread.
    let mut sets = vec![(0..threads).map(|_| Data::new(case, random)).collect::<Vec<_>>()];
    let way = args.manager.map_or(Way::Together, |piece| Way::Manager(piece.in_memory()));
    let mut parties = vec![("", way, threads, 0)];
    if threads > 1 {
        parties.push(("1 thread", way, 1, 0));
    }
    if args.alone {
        parties.push(("alone", Way::Alone, threads, 0));
    }
    if args.manager.is_some() {
        parties.push(("digest_many", Way::Together, threads, 0));
    }
    if let Lengths::LogUniform(..) = case.lengths {
        let data = &sets[0];
        let mean = data.iter().map(|data| data.messages.total()).sum::<usize>()
            / (threads * case.messages);
        let case = Case { lengths: Lengths::Uniform(mean), ..case };
        sets.push((0..threads).map(|_| Data::new(case, random)).collect());
        parties.push(("uniform", way, threads, 1));
    }
    if args.out_of_cache {
        // The usual number of messages, together half the size of the second-level cache.
        let length = setting.cpu.l2.unwrap_or(512 << 10) / 2 / 64;
        let case = Case { lengths: Lengths::Uniform(length), messages: 64, ..case };
        sets.push((0..threads).map(|_| Data::new(case, random)).collect());
        parties.push(("in cache", Way::Together, threads, 1));
        parties.push(("only reading", Way::Read, threads, 0));
    }
    let mut parties: Vec<Party> = parties
        .into_iter()
        .map(|(name, way, threads, set)| {
            // Compare with the best single-message code, whatever kernel the case forces.
            let kernel = if way == Way::Alone { None } else { case.kernel };
            let contenders = (0..threads)
                .map(|_| {
                    contender(case.algorithm, kernel, way).unwrap_or_else(|error| refuse(error))
                })
                .collect();
            Party { name, contenders, set, times: 1, samples: Vec::new() }
        })
        .collect();

    for party in &mut parties {
        // The first run fills the caches. The second tells how long a run takes.
        let (first, data) = (&mut party.contenders[0], &sets[party.set][0]);
        let slices = data.messages.slices();
        first.run(&slices, 1);
        data.check(first.as_ref())?;
        let once = clock::time(|| first.run(&slices, 1));
        party.times = repetitions(once, Duration::from_millis(args.sample_time));
    }
    for _ in 0..args.samples {
        for data in sets.iter_mut().flatten() {
            data.messages.shuffle(random);
        }
        for party in &mut parties {
            let sample = take(party, &sets[party.set], &setting.cpus);
            for (contender, data) in party.contenders.iter().zip(&sets[party.set]) {
                data.check(contender.as_ref())?;
            }
            party.samples.push(sample);
        }
    }

    let (subject, others) =
        parties.split_first().expect("the first party is the one that the case is about");
    let bytes: usize = sets[0].iter().map(|data| data.messages.total()).sum();
    let padded: usize = sets[0].iter().map(|data| data.messages.padded(case.algorithm)).sum();
    let bound = bound(setting, case).map(|bound| Bound {
        bytes_per_cycle: bound.bytes_per_cycle * threads as f64 * bytes as f64 / padded as f64,
        ..bound
    });
    Ok(Outcome {
        case,
        bytes: bytes / threads,
        figures: Figures::of(&subject.samples).expect("there is at least one sample"),
        bound,
        versus: others
            .iter()
            .filter_map(|party| Some((party.name, ratio(&subject.samples, &party.samples)?)))
            .collect(),
    })
}

/// The bound for one core, in bytes of padded messages.
fn bound(setting: &Setting, case: Case<'_>) -> Option<Bound> {
    let usable = |kernel: &KernelInfo| {
        kernel.is_available() && case.kernel.is_none_or(|name| name == kernel.name)
    };
    let kernels: Vec<KernelInfo> = case.algorithm.kernels().filter(usable).collect();
    let alike = matches!(case.lengths, Lengths::Uniform(_));
    Bound::of(setting.cpu.core, case.algorithm, &kernels, alike.then_some(case.messages))
}

/// Has a party hash its messages, on all its threads at the same time.
fn take(party: &mut Party, set: &[Data], cpus: &[usize]) -> Sample {
    let times = party.times;
    let begin = Barrier::new(party.contenders.len());
    let one = |contender: &mut dyn Contender, data: &Data| {
        let slices = data.messages.slices();
        if data.messages.total() <= 64 << 20 {
            // Another party may have evicted the messages from the cache: fetch them again. No
            // cache holds more than this.
            contender.run(&slices, 1);
        }
        begin.wait();
        let sample = Sample::take::<std::convert::Infallible>(
            data.messages.total() as u64 * u64::from(times),
            || Ok(clock::time(|| contender.run(&slices, times))),
        );
        let Ok(sample) = sample;
        sample
    };
    if let [contender] = party.contenders.as_mut_slice() {
        return one(contender.as_mut(), &set[0]);
    }
    let samples: Vec<Sample> = std::thread::scope(|scope| {
        let threads: Vec<_> = party
            .contenders
            .iter_mut()
            .zip(set)
            .enumerate()
            .map(|(number, (contender, data))| {
                let one = &one;
                scope.spawn(move || {
                    if let Some(&cpu) = cpus.get(number) {
                        cpu::pin(cpu);
                    }
                    one(contender.as_mut(), data)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("the thread did not panic")).collect()
    });
    Sample::sum(&samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_lengths_are_a_range() {
        assert_eq!("16..1KiB".parse(), Ok(Mixed(Size::new(16), Size::new(1024))));
        for text in ["16", "0..5", "5..4", "x..5", "..", "1..2..3"] {
            assert!(text.parse::<Mixed>().is_err(), "{text}");
        }
    }

    #[test]
    fn counts_are_numbers_or_ranges() {
        assert_eq!("7".parse(), Ok(Counts(7, 7)));
        assert_eq!("1..64".parse(), Ok(Counts(1, 64)));
        for text in ["0", "", "-1", "2..1", "1..", "9999999999999", "1,2"] {
            assert!(text.parse::<Counts>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_way_gives_the_right_digests() {
        let mut random = Random::new(None);
        for &algorithm in Algorithm::ALL {
            let case = Case {
                algorithm,
                kernel: None,
                lengths: Lengths::LogUniform(1, 3000),
                messages: 300,
            };
            let data = Data::new(case, &mut random);
            for way in
                [Way::Together, Way::Alone, Way::Manager(1), Way::Manager(100), Way::Manager(5000)]
            {
                let mut contender = contender(algorithm, None, way).unwrap();
                contender.run(&data.messages.slices(), 2);
                data.check(contender.as_ref()).unwrap_or_else(|error| panic!("{way:?}: {error}"));
            }
        }
    }
}
