//! One turn of one engine.

use std::fmt;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hashlanes::server::ServerOptions;
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::engines::{AlgorithmName, Engine, EngineName, Stream};

/// The length of a message, after which its digest is taken and the next one begins.
const MESSAGE: usize = 4 << 20;

/// The bytes that a writer writes over and over. Each writer has its own. The buffers of several
/// writers together exceed the nearest caches of a core.
const SOURCE: usize = 1 << 20;

#[derive(Clone, Copy)]
pub(crate) enum Load {
    Writers(usize),
    Robin(usize),
    Latency(usize),
    Together(usize),
}

impl Load {
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Writers(n) | Self::Robin(n) | Self::Latency(n) | Self::Together(n) => n,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Measurement {
    bytes_per_second: f64,
    cpu_seconds_per_byte: f64,
    lanes: f64,
    /// Duration of single updates in microseconds: the median, the 99th percentile, the maximum.
    quantiles: Option<[f64; 3]>,
}

impl Measurement {
    /// The best throughput, CPU time and latencies of two turns.
    pub(crate) fn better(mut self, other: Self) -> Self {
        if other.bytes_per_second > self.bytes_per_second {
            self.bytes_per_second = other.bytes_per_second;
            self.lanes = other.lanes;
        }
        self.cpu_seconds_per_byte = self.cpu_seconds_per_byte.min(other.cpu_seconds_per_byte);
        if let (Some(mine), Some(others)) = (&mut self.quantiles, other.quantiles) {
            for (mine, other) in mine.iter_mut().zip(others) {
                *mine = mine.min(other);
            }
        }
        self
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.bytes_per_second / 1e9;
        if let Some([p50, p99, max]) = self.quantiles {
            write!(f, "{p50:.1}\t{p99:.1}\t{max:.1}\t{speed:.3}")
        } else {
            write!(f, "{speed:.3}\t{:.3}\t{:.1}", self.cpu_seconds_per_byte * 1e9, self.lanes)
        }
    }
}

/// Restricts this thread, and those that it starts, to the first `cores` cores.
pub(crate) fn pin(cores: usize) {
    let mut set = CpuSet::new();
    (0..cores).for_each(|core| set.set(core));
    sched_setaffinity(None, &set).expect("the first cores exist and are allowed");
}

fn cpu_seconds() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Runs a turn when the cores are idle. If other processes used more than `percent` of them during
/// the turn, it is repeated up to five times, and the least disturbed one counts.
pub(crate) fn quiet(
    percent: Option<f64>,
    cores: usize,
    turn: impl Fn() -> Measurement,
) -> Measurement {
    let Some(percent) = percent else { return turn() };
    // Percentage of the cores that other processes use while `work` runs.
    let others = |work: &mut dyn FnMut()| {
        let (begin, busy, own) = (Instant::now(), busy_seconds(), cpu_seconds());
        work();
        let others = busy_seconds() - busy - (cpu_seconds() - own);
        100.0 * others / (begin.elapsed().as_secs_f64() * cores as f64)
    };
    let mut best: Option<(f64, Measurement)> = None;
    for _ in 0..5 {
        // Ten seconds at most.
        let busy = |_: &i32| others(&mut || thread::sleep(Duration::from_millis(50))) > percent;
        (0..200).take_while(busy).for_each(drop);
        let mut measurement = None;
        let part = others(&mut || measurement = Some(turn()));
        let measurement = measurement.expect("the turn was run");
        if best.is_none_or(|(least, _)| part < least) {
            best = Some((part, measurement));
        }
        if part <= percent {
            break;
        }
    }
    best.expect("there was a turn").1
}

/// Seconds that the cores have worked since the system started, for any process.
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/stat").expect("Linux has it");
    let line = text.lines().next().expect("the first line is for all cores");
    // user, nice, system, idle, waiting, interrupts, soft interrupts, stolen; the others are
    // included in these.
    let fields = line.split_whitespace().skip(1).take(8).enumerate();
    let ticks = fields.filter(|&(i, _)| i != 3 && i != 4);
    // The unit is 10 ms on every Linux.
    ticks.map(|(_, field)| field.parse::<f64>().expect("numbers only")).sum::<f64>() / 100.0
}

/// A hasher with its source of bytes.
struct Writer {
    stream: Box<dyn Stream>,
    source: Vec<u8>,
    at: usize,
    written: usize,
}

impl Writer {
    fn new(engine: &Engine, size: usize, seed: usize, source: usize) -> Self {
        let mut x = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let words = (0..source.max(size).div_ceil(8)).flat_map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x ^ x >> 29).to_le_bytes()
        });
        Self { stream: engine.stream(), source: words.collect(), at: 0, written: 0 }
    }

    /// Hashes the next piece by itself.
    fn work(&self, algorithm: AlgorithmName, size: usize) {
        let at = if self.at + size > self.source.len() { 0 } else { self.at };
        black_box(algorithm.algorithm().digest(&self.source[at..at + size]));
    }

    /// Writes one piece, and takes the digest if the message ends there.
    fn step(&mut self, size: usize) {
        if self.at + size > self.source.len() {
            self.at = 0;
        }
        self.stream.update(&self.source[self.at..self.at + size]);
        self.at += size;
        self.written += size;
        if self.written.is_multiple_of(MESSAGE) {
            black_box(self.stream.finish());
        }
    }
}

/// One turn of the Go program.
pub(crate) fn run_peer(
    program: &Path,
    cores: usize,
    algorithm: AlgorithmName,
    load: Load,
    size: usize,
    time: Duration,
) -> Measurement {
    let kind = match load {
        Load::Writers(_) => "writers",
        Load::Robin(_) => "robin",
        Load::Latency(_) => "latency",
        Load::Together(_) => unreachable!("no engine takes part"),
    };
    let output = Command::new(program)
        .args([
            "-algorithm",
            &algorithm.to_string(),
            "-load",
            kind,
            "-count",
            &load.count().to_string(),
        ])
        .args([
            "-write",
            &size.to_string(),
            "-time",
            &format!("{}ms", time.as_millis()),
            "-cores",
            &cores.to_string(),
        ])
        .stderr(Stdio::inherit())
        .output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(output.status.success(), "{}: {}", program.display(), output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let values: Vec<f64> =
        text.split_whitespace().map(|value| value.parse().expect("numbers only")).collect();
    let [bytes_per_second, cpu_seconds_per_byte, p50, p99, max] = values[..] else {
        panic!("five numbers, not {text:?}")
    };
    let quantiles = matches!(load, Load::Latency(_)).then_some([p50, p99, max]);
    Measurement { bytes_per_second, cpu_seconds_per_byte, lanes: 0.0, quantiles }
}

/// One turn of an engine in this process.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) algorithm: AlgorithmName,
    pub(crate) engine: EngineName,
    pub(crate) load: Load,
    /// Bytes of one write.
    pub(crate) size: usize,
    pub(crate) time: Duration,
    pub(crate) options: ServerOptions,
    /// Hashers that exist but are not used.
    pub(crate) idle: usize,
    /// Threads beside the writers that compute and never wait.
    pub(crate) busy: usize,
    /// How many times a writer hashes the bytes of a write by themselves before the next.
    pub(crate) work: usize,
    /// Writing threads use only this many cores, the first ones.
    pub(crate) writer_cores: usize,
}

pub(crate) fn run(turn: Turn) -> Measurement {
    let Turn { algorithm, load, size, time, idle, .. } = turn;
    let engine = Engine::new(algorithm, turn.engine, turn.options);
    let idle: Vec<_> = (0..idle).map(|_| engine.stream()).collect();
    let mut updates = Vec::new();
    let (bytes, seconds, cpu) = match load {
        Load::Robin(hashers) => {
            // A thousand hashers would otherwise take too much memory.
            let source = if hashers > 64 { 64 << 10 } else { SOURCE };
            let mut writers: Vec<_> =
                (0..hashers).map(|i| Writer::new(&engine, size, i, source)).collect();
            let (begin, cpu) = (Instant::now(), cpu_seconds());
            while begin.elapsed() < time {
                writers.iter_mut().for_each(|writer| writer.step(size));
            }
            for writer in &mut writers {
                black_box(writer.stream.finish());
            }
            let spent = (begin.elapsed(), cpu_seconds() - cpu);
            (writers.iter().map(|writer| writer.written).sum::<usize>(), spent.0, spent.1)
        }
        Load::Together(messages) => {
            let sources: Vec<_> =
                (0..messages).map(|i| Writer::new(&engine, size, i, size).source).collect();
            let (begin, cpu, mut bytes) = (Instant::now(), cpu_seconds(), 0);
            while begin.elapsed() < time {
                black_box(algorithm.algorithm().digest_many(&sources));
                bytes += messages * size;
            }
            (bytes, begin.elapsed(), cpu_seconds() - cpu)
        }
        Load::Writers(count) | Load::Latency(count) => {
            // No writer runs between the two barriers, where the clocks are read.
            let (ready, go, stop) =
                (Barrier::new(count + 1), Barrier::new(count + 1), AtomicBool::new(false));
            thread::scope(|scope| {
                let threads: Vec<_> = (0..count)
                    .map(|i| {
                        let (engine, ready, go, stop) = (&engine, &ready, &go, &stop);
                        scope.spawn(move || {
                            pin(turn.writer_cores);
                            let mut writer = Writer::new(engine, size, i, SOURCE);
                            let mut updates = Vec::new();
                            ready.wait();
                            go.wait();
                            let cpu = seconds(ClockId::ThreadCPUTime);
                            while !stop.load(Ordering::Relaxed) {
                                (0..turn.work).for_each(|_| writer.work(algorithm, size));
                                if let Load::Latency(_) = load {
                                    let begin = Instant::now();
                                    writer.step(size);
                                    updates.push(begin.elapsed().as_secs_f64() * 1e6);
                                } else {
                                    writer.step(size);
                                }
                            }
                            black_box(writer.stream.finish());
                            (writer.written, updates, seconds(ClockId::ThreadCPUTime) - cpu)
                        })
                    })
                    .collect();
                for _ in 0..turn.busy {
                    let stop = &stop;
                    scope.spawn(move || {
                        pin(turn.writer_cores);
                        while !stop.load(Ordering::Relaxed) {
                            black_box((0..1000_u64).map(black_box).sum::<u64>());
                        }
                    });
                }
                ready.wait();
                let begin = Instant::now();
                go.wait();
                thread::sleep(time);
                stop.store(true, Ordering::Relaxed);
                let (mut bytes, mut cpu) = (0, 0.0);
                for thread in threads {
                    let (written, times, seconds) = thread.join().expect("writers do not panic");
                    bytes += written;
                    cpu += seconds;
                    updates.extend(times);
                }
                (bytes, begin.elapsed(), cpu)
            })
        }
    };
    drop(idle);
    updates.sort_by(f64::total_cmp);
    let at = |part: f64| updates[((updates.len() - 1) as f64 * part) as usize];
    let quantiles = (!updates.is_empty()).then(|| [at(0.5), at(0.99), at(1.0)]);
    Measurement {
        bytes_per_second: bytes as f64 / seconds.as_secs_f64(),
        cpu_seconds_per_byte: cpu / bytes as f64,
        lanes: engine.stats().mean_lanes,
        quantiles,
    }
}
