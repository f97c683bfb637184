//! Compares `HashServer` with plain hashers.
//!
//! Writers write pieces of one size until the time is up. Each is a thread with one message at a
//! time, or one thread drives many hashers in turn. For each engine the program prints bytes per
//! second and CPU seconds per 10^9 bytes, as tab-separated values. For minio's servers it runs the
//! Go program in `benches/server/go`. Before anything is timed, every engine's digests are compared
//! with OpenSSL's. Engines take turns, and the best of several turns counts.

#![forbid(unsafe_code)]

mod engines;
mod measure;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use hashlanes::server::ServerOptions;

use engines::{AlgorithmName, EngineName};
use measure::{Load, Measurement, Turn};

#[derive(Parser)]
#[command(about = "Measures HashServer beside hashers that work alone")]
struct Options {
    #[command(subcommand)]
    command: Command,
    /// Algorithms
    #[arg(long, global = true, value_enum, value_delimiter = ',',
          default_values = ["md5", "sha1", "sha256", "sha512"])]
    algorithms: Vec<AlgorithmName>,
    /// Engines
    #[arg(long, global = true, value_enum, value_delimiter = ',',
          default_values = ["server", "hasher", "rustcrypto", "openssl"])]
    engines: Vec<EngineName>,
    /// The Go program with minio's servers (see `benches/server/go`); adds the engine `minio`
    #[arg(long, global = true)]
    minio: Option<PathBuf>,
    /// Bytes of one write
    #[arg(
        long,
        global = true,
        value_delimiter = ',',
        default_values_t = [4 << 10, 32 << 10, 1 << 20]
    )]
    sizes: Vec<usize>,
    /// Use only this many cores, the first ones
    #[arg(long, global = true, default_value_t = 2)]
    cores: usize,
    /// Let writing threads use only this many of the cores, as in a container with less CPU time
    /// than cores [default: all]
    #[arg(long, global = true)]
    writer_cores: Option<usize>,
    /// Repeat a turn during which other processes used more than this percentage of the cores; not
    /// for minio
    #[arg(long, global = true)]
    quiet: Option<f64>,
    /// Bytes of a server's staging
    #[arg(long, global = true)]
    staging: Option<usize>,
    /// Bytes that make a message of a server ready
    #[arg(long, global = true)]
    ready: Option<usize>,
    /// Have the server copy all writes that fit
    #[arg(long, global = true)]
    low_latency: bool,
    /// Additional hashers that exist but are not used
    #[arg(long, global = true, default_value_t = 0)]
    idle: usize,
    /// Threads beside the writers that compute and never wait
    #[arg(long, global = true, default_value_t = 0)]
    busy: usize,
    /// Other work of writers between two writes: hashing the bytes this many times by themselves
    #[arg(long, global = true, default_value_t = 0)]
    work: usize,
    /// Milliseconds of one turn
    #[arg(long, global = true, default_value_t = 150)]
    time: u64,
    /// Turns of each engine
    #[arg(long, global = true, default_value_t = 3)]
    turns: usize,
}

#[derive(Subcommand)]
enum Command {
    /// Run threads with one hasher each
    Writers {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 16, 64])]
        writers: Vec<usize>,
    },
    /// Let one thread drive many hashers in turn
    Robin {
        /// Numbers of hashers
        #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64, 1000])]
        hashers: Vec<usize>,
    },
    /// Measure the bound: `digest_many` in one thread, of messages with the size of one write
    Together {
        /// Numbers of messages
        #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 16, 64])]
        messages: Vec<usize>,
    },
    /// Measure how long single updates take while all writers are busy
    Latency {
        /// Numbers of threads, with one hasher each
        #[arg(long, value_delimiter = ',', default_values_t = [64])]
        writers: Vec<usize>,
    },
}

fn main() {
    let mut options = Options::parse();
    if options.minio.is_none() {
        options.engines.retain(|&engine| engine != EngineName::Minio);
    } else if !options.engines.contains(&EngineName::Minio) {
        options.engines.push(EngineName::Minio);
    }
    measure::pin(options.cores);
    let time = Duration::from_millis(options.time);
    let mut server = ServerOptions::new().low_latency(options.low_latency);
    if let Some(bytes) = options.staging {
        server = server.staging(bytes);
    }
    if let Some(bytes) = options.ready {
        server = server.ready(bytes);
    }
    let (name, loads): (&str, Vec<Load>) = match &options.command {
        Command::Writers { writers } => {
            ("writers", writers.iter().map(|&n| Load::Writers(n)).collect())
        }
        Command::Robin { hashers } => ("robin", hashers.iter().map(|&n| Load::Robin(n)).collect()),
        Command::Together { messages } => {
            options.engines = vec![EngineName::Server];
            ("together", messages.iter().map(|&n| Load::Together(n)).collect())
        }
        Command::Latency { writers } => {
            ("latency", writers.iter().map(|&n| Load::Latency(n)).collect())
        }
    };
    print!("algorithm\tcores\tload\tcount\twrite\tengine");
    if matches!(options.command, Command::Latency { .. }) {
        println!("\tp50_us\tp99_us\tmax_us\tGB/s");
    } else {
        println!("\tGB/s\tCPU_s/GB\tlanes");
    }
    for &algorithm in &options.algorithms {
        engines::verify(algorithm, &options.engines);
        for &load in &loads {
            for &size in &options.sizes {
                let mut best: Vec<Option<Measurement>> = vec![None; options.engines.len()];
                let turn = |engine| Turn {
                    algorithm,
                    engine,
                    load,
                    size,
                    time,
                    options: server,
                    idle: options.idle,
                    busy: options.busy,
                    work: options.work,
                    writer_cores: options.writer_cores.unwrap_or(options.cores),
                };
                // CPU time of minio's process would be counted as that of other processes.
                let quiet = |engine| options.quiet.filter(|_| engine != EngineName::Minio);
                for _ in 0..options.turns {
                    for (engine, best) in options.engines.iter().zip(&mut best) {
                        if !algorithm.is_in(*engine) {
                            continue;
                        }
                        let measurement =
                            measure::quiet(quiet(*engine), options.cores, || {
                                match (engine, &options.minio) {
                                    (EngineName::Minio, Some(peer)) => measure::run_peer(
                                        peer,
                                        options.cores,
                                        algorithm,
                                        load,
                                        size,
                                        time,
                                    ),
                                    (EngineName::Minio, None) => {
                                        unreachable!("named by --minio only")
                                    }
                                    _ => measure::run(turn(*engine)),
                                }
                            });
                        *best = Some(match best.take() {
                            Some(best) => best.better(measurement),
                            None => measurement,
                        });
                    }
                }
                for (engine, best) in options.engines.iter().zip(best) {
                    let Some(best) = best else { continue };
                    let engine = if let Load::Together(_) = load {
                        "digest_many".into()
                    } else {
                        engine.to_string()
                    };
                    println!(
                        "{algorithm}\t{}\t{name}\t{}\t{size}\t{engine}\t{best}",
                        options.cores,
                        load.count()
                    );
                }
            }
        }
    }
}
