//! The arguments, and the plans that they describe. Only plans that can run here are accepted.

use std::path::PathBuf;
use std::str::FromStr;

use hashlanes::kernels::kernel_from_environment;
use hashlanes::{Algorithm, Engine};
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

    /// Total bytes to produce and hash; the last chunk is short if this is not a multiple of the
    /// chunk size
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    total_size: AtLeastOne,

    /// Hash function
    #[arg(long, value_name = "ALG", default_value = "md5")]
    hash: Algorithm,

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

/// The values of one option.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    Producers(Vec<u64>),
    Speed(Vec<Option<u64>>),
    ChunkSize(Vec<u64>),
    Hash(Vec<Algorithm>),
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn each<T: PartialEq>(
            texts: &str,
            parse: impl Fn(&str) -> Result<T, String>,
        ) -> Result<Vec<T>, String> {
            let mut values = Vec::new();
            for text in texts.split(',') {
                let value = parse(text).map_err(|reason| format!("'{text}': {reason}"))?;
                if values.contains(&value) {
                    return Err(format!("'{text}': a value is listed twice"));
                }
                values.push(value);
            }
            Ok(values)
        }
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        match name {
            "producers" => each(values, |value| match value.parse() {
                Ok(producers) if (1..=MOST_THREADS).contains(&producers) => Ok(producers),
                _ => Err(format!("the number of producers must be from 1 to {MOST_THREADS}")),
            })
            .map(Self::Producers),
            "speed" => {
                each(values, |value| value.parse().map(|Speed(speed)| speed)).map(Self::Speed)
            }
            "chunk-size" => each(values, |value| value.parse().map(|AtLeastOne(size)| size))
                .map(Self::ChunkSize),
            "hash" => {
                each(values, |value| value.parse::<Algorithm>().map_err(|error| error.to_string()))
                    .map(Self::Hash)
            }
            _ => Err("a sweep takes producers, speed, chunk-size and hash, such as \
                      producers=1,2,4"
                .to_owned()),
        }
    }
}

/// The plans. The value of the last axis changes fastest.
///
/// # Errors
/// If one of them cannot run here. The error says what can.
pub(super) fn plans(args: &Args) -> Result<Vec<Plan>, String> {
    let pin = args.pin.as_ref().map(|list| list.0.clone()).unwrap_or_default();
    check_cpus(args, &pin)?;
    let chunk = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut plans = vec![Plan {
        algorithm: args.hash,
        producers: args.producers as usize,
        speed: args.speed.0,
        chunk: chunk(args.chunk_size.0),
        total: args.total_size.0,
        buffers: args.buffers as usize,
        consumers: args.consumers as usize,
        stream: args.stream,
        verify: args.verify,
        pin,
    }];
    for (number, axis) in args.sweep.iter().enumerate() {
        if args.sweep[..number]
            .iter()
            .any(|other| std::mem::discriminant(other) == std::mem::discriminant(axis))
        {
            return Err(
                "--sweep: an option is listed twice; separate its values with commas".to_owned()
            );
        }
        plans = plans
            .iter()
            .flat_map(|plan| {
                let plan = || plan.clone();
                match axis {
                    Axis::Producers(values) => values
                        .iter()
                        .map(|&n| Plan { producers: n as usize, ..plan() })
                        .collect::<Vec<_>>(),
                    Axis::Speed(values) => {
                        values.iter().map(|&speed| Plan { speed, ..plan() }).collect()
                    }
                    Axis::ChunkSize(values) => {
                        values.iter().map(|&bytes| Plan { chunk: chunk(bytes), ..plan() }).collect()
                    }
                    Axis::Hash(values) => {
                        values.iter().map(|&algorithm| Plan { algorithm, ..plan() }).collect()
                    }
                }
            })
            .collect();
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
        + u128::from(messages) * plan.algorithm.digest_len() as u128
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

    #[test]
    fn axes_name_an_option() {
        assert_eq!("producers=1,16".parse(), Ok(Axis::Producers(vec![1, 16])));
        assert_eq!("speed=1kB,unlimited".parse(), Ok(Axis::Speed(vec![Some(1000), None])));
        assert_eq!("hash=sha1".parse(), Ok(Axis::Hash(vec![Algorithm::Sha1])));
        for text in [
            "producers",
            "producers=",
            "producers=0",
            "speed=0",
            "hash=sha9",
            "chunk-size=x",
            "colour=red",
        ] {
            assert!(text.parse::<Axis>().is_err(), "{text}");
        }
        for text in [
            "producers=2,1,2",
            "chunk-size=1MiB,1024KiB",
            "hash=md5,MD5",
            "speed=unlimited,unlimited",
        ] {
            assert!(text.parse::<Axis>().unwrap_err().contains("twice"), "{text}");
        }
    }
}
