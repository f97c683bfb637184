//! The arguments of `hashlanes-lab bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hashlanes::Algorithm;
use hashlanes_measure::cpu::Core;

use crate::options::size::Size;

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
    pub(super) algorithms: Vec<Algorithm>,

    /// Length of every message, such as 64, 4KiB or 1MB; repeatable [default: 16, 64, 256, 1KiB,
    /// 4KiB, 64KiB]
    #[arg(long = "size", value_name = "SIZE", value_delimiter = ',')]
    pub(super) sizes: Vec<Size>,

    /// Hash messages of mixed lengths from LO to HI, each order of magnitude as likely as any
    /// other, and compare with as many messages that all have the mean length; repeatable
    #[arg(long, value_name = "LO..HI", value_delimiter = ',')]
    pub(super) mixed: Vec<Mixed>,

    /// Number of messages, a range such as 1..8, or a list of them [default: 64; with --mixed 4096]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub(super) messages: Vec<Counts>,

    /// Threads, each pinned to a core and with messages of its own; with more than 1, also show the
    /// speed-up
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) threads: NonZeroUsize,

    /// Kernel to use: a name that `hashlanes info` shows, `auto` (the library's choice) or `all`;
    /// repeatable [default: auto]
    #[arg(long = "kernel", value_name = "NAME", value_delimiter = ',')]
    pub(super) kernels: Vec<String>,

    /// The kind of this CPU's cores, for the bounds, if it is detected wrongly or not at all
    #[arg(long, value_name = "NAME", value_parser = core())]
    pub(super) core: Option<Core>,

    /// Compare with hashing the same messages one after the other by single-message code
    #[arg(long, conflicts_with_all = ["manager", "out_of_cache"])]
    pub(super) alone: bool,

    /// Hash through the manager `Lanes`, which gets messages in pieces of this size, and compare
    /// with digest_many
    #[arg(long, value_name = "PIECE", conflicts_with = "out_of_cache")]
    pub(super) manager: Option<Size>,

    /// Hash 512 messages of 1 MiB, and compare with messages that stay in the cache and with
    /// reading memory only
    #[arg(long, conflicts_with_all = ["sizes", "mixed", "messages"])]
    pub(super) out_of_cache: bool,

    /// Samples of each figure
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub(super) samples: u32,

    /// Minimum duration of a sample, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=10_000)
    )]
    pub(super) sample_time: u64,

    /// Seed for the messages and their lengths, to repeat a run [default: a new one]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,

    /// Draw throughput over message length as an SVG picture, or over the number of messages if
    /// only that differs
    #[arg(long, value_name = "FILE.svg")]
    pub(super) plot: Option<PathBuf>,
}

/// A parser for clap of the names of cores. For a wrong name it lists all that there are.
fn core() -> impl TypedValueParser<Value = Core> {
    PossibleValuesParser::new(Core::ALL.map(Core::name))
        .try_map(|name| Core::from_name(&name).ok_or("unknown core"))
}

/// `LO..HI`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mixed(pub(super) Size, pub(super) Size);

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
pub(super) struct Counts(pub(super) usize, pub(super) usize);

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
}
