//! How fast each source of random bytes is with one thread and with two, and how often its
//! instruction had no value.
//!
//! ```sh
//! cargo run --release -p hashlanes-entropy --example throughput -- [MILLISECONDS]
//! ```
//!
//! Each line takes 500 milliseconds unless another number is given. Posts on the instructions
//! expect 70 to 200 MB/s of a thread. The reduction takes 512 bytes of RDRAND for each byte. A run
//! is empty if it cleared the carry flag: it had no value, and is tried again.

use std::env;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hashlanes_entropy::{Counts, Provider, RDRAND, RDSEED, Source};

/// Bytes of a request.
const REQUEST: usize = 4096;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let time = env::args().nth(1).map_or(Ok(500), |argument| argument.parse())?;
    println!(
        "{:<12}{:>7}{:>13}{:>11}{:>16}{:>12}{:>14}",
        "source", "threads", "MB/s/thread", "MB/s", "expected", "empty runs", "retries/word"
    );
    for source in [Source::Rdrand, Source::Rdseed, Source::RdrandReduced, Source::Os] {
        for threads in [1, 2] {
            match Case::measure(source, threads, Duration::from_millis(time)) {
                Ok(case) => case.print(),
                Err(why) => println!("{:<12}{threads:>7}  {why}", source.name()),
            }
        }
    }
    Ok(())
}

/// What was measured of a source.
struct Case {
    source: Source,
    /// Megabytes of each thread in a second.
    speeds: Vec<f64>,
    runs: Option<Counts>,
}

impl Case {
    fn measure(
        source: Source,
        threads: usize,
        time: Duration,
    ) -> Result<Self, hashlanes_entropy::Error> {
        // Tests the source, outside of the measured part.
        Provider::of_source(source).bytes::<8>()?;
        let before = runs(source);
        let begin = Barrier::new(threads);
        let speed = || {
            begin.wait();
            speed(source, time)
        };
        let speeds = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(speed)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a thread panicked"))
                .collect::<Result<_, _>>()
        })?;
        let runs = runs(source).zip(before).map(|(mut after, before)| {
            after.words -= before.words;
            after.empty -= before.empty;
            after
        });
        Ok(Self { source, speeds, runs })
    }

    fn print(&self) {
        let all: f64 = self.speeds.iter().sum();
        let threads = self.speeds.len();
        print!("{:<12}{threads:>7}{:>13.2}{all:>11.2}", self.source.name(), all / threads as f64);
        print!("{:>16}", expected(self.source));
        match self.runs {
            Some(Counts { words, empty, .. }) => {
                let (words, empty) = (words as f64, empty as f64);
                println!("{:>10.2} %{:>14.3}", 100.0 * empty / (words + empty), empty / words);
            }
            None => println!("{:>12}{:>14}", "-", "-"),
        }
    }
}

/// How often the instruction of a source was run.
fn runs(source: Source) -> Option<Counts> {
    match source {
        Source::Rdseed => Some(RDSEED.counts()),
        Source::Rdrand | Source::RdrandReduced => Some(RDRAND.counts()),
        _ => None,
    }
}

/// Megabytes a second that posts on the instructions expect of a thread.
fn expected(source: Source) -> &'static str {
    match source {
        Source::Rdseed | Source::Rdrand => "70 to 200",
        Source::RdrandReduced => "0.14 to 0.39",
        _ => "-",
    }
}

/// Megabytes a second of this thread.
fn speed(source: Source, time: Duration) -> Result<f64, hashlanes_entropy::Error> {
    let provider = Provider::of_source(source);
    let mut bytes = [0; REQUEST];
    let mut total = 0;
    let began = Instant::now();
    while began.elapsed() < time {
        provider.fill(&mut bytes)?;
        total += bytes.len();
    }
    Ok(total as f64 / 1e6 / began.elapsed().as_secs_f64())
}
