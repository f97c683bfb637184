//! The arguments, and the plans that they describe. Only plans that can run here are accepted.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as _, Command, FromArgMatches as _};
use hashlanes::kernels::kernel_from_environment;
use hashlanes::{Algorithm, AnyDigest, Engine};
use hashlanes_measure::cpu;

use super::chunk::BEFORE;
use super::data::STRETCH;
use super::plan::Plan;
use crate::lab::memory::memory_available;
use crate::options::path;
use crate::options::size::Size;

/// Simulate producers of data and the core that hashes it: how many can it keep up with, and are
/// its lanes full?
///
/// Producers fill chunks with random data at a target speed. A consumer takes the chunks that are
/// ready, hashes them together, and gives them back. It keeps up as long as its thread usage stays
/// below 100 %. docs/guide/measure.md explains the figures, and how to size a system with them.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    point: Point,

    /// Total bytes to produce and hash; the last chunk is short if this is not a multiple of the
    /// chunk size
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    total_size: AtLeastOne,

    /// Consumer threads
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=MOST_THREADS)
    )]
    consumers: u64,

    /// Chunks per producer; with 2 or more it fills one while another is hashed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=1024)
    )]
    buffers: u64,

    /// Treat all chunks of a producer as one long message, hashed through a HashServer, instead of
    /// as a message each
    #[arg(long)]
    stream: bool,

    /// Compare every digest with RustCrypto's, after the timed part
    #[arg(long)]
    verify: bool,

    /// CPUs to run on, such as 0-3,8; each consumer gets one of the first ones, and the producers
    /// share the others
    #[arg(long, value_name = "CPULIST")]
    pin: Option<CpuList>,

    /// Run a grid of values, such as `producers=1,2,4 speed=100MiB,500MiB`, and print a table; the
    /// names are producers, speed, chunk-size and hash
    #[arg(long, value_name = "NAME=VALUE,..", num_args = 1..)]
    pub(super) sweep: Vec<Axis>,

    /// Also run each point with plain single-message hashing
    #[arg(long)]
    pub(super) compare: bool,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    /// Draw the hashed data rate and the consumer's usage over the number of producers as an SVG
    /// picture
    #[arg(long, value_name = "FILE.svg", value_parser = path(), requires = "sweep")]
    pub(super) plot: Option<PathBuf>,
}

/// The options of which a sweep takes several values.
#[derive(Clone, clap::Args)]
struct Point {
    /// Producer threads
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=MOST_THREADS)
    )]
    producers: u64,

    /// Target speed of each producer, per second, such as 100MiB or 1GB; or `unlimited`
    #[arg(long, value_name = "SIZE", default_value = "100MiB")]
    speed: Speed,

    /// Size of a chunk, such as 1MiB, 500kB or 4096
    #[arg(long, value_name = "SIZE", default_value = "1MiB")]
    chunk_size: AtLeastOne,

    /// Hash function
    #[arg(long, value_name = "ALG", default_value = "md5")]
    hash: Algorithm,
}

const MOST_THREADS: u64 = 4096;

/// A size of at least one byte.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AtLeastOne(u64);

impl FromStr for AtLeastOne {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<Size>() {
            Ok(size) if size.bytes() == 0 => Err("at least 1 byte".to_owned()),
            Ok(size) => Ok(Self(size.bytes())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Bytes per second. `None` is as fast as possible.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speed(Option<u64>);

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unlimited" {
            return Ok(Self(None));
        }
        match text.parse() {
            Ok(AtLeastOne(bytes)) => Ok(Self(Some(bytes))),
            Err(reason) => Err(format!("{reason}; or `unlimited`")),
        }
    }
}

/// CPUs in the order in which they were given, such as `0-3,8`.
#[derive(Clone, Debug, PartialEq)]
struct CpuList(Vec<usize>);

impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut cpus = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<u16>().map(usize::from);
            match (number(first), number(last)) {
                (Ok(first), Ok(last)) if first <= last => cpus.extend(first..=last),
                _ => {
                    return Err(
                        "a list of CPUs consists of numbers and ranges, such as 0-3,8".to_owned()
                    );
                }
            }
        }
        if (1..cpus.len()).any(|i| cpus[..i].contains(&cpus[i])) {
            return Err("a CPU is listed twice".to_owned());
        }
        Ok(Self(cpus))
    }
}

/// The values of an option.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    name: String,
    values: Vec<String>,
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        if !["producers", "speed", "chunk-size", "hash"].contains(&name) {
            return Err("a sweep takes producers, speed, chunk-size and hash, such as \
                        producers=1,2,4"
                .to_owned());
        }
        let values = values.split(',').map(str::to_owned).collect();
        Ok(Self { name: name.to_owned(), values })
    }
}

impl Point {
    /// This point with a value of an axis, which is read as that of the option is.
    fn at(&self, name: &str, value: &str) -> Result<Self, String> {
        let command = Self::augment_args_for_update(Command::new("simulate"));
        // What is not given stays.
        let command = command.mut_args(|arg| arg.default_value(None::<&'static str>));
        let option = format!("--{name}={value}");
        let mut point = self.clone();
        let given = command.no_binary_name(true).try_get_matches_from([option]);
        let taken = given.and_then(|given| point.update_from_arg_matches(&given));
        taken.map(|()| point).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            format!("--sweep: {}", line.strip_prefix("error: ").unwrap_or(line))
        })
    }
}

/// The plans. The value of the last axis changes fastest.
///
/// # Errors
/// If one of them cannot run here. The error says what can.
pub(super) fn plans(args: &Args) -> Result<Vec<Plan>, String> {
    let pin = args.pin.as_ref().map(|list| list.0.clone()).unwrap_or_default();
    check_cpus(args, &pin)?;
    let mut points = vec![args.point.clone()];
    for (number, axis) in args.sweep.iter().enumerate() {
        if args.sweep[..number].iter().any(|other| other.name == axis.name) {
            return Err(
                "--sweep: an option is listed twice; separate its values with commas".to_owned()
            );
        }
        let each = points
            .iter()
            .flat_map(|point| axis.values.iter().map(|value| point.at(&axis.name, value)));
        points = each.collect::<Result<_, _>>()?;
    }
    let plan = |point: &Point| Plan {
        algorithm: point.hash,
        producers: point.producers as usize,
        speed: point.speed.0,
        chunk: usize::try_from(point.chunk_size.0).unwrap_or(usize::MAX),
        total: args.total_size.0,
        buffers: args.buffers as usize,
        consumers: args.consumers as usize,
        stream: args.stream,
        verify: args.verify,
        pin: pin.clone(),
    };
    let plans: Vec<Plan> = points.iter().map(plan).collect();
    if (1..plans.len()).any(|i| plans[..i].contains(&plans[i])) {
        return Err("--sweep: a value is listed twice".to_owned());
    }
    let available = memory_available();
    for plan in &plans {
        check_memory(plan, available)?;
        if let Some(name) = kernel_from_environment() {
            Engine::of(plan.algorithm)
                .kernel(&name)
                .map_err(|error| format!("HASHLANES_KERNEL: {error}"))?;
        }
    }
    Ok(plans)
}

fn check_cpus(args: &Args, pin: &[usize]) -> Result<(), String> {
    if args.pin.is_none() {
        return Ok(());
    }
    let allowed = cpu::allowed();
    if let Some(cpu) = pin.iter().find(|cpu| !allowed.contains(cpu)) {
        let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
        return Err(format!(
            "--pin: CPU {cpu}: this process may run on CPUs {}",
            allowed.join(",")
        ));
    }
    if (pin.len() as u64) < args.consumers {
        return Err(format!(
            "--pin: {} CPUs for {} consumers, each of which needs its own",
            pin.len(),
            args.consumers
        ));
    }
    Ok(())
}

/// Bytes of memory for the chunks of a run, the random bytes that they are made of, and the digests
/// that it verifies.
fn memory(plan: &Plan) -> u128 {
    let chunks =
        plan.producers as u128 * plan.buffers as u128 * (plan.longest() as u128 + BEFORE as u128);
    let messages = if plan.stream || !plan.verify { 0 } else { plan.chunks() };
    chunks
        + plan.longest().min(STRETCH) as u128
        // A copy is sorted.
        + u128::from(messages) * 2 * size_of::<(u64, AnyDigest)>() as u128
}

/// `1 chunk`, `2 chunks`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn check_memory(plan: &Plan, available: Option<u64>) -> Result<(), String> {
    let (needed, available) = (memory(plan), available.unwrap_or(u64::MAX));
    if needed <= u128::from(available) {
        return Ok(());
    }
    let gib = |bytes: u128| bytes as f64 / f64::from(1 << 30);
    Err(format!(
        "{} with {} of {} each: {:.1} GiB are needed{}, and {:.1} GiB of memory are available: \
         take a smaller --chunk-size or fewer --producers",
        counted(plan.producers, "producer"),
        counted(plan.buffers, "chunk"),
        Size::new(plan.longest() as u64),
        gib(needed),
        if plan.verify { " (with the digests to verify)" } else { "" },
        gib(available.into()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_sizes_or_unlimited() {
        assert_eq!("unlimited".parse(), Ok(Speed(None)));
        assert_eq!("1kB".parse(), Ok(Speed(Some(1000))));
        assert!("0".parse::<Speed>().unwrap_err().contains("at least 1 byte"));
        assert!("fast".parse::<Speed>().unwrap_err().contains("unlimited"));
    }

    #[test]
    fn lists_of_cpus_are_numbers_and_ranges() {
        assert_eq!("3,0-2".parse(), Ok(CpuList(vec![3, 0, 1, 2])));
        for text in ["", "a", "1-", "2-1", "1,,2", "1,1", "0-2,1", "-1", "70000"] {
            assert!(text.parse::<CpuList>().is_err(), "{text}");
        }
    }

    #[derive(clap::Parser)]
    struct Whole {
        #[command(flatten)]
        args: Args,
    }

    /// The plans of a sweep along one axis.
    fn sweep(axis: &str) -> Result<Vec<Plan>, String> {
        let whole = <Whole as clap::Parser>::try_parse_from([
            "simulate",
            "--total-size=7",
            "--sweep",
            axis,
        ]);
        whole.map_err(|error| error.to_string()).and_then(|whole| plans(&whole.args))
    }

    #[test]
    fn axes_name_an_option() {
        let producers = |plan: &Plan| plan.producers;
        let all = sweep("producers=1,16").unwrap();
        assert_eq!(all.iter().map(producers).collect::<Vec<_>>(), [1, 16]);
        let all = sweep("speed=1kB,unlimited").unwrap();
        assert_eq!(all.iter().map(|plan| plan.speed).collect::<Vec<_>>(), [Some(1000), None]);
        let [plan] = &sweep("hash=sha1").unwrap()[..] else { panic!("it is one plan") };
        assert_eq!((plan.algorithm, plan.total), (Algorithm::Sha1, 7));
        for text in [
            "producers",
            "producers=",
            "producers=0",
            "speed=0",
            "hash=sha9",
            "chunk-size=x",
            "colour=red",
        ] {
            assert!(sweep(text).is_err(), "{text}");
        }
        for text in [
            "producers=2,1,2",
            "chunk-size=1MiB,1024KiB",
            "hash=md5,MD5",
            "speed=unlimited,unlimited",
        ] {
            assert!(sweep(text).unwrap_err().contains("twice"), "{text}");
        }
    }
}
