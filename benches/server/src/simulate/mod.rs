//! A server on simulated cores: how a policy would work on another CPU.
//!
//! A discrete-event simulation with a virtual clock. `cores.rs` has the cores and the threads on
//! them, `server.rs` the steps of the server, `costs.rs` the costs of hashing. The policy is the
//! server's own file. `docs/design/server.md` says how close the results are to measured ones.

mod cores;
mod costs;
#[allow(dead_code, reason = "the server's tests and its other files use the rest")]
#[path = "../../../../crates/hashlanes/src/server/policy.rs"]
mod policy;
mod server;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub(crate) use costs::Cpu;

use crate::Options;
use crate::engines::AlgorithmName;
use cores::Cores;
use server::Server;

/// Length of a message, as in the measurements.
const MESSAGE: f64 = (4 << 20) as f64;

#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// The CPU
    #[arg(long, value_enum, default_value = "this")]
    cpu: Cpu,
    /// Numbers of threads, with one hasher each
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 16, 64])]
    writers: Vec<usize>,
    /// The number of cores that the system reports, if lower
    #[arg(long)]
    believed_cores: Option<usize>,
    /// Also print how the bytes are distributed over rounds by their number of messages; 0 means
    /// hashed alone, without a round
    #[arg(long)]
    rounds: bool,
}

/// The results of a simulation.
struct Outcome {
    /// Bytes per second.
    speed: f64,
    /// CPU seconds per byte.
    cpu: f64,
    lanes: f64,
    /// Throughput relative to plain hashers, one per thread.
    of_alone: f64,
    /// Median duration of an update, in microseconds.
    median: f64,
    /// Percentage of the bytes, by messages of a round.
    rounds: Vec<(usize, f64)>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { speed, cpu, lanes, of_alone, median, .. } = self;
        write!(f, "{:.3}\t{:.3}\t{lanes:.1}\t{of_alone:.2}\t{median:.1}", speed / 1e9, cpu * 1e9)
    }
}

/// Simulates all cells and prints them.
pub(crate) fn run(args: &Args, options: &Options, time: Duration) {
    let &Options { ref algorithms, ref sizes, cores, low_latency, .. } = options;
    println!(
        "algorithm\tcores\tload\tcount\twrite\tengine\tGB/s\tCPU_s/GB\tlanes\tof_alone\tp50_us"
    );
    for &algorithm in algorithms {
        let costs = args.cpu.costs(algorithm);
        let believed = args.believed_cores.unwrap_or(cores);
        for &writers in &args.writers {
            for &size in sizes {
                let cell =
                    Cell { algorithm, costs: &costs, writers, size, cores, believed, low_latency };
                let outcome = cell.simulate(time);
                println!("{algorithm}\t{cores}\tsimulate\t{writers}\t{size}\tserver\t{outcome}");
                if args.rounds {
                    let parts = outcome.rounds.iter().filter(|(_, percent)| *percent >= 0.5);
                    let parts =
                        parts.map(|(messages, percent)| format!("{messages}: {percent:.0} %"));
                    println!("  {}", parts.collect::<Vec<_>>().join(", "));
                }
            }
        }
    }
}

struct Cell<'c> {
    algorithm: AlgorithmName,
    costs: &'c policy::Costs,
    writers: usize,
    size: usize,
    cores: usize,
    /// The number of cores that the system reports.
    believed: usize,
    low_latency: bool,
}

impl Cell<'_> {
    fn simulate(&self, time: Duration) -> Outcome {
        let Self { algorithm, costs, writers, size, low_latency, .. } = *self;
        let block = block_length(algorithm);
        let cores = Cores::new(self.cores);
        let server = Server::new(cores.clone(), costs, block, writers, self.believed, low_latency);
        let writer = |i| -> Pin<Box<dyn Future<Output = ()>>> {
            Box::pin(server.clone().write(i, size as f64, MESSAGE))
        };
        let nanoseconds = time.as_nanos() as f64;
        cores.simulate(nanoseconds, (0..writers).map(writer).collect());
        let mut tally = server.tally();
        tally.updates.sort_by(f64::total_cmp);
        let speed = tally.bytes / nanoseconds * 1e9;
        let alone = block as f64 / (costs[1] as f64 * 1e-12) * writers.min(self.cores) as f64;
        Outcome {
            speed,
            cpu: cores.busy() * 1e-9 / tally.bytes,
            lanes: if tally.longest > 0.0 { tally.shared / tally.longest } else { 0.0 },
            of_alone: speed / alone,
            rounds: {
                let all: f64 = tally.rounds.values().sum();
                let percent = |(&messages, bytes): (&usize, &f64)| (messages, bytes / all * 100.0);
                tally.rounds.iter().map(percent).collect()
            },
            median: tally.updates.get(tally.updates.len() / 2).map_or(0.0, |time| time / 1e3),
        }
    }
}

fn block_length(algorithm: AlgorithmName) -> usize {
    if algorithm == AlgorithmName::Sha512 { 128 } else { 64 }
}
