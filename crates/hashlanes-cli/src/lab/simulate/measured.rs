//! What consumers measure, and the figures of a run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hashlanes::{AnyDigest, Engine};
use hashlanes_measure::clock;

/// What was measured.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    pub(super) elapsed: Duration,
    pub(super) bytes: u64,
    /// How long at least one chunk was ready or being hashed.
    pub(super) ready: Duration,
    /// Wall-clock time that all consumers spent hashing.
    pub(super) hashing: Duration,
    /// CPU time that all consumers spent hashing.
    pub(super) cpu: Duration,
    /// Cycles of that CPU time, if the clock of the cores is known.
    pub(super) cycles: Option<f64>,
    pub(super) consumers: usize,
    /// Average number of lanes filled, and of lanes available.
    pub(super) lanes: f64,
    pub(super) lanes_available: f64,
    /// Bytes that each kernel hashed.
    pub(super) kernels: BTreeMap<&'static str, u64>,
    /// Digests that were compared.
    pub(super) verified: Option<u64>,
}

impl Figures {
    /// The share of the time that consumers spent hashing, 0 to 1.
    pub(super) fn usage(&self) -> f64 {
        self.hashing.as_secs_f64() / (self.elapsed.as_secs_f64() * self.consumers as f64)
    }

    /// Bytes per second while at least one chunk was ready.
    pub(super) fn hash_speed(&self) -> f64 {
        self.bytes as f64 / self.ready.as_secs_f64()
    }

    /// Bytes per second of CPU time. Unlike the hash speed, this excludes time in which other
    /// programs had the core.
    pub(super) fn core_speed(&self) -> f64 {
        self.bytes as f64 / self.cpu.as_secs_f64()
    }

    /// Bytes hashed per second of the whole run, including waits.
    pub(super) fn data_rate(&self) -> f64 {
        self.bytes as f64 / self.elapsed.as_secs_f64()
    }

    pub(super) fn bytes_per_cycle(&self) -> Option<f64> {
        Some(self.bytes as f64 / self.cycles?)
    }

    /// The kernel that hashed the most bytes.
    pub(super) fn kernel(&self) -> &'static str {
        self.kernels.iter().max_by_key(|kernel| kernel.1).map_or("none", |kernel| kernel.0)
    }
}

/// What a consumer did.
pub(super) struct Consumed {
    pub(super) bytes: u64,
    pub(super) chunks: u64,
    /// How many times lanes were filled with new chunks.
    pub(super) passes: u64,
    /// Lanes used, summed over all passes.
    pub(super) lanes: u64,
    pub(super) hashing: Duration,
    pub(super) cpu: Duration,
    /// The part of `hashing` after all chunks had been returned.
    pub(super) ending: Duration,
    pub(super) kernels: BTreeMap<&'static str, u64>,
    /// The digests to verify, with the numbers of their chunks, or of the producers of streams.
    pub(super) digests: Vec<(u64, AnyDigest)>,
    pub(super) hertz: Option<f64>,
    pub(super) end: Instant,
}

impl Consumed {
    pub(super) fn new() -> Self {
        Self {
            bytes: 0,
            chunks: 0,
            passes: 0,
            lanes: 0,
            hashing: Duration::ZERO,
            cpu: Duration::ZERO,
            ending: Duration::ZERO,
            kernels: BTreeMap::new(),
            digests: Vec::new(),
            hertz: None,
            end: Instant::now(),
        }
    }

    /// Calls `hash` and adds the time that it takes.
    pub(super) fn time<T>(&mut self, hash: impl FnOnce() -> T) -> T {
        let mut result = None;
        let begin = Instant::now();
        self.cpu += clock::time(|| result = Some(hash()));
        self.hashing += begin.elapsed();
        result.expect("it was called")
    }

    pub(super) fn add(&mut self, chunks: usize, lanes: usize, kernel: &'static str, bytes: u64) {
        let passes = chunks.div_ceil(lanes) as u64;
        self.chunks += chunks as u64;
        self.passes += passes;
        self.lanes += passes * lanes as u64;
        self.bytes += bytes;
        *self.kernels.entry(kernel).or_default() += bytes;
    }
}

/// Which kernel hashes a number of messages, and with how many lanes.
pub(super) struct Lanes<'a> {
    engine: &'a Engine,
    lanes: Vec<(usize, &'static str)>,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(engine: &'a Engine) -> Self {
        Self {
            engine,
            lanes: engine.algorithm().kernels().map(|kernel| (kernel.lanes, kernel.name)).collect(),
        }
    }

    pub(super) fn of(&self, messages: usize) -> (usize, &'static str) {
        let name = self.engine.kernel_for(messages);
        self.lanes.iter().copied().find(|kernel| kernel.1 == name).unwrap_or((1, name))
    }
}
