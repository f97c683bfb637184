//! Measures the speed of each source of random bytes with one thread and with two, and how often
//! its instruction had no value.
//!
//! ```sh
//! cargo run --release -p hashlanes-entropy --example throughput -- [MILLISECONDS]
//! ```
//!
//! Each line takes 500 milliseconds by default. The speed per thread is relative to CPU time, so
//! that other programs on the machine matter little. The total speed is relative to wall time.
//! Published figures for the instructions are 70 to 200 MB/s per thread, and the reduction takes
//! 512 bytes of RDRAND for each byte. An empty run cleared the carry flag: it had no value, and was
//! repeated.

use std::env;
use std::io::{self, Write};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hashlanes_entropy::{Counts, Error, Provider, RDRAND, RDSEED, Source};
use hashlanes_measure::clock;

/// Bytes in a request.
const REQUEST: usize = 4096;

#[cfg_attr(test, expect(dead_code, reason = "a test prints the table"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let time = env::args().nth(1).map_or(Ok(500), |argument| argument.parse())?;
    print_table(&mut io::stdout(), Duration::from_millis(time))?;
    Ok(())
}

/// Measures each line for `time`.
pub(crate) fn print_table(out: &mut impl Write, time: Duration) -> io::Result<()> {
    writeln!(
        out,
        "{:<12}{:>7}{:>16}{:>16}{:>12}{:>12}{:>14}",
        "source", "threads", "MB/s/thread", "expected", "MB/s total", "empty runs", "retries/word"
    )?;
    for source in [Source::Rdrand, Source::Rdseed, Source::RdrandReduced, Source::Os] {
        for threads in [1, 2] {
            match Case::measure(source, threads, time) {
                Ok(case) => case.print(out)?,
                Err(why) => writeln!(out, "{:<12}{threads:>7}  {why}", source.name())?,
            }
        }
    }
    Ok(())
}

/// The measurement of a source.
struct Case {
    source: Source,
    threads: Vec<Work>,
    wall: Duration,
    runs: Option<Counts>,
}

/// The work of a thread.
struct Work {
    bytes: usize,
    cpu_time: Duration,
}

impl Case {
    fn measure(source: Source, threads: usize, time: Duration) -> Result<Self, Error> {
        // Tests the source before the timed part.
        Provider::of_source(source).bytes::<8>()?;
        let before = runs(source);
        let begin = Barrier::new(threads);
        let began = Instant::now();
        let threads = thread::scope(|scope| {
            let work = || {
                begin.wait();
                work(source, time)
            };
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let done = threads.into_iter().map(|thread| thread.join().expect("a thread panicked"));
            done.collect::<Result<_, _>>()
        })?;
        let wall = began.elapsed();
        let runs = runs(source).zip(before).map(|(mut after, before)| {
            after.words -= before.words;
            after.empty -= before.empty;
            after
        });
        Ok(Self { source, threads, wall, runs })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let bytes: usize = self.threads.iter().map(|thread| thread.bytes).sum();
        let cpu_time = self.threads.iter().map(|thread| thread.cpu_time).sum();
        write!(
            out,
            "{:<12}{:>7}{:>16.2}{:>16}{:>12.2}",
            self.source.name(),
            self.threads.len(),
            megabytes(bytes, cpu_time),
            expected(self.source),
            megabytes(bytes, self.wall)
        )?;
        match self.runs {
            Some(Counts { words, empty, .. }) => {
                let (words, empty) = (words as f64, empty as f64);
                let percent = 100.0 * empty / (words + empty);
                writeln!(out, "{percent:>10.2} %{:>14.3}", empty / words)
            }
            None => writeln!(out, "{:>12}{:>14}", "-", "-"),
        }
    }
}

/// Megabytes per second.
fn megabytes(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

/// The number of runs of a source's instruction.
fn runs(source: Source) -> Option<Counts> {
    match source {
        Source::Rdseed => Some(RDSEED.counts()),
        Source::Rdrand | Source::RdrandReduced => Some(RDRAND.counts()),
        _ => None,
    }
}

/// Published figures for one thread, in megabytes per second.
fn expected(source: Source) -> &'static str {
    match source {
        Source::Rdseed | Source::Rdrand => "70 to 200",
        Source::RdrandReduced => "0.14 to 0.39",
        _ => "-",
    }
}

/// Draws bytes in this thread for `time`.
fn work(source: Source, time: Duration) -> Result<Work, Error> {
    let provider = Provider::of_source(source);
    let mut request = [0; REQUEST];
    let (mut bytes, mut outcome) = (0, Ok(source));
    let cpu_time = clock::time(|| {
        let began = Instant::now();
        while outcome.is_ok() && began.elapsed() < time {
            outcome = provider.fill(&mut request);
            bytes += request.len();
        }
    });
    outcome.map(|_| Work { bytes, cpu_time })
}
