//! One run: the threads of the producers and consumers, and what they measure.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use hashlanes::{Algorithm, AnyDigest, AnyEngine, AnyHashServer, AnyHashers, AnyServerHasher};
use hashlanes_measure::messages::reference_hasher;
use hashlanes_measure::{clock, cpu};
use indicatif::ProgressBar;

use crate::terminal::message::{reason, say};

use super::data::{Data, Digests, WrongDigest};
use super::exchange::{Consumer, Exchange, Producer};

/// What to run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) algorithm: Algorithm,
    pub(super) producers: usize,
    /// Bytes per second of each producer. `None` is unlimited.
    pub(super) speed: Option<u64>,
    pub(super) chunk: usize,
    pub(super) total: u64,
    /// Chunks per producer.
    pub(super) buffers: usize,
    pub(super) consumers: usize,
    /// Whether all chunks of a producer are one message, hashed through a `HashServer`. Otherwise
    /// each chunk is a message.
    pub(super) stream: bool,
    pub(super) verify: bool,
    /// CPUs to run on. If empty, the operating system chooses.
    pub(super) pin: Vec<usize>,
}

impl Plan {
    /// The number of chunks to hash.
    pub(super) fn chunks(&self) -> u64 {
        self.total.div_ceil(self.chunk as u64)
    }

    /// Bytes of chunk `number`. The last one may be short.
    fn length(&self, number: u64) -> usize {
        (self.total - number * self.chunk as u64).min(self.chunk as u64) as usize
    }

    /// The chunks of producer `p`. Producers get them in turn.
    fn chunks_of(&self, p: usize) -> impl Iterator<Item = u64> {
        (p as u64..self.chunks()).step_by(self.producers)
    }

    /// The length of the longest chunk.
    pub(super) fn longest(&self) -> usize {
        self.length(0)
    }

    /// Each consumer gets one of the first CPUs.
    fn cpu_of_consumer(&self, c: usize) -> Option<usize> {
        self.pin.get(c).copied()
    }

    /// The producers share the other CPUs, or all if there are no others.
    fn cpu_of_producer(&self, p: usize) -> Option<usize> {
        let rest =
            self.pin.get(self.consumers..).filter(|rest| !rest.is_empty()).unwrap_or(&self.pin);
        (!rest.is_empty()).then(|| rest[p % rest.len()])
    }
}

/// How chunks are hashed: together, or one by one for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Lanes,
    Alone,
}

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
    cycles: Option<f64>,
    consumers: usize,
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

/// Why a run has no results.
#[derive(Debug)]
pub(super) enum Failure {
    Wrong(Box<WrongDigest>),
    /// The system has no memory for a chunk of this length.
    Memory(usize),
}

/// A buffer that its producer fills and a consumer hashes. Only one of them owns it at a time.
struct Chunk {
    number: u64,
    memory: Vec<u8>,
    /// Offset of the chunk in `memory`.
    start: usize,
    length: usize,
    /// Its digest, once the producer gets it back.
    digest: Option<AnyDigest>,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Chunks begin at this number of different offsets, in cache lines. A first-level cache has as
/// many sets.
const STAGGER: usize = 64;

/// Extra bytes of a chunk's memory, so that it can begin at any of these offsets.
pub(super) const BEFORE: usize = (STAGGER + 1) * LINE;

impl Chunk {
    /// Chunk number `index` of all, for up to `longest` bytes.
    ///
    /// Lanes read all chunks at the same offset. If all chunks began at the same offset of a page,
    /// these reads would map to the same cache set, and lanes would evict each other's lines. So
    /// each chunk begins one line further than the one before.
    fn new(index: usize, longest: usize) -> Result<Self, Failure> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(longest + BEFORE).map_err(|_| Failure::Memory(longest))?;
        // Non-zero, so that the system commits the pages.
        memory.resize(longest + BEFORE, 0xff);
        let start = memory.as_ptr().align_offset(LINE).min(LINE) + index % STAGGER * LINE;
        Ok(Self { number: 0, memory, start, length: 0, digest: None })
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.length]
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.start..][..self.length]
    }
}

fn chunks(plan: &Plan) -> Result<Vec<VecDeque<Chunk>>, Failure> {
    let chunk = |p: usize, buffer: usize| Chunk::new(p + buffer * plan.producers, plan.longest());
    (0..plan.producers)
        .map(|p| (0..plan.buffers).map(|buffer| chunk(p, buffer)).collect())
        .collect()
}

pub(super) fn run(plan: &Plan, way: Way) -> Result<Figures, Failure> {
    let data = Data::new(plan.longest());
    // All chunks of a stream have to reach, in order, the consumer that owns its hasher.
    let queues = if plan.stream { plan.consumers } else { 1 };
    let exchange = Exchange::new(chunks(plan)?, plan.consumers, queues);
    let server = AnyHashServer::new(plan.algorithm);
    let shared = Shared {
        plan,
        way,
        data: &data,
        exchange: &exchange,
        server: &server,
        ready: Barrier::new(plan.producers + plan.consumers + 1),
        begin: OnceLock::new(),
        progress: if plan.total >= PROGRESS_FROM {
            progress(plan.total)
        } else {
            ProgressBar::hidden()
        },
    };
    let (elapsed, produced, consumed) = shared.threads();
    shared.progress.finish_and_clear();

    let verified =
        if plan.verify { Some(verify(plan, &data, &produced, &consumed)?) } else { None };
    let mut figures = Figures {
        elapsed,
        bytes: consumed.iter().map(|consumed| consumed.bytes).sum(),
        // The ends of the streams are hashed when no chunk is ready any more.
        ready: exchange.busy()
            + consumed.iter().map(|consumed| consumed.ending).max().unwrap_or_default(),
        hashing: consumed.iter().map(|consumed| consumed.hashing).sum(),
        cpu: consumed.iter().map(|consumed| consumed.cpu).sum(),
        cycles: consumed
            .iter()
            .map(|consumed| Some(consumed.cpu.as_secs_f64() * consumed.hertz?))
            .sum(),
        consumers: plan.consumers,
        lanes: 1.0,
        lanes_available: 1.0,
        kernels: BTreeMap::new(),
        verified,
    };
    if plan.stream && way == Way::Lanes {
        let stats = server.stats();
        let alone = stats.bytes - stats.bytes_shared;
        let in_step = stats.bytes_shared as f64 / stats.mean_lanes.max(1.0);
        figures.lanes = stats.bytes as f64 / (alone as f64 + in_step).max(1.0);
        figures.lanes_available = stats.full_lanes as f64;
        for kernel in &stats.kernels {
            *figures.kernels.entry(kernel.kernel).or_default() += kernel.bytes;
        }
    } else {
        let sum = |field: fn(&Consumed) -> u64| consumed.iter().map(field).sum::<u64>() as f64;
        figures.lanes = sum(|consumed| consumed.chunks) / sum(|consumed| consumed.passes);
        figures.lanes_available = sum(|consumed| consumed.lanes) / sum(|consumed| consumed.passes);
        for (kernel, bytes) in consumed.iter().flat_map(|consumed| &consumed.kernels) {
            *figures.kernels.entry(kernel).or_default() += bytes;
        }
    }
    Ok(figures)
}

/// Progress is shown from this many bytes on. Shorter runs take only a moment.
const PROGRESS_FROM: u64 = 64 << 20;

/// A progress line on the standard error, if that is a terminal.
fn progress(total: u64) -> ProgressBar {
    let style = indicatif::ProgressStyle::with_template(
        "{percent:>3} % [{wide_bar}] {binary_bytes} of {binary_total_bytes}, \
         {binary_bytes_per_sec}, {eta} left",
    )
    .expect("the template is right");
    ProgressBar::new(total).with_style(style)
}

/// A started thread. Ends the program if the system refused to start it, since all other threads
/// wait for it at the barrier.
fn started<T>(thread: io::Result<T>) -> T {
    thread.unwrap_or_else(|error| {
        say(format_args!("simulate: the system starts no more threads: {}", reason(&error)));
        std::process::exit(1)
    })
}

struct Shared<'a> {
    plan: &'a Plan,
    way: Way,
    data: &'a Data,
    exchange: &'a Exchange<Chunk>,
    server: &'a AnyHashServer,
    /// Releases the threads when all have been started.
    ready: Barrier,
    /// When the first thread was released. The main thread does not set this: on a busy machine it
    /// may be the last one to run again, when all is done.
    begin: OnceLock<Instant>,
    progress: ProgressBar,
}

impl Shared<'_> {
    /// Runs all threads to completion.
    fn threads(&self) -> (Duration, Vec<Digests>, Vec<Consumed>) {
        let Self { plan, exchange, .. } = *self;
        thread::scope(|scope| {
            let consumers: Vec<_> = (0..plan.consumers)
                .map(|c| {
                    let consumer = exchange.consumer(c);
                    started(Builder::new().spawn_scoped(scope, move || self.consume(c, consumer)))
                })
                .collect();
            let producers: Vec<_> = (0..plan.producers)
                .map(|p| {
                    let producer = exchange.producer(p);
                    started(Builder::new().spawn_scoped(scope, move || self.produce(p, producer)))
                })
                .collect();
            self.ready.wait();
            let consumed: Vec<Consumed> = consumers
                .into_iter()
                .map(|thread| thread.join().expect("consumers do not panic"))
                .collect();
            let end = consumed.iter().map(|consumed| consumed.end).max();
            let elapsed = end.zip(self.begin.get()).map(|(end, begin)| end.duration_since(*begin));
            let produced = producers
                .into_iter()
                .map(|thread| thread.join().expect("producers do not panic"))
                .collect();
            (elapsed.unwrap_or_default(), produced, consumed)
        })
    }

    fn produce(&self, p: usize, producer: Producer<'_, Chunk>) -> Digests {
        let Self { plan, data, .. } = *self;
        if let Some(cpu) = plan.cpu_of_producer(p) {
            cpu::pin(cpu);
        }
        let kept = if plan.verify && !plan.stream { plan.chunks_of(p).count() } else { 0 };
        let mut digests = Digests::of(plan.algorithm, kept);
        let mut keep = |chunk: &mut Chunk| {
            if let (Some(digest), true) = (chunk.digest.take(), kept > 0) {
                digests.set((chunk.number / plan.producers as u64) as usize, &digest);
            }
        };
        self.ready.wait();
        self.begin.get_or_init(Instant::now);
        let mut pace = plan.speed.map(Pace::new);
        for number in plan.chunks_of(p) {
            let Some(mut chunk) = producer.acquire() else { return digests };
            keep(&mut chunk);
            (chunk.number, chunk.length) = (number, plan.length(number));
            data.fill(number, chunk.bytes_mut());
            if let Some(pace) = &mut pace {
                pace.wait(chunk.length);
            }
            producer.submit(chunk);
        }
        for _ in 0..plan.buffers {
            let Some(mut chunk) = producer.acquire() else { return digests };
            keep(&mut chunk);
        }
        digests
    }

    fn consume(&self, c: usize, consumer: Consumer<'_, Chunk>) -> Consumed {
        let Self { plan, way, .. } = *self;
        if let Some(cpu) = plan.cpu_of_consumer(c) {
            cpu::pin(cpu);
        }
        let engine = AnyEngine::new(plan.algorithm);
        let mut counted = Consumed::new();
        let before = clock::calibrate();
        self.ready.wait();
        self.begin.get_or_init(Instant::now);
        match (plan.stream, way) {
            (false, Way::Lanes) => self.together(&engine, &consumer, &mut counted),
            (false, Way::Alone) => self.one_by_one(&engine, &consumer, &mut counted),
            (true, Way::Lanes) => {
                self.streams(c, Served::new(self.server, plan), &consumer, &mut counted)
            }
            (true, Way::Alone) => {
                self.streams(c, Plain::new(&engine, plan), &consumer, &mut counted)
            }
        }
        counted.end = Instant::now();
        counted.hertz =
            before.zip(clock::calibrate()).map(|(before, after)| f64::midpoint(before, after));
        counted
    }

    fn together(&self, engine: &AnyEngine, consumer: &Consumer<'_, Chunk>, counted: &mut Consumed) {
        let lanes = Lanes::new(engine);
        let (widest, _) = lanes.of(usize::MAX);
        loop {
            let mut batch = consumer.take(widest);
            if batch.is_empty() {
                return;
            }
            let messages: Vec<&[u8]> = batch.iter().map(|(_, chunk)| chunk.as_ref()).collect();
            let bytes = messages.iter().map(|message| message.len() as u64).sum();
            let digests = counted.time(|| engine.digest_many(&messages));
            let (width, kernel) = lanes.of(messages.len());
            counted.add(messages.len(), width, kernel, bytes);
            for ((_, chunk), digest) in batch.iter_mut().zip(digests) {
                chunk.digest = Some(digest);
            }
            consumer.give_back(batch);
            self.progress.inc(bytes);
        }
    }

    fn one_by_one(
        &self,
        engine: &AnyEngine,
        consumer: &Consumer<'_, Chunk>,
        counted: &mut Consumed,
    ) {
        let (width, kernel) = Lanes::new(engine).of(1);
        loop {
            let mut batch = consumer.take(1);
            if batch.is_empty() {
                return;
            }
            for (_, chunk) in &mut batch {
                let message: &[u8] = chunk.as_ref();
                let digests = counted.time(|| engine.digest_many(&[message]));
                counted.add(1, width, kernel, message.len() as u64);
                chunk.digest = digests.first().copied();
                self.progress.inc(chunk.length as u64);
            }
            consumer.give_back(batch);
        }
    }

    fn streams(
        &self,
        c: usize,
        mut streams: impl Streams,
        consumer: &Consumer<'_, Chunk>,
        counted: &mut Consumed,
    ) {
        let engine = AnyEngine::new(self.plan.algorithm);
        let (width, kernel) = Lanes::new(&engine).of(1);
        loop {
            // Take all that are ready. The server decides which of them share lanes.
            let batch = consumer.take(usize::MAX);
            if batch.is_empty() {
                break;
            }
            counted.time(|| {
                let mut rest: Vec<(usize, &[u8])> =
                    batch.iter().map(|(p, chunk)| (*p, chunk.as_ref())).collect();
                while !rest.is_empty() {
                    streams.update(&mut rest);
                }
            });
            let bytes = batch.iter().map(|(_, chunk)| chunk.length as u64).sum();
            for (_, chunk) in &batch {
                counted.add(1, width, kernel, chunk.length as u64);
            }
            consumer.give_back(batch);
            self.progress.inc(bytes);
        }
        let before = counted.hashing;
        let own = (c..self.plan.producers).step_by(self.plan.consumers);
        counted.digests = counted.time(|| own.map(|p| (p, streams.finalize(p))).collect());
        counted.ending = counted.hashing - before;
    }
}

/// When chunks are due at a producer's target speed.
struct Pace {
    bytes_per_second: f64,
    due: Instant,
}

impl Pace {
    /// How much time a producer can catch up after it had to wait, as a source could from its own
    /// buffer. With more, a source would be faster than its target speed.
    const SLACK: Duration = Duration::from_millis(10);

    fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second as f64, due: Instant::now() }
    }

    /// Sleeps until a chunk of this many bytes is due.
    fn wait(&mut self, bytes: usize) {
        let now = Instant::now();
        let due = self.due + Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
        self.due = now.checked_sub(Self::SLACK).map_or(due, |earliest| due.max(earliest));
        thread::sleep(self.due.saturating_duration_since(now));
    }
}

/// Which kernel hashes a number of messages, and with how many lanes.
struct Lanes<'a> {
    engine: &'a AnyEngine,
    lanes: Vec<(usize, &'static str)>,
}

impl<'a> Lanes<'a> {
    fn new(engine: &'a AnyEngine) -> Self {
        Self {
            engine,
            lanes: engine.algorithm().kernels().map(|kernel| (kernel.lanes, kernel.name)).collect(),
        }
    }

    fn of(&self, messages: usize) -> (usize, &'static str) {
        let name = self.engine.kernel_for(messages);
        self.lanes.iter().copied().find(|kernel| kernel.1 == name).unwrap_or((1, name))
    }
}

/// What a consumer did.
struct Consumed {
    bytes: u64,
    chunks: u64,
    /// How many times lanes were filled with new chunks.
    passes: u64,
    /// Lanes used, summed over all passes.
    lanes: u64,
    hashing: Duration,
    cpu: Duration,
    /// The part of `hashing` after all chunks had been returned.
    ending: Duration,
    kernels: BTreeMap<&'static str, u64>,
    /// The digests of streams, with their producers.
    digests: Vec<(usize, AnyDigest)>,
    hertz: Option<f64>,
    end: Instant,
}

impl Consumed {
    fn new() -> Self {
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
    fn time<T>(&mut self, hash: impl FnOnce() -> T) -> T {
        let mut result = None;
        let begin = Instant::now();
        self.cpu += clock::time(|| result = Some(hash()));
        self.hashing += begin.elapsed();
        result.expect("it was called")
    }

    fn add(&mut self, chunks: usize, lanes: usize, kernel: &'static str, bytes: u64) {
        let passes = chunks.div_ceil(lanes) as u64;
        self.chunks += chunks as u64;
        self.passes += passes;
        self.lanes += passes * lanes as u64;
        self.bytes += bytes;
        *self.kernels.entry(kernel).or_default() += bytes;
    }
}

/// The streams of a consumer's producers.
trait Streams {
    /// Appends some of the bytes of `rest` to the producers' streams, in order, and removes them
    /// from `rest`.
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>);

    fn finalize(&mut self, producer: usize) -> AnyDigest;
}

/// Streams that are hashed through a server.
struct Served {
    hashers: Vec<AnyServerHasher>,
}

impl Served {
    /// Length of a write. One thread drives many streams, so a write must be short enough to be
    /// deferred. It then shares lanes with the writes to other streams.
    const WRITE: usize = 32 << 10;

    fn new(server: &AnyHashServer, plan: &Plan) -> Self {
        Self { hashers: (0..plan.producers).map(|_| server.hasher()).collect() }
    }
}

impl Streams for Served {
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>) {
        // A second chunk of the same stream waits until the first one is done.
        let mut written = vec![false; self.hashers.len()];
        rest.retain_mut(|(producer, bytes)| {
            if !std::mem::replace(&mut written[*producer], true) {
                let (now, later) = bytes.split_at(bytes.len().min(Self::WRITE));
                self.hashers[*producer].update(now);
                *bytes = later;
            }
            !bytes.is_empty()
        });
    }

    fn finalize(&mut self, producer: usize) -> AnyDigest {
        self.hashers[producer].finalize_reset()
    }
}

/// Streams that are hashed one by one, by single-message code.
struct Plain {
    hashers: Vec<AnyHashers>,
}

impl Plain {
    fn new(engine: &AnyEngine, plan: &Plan) -> Self {
        Self { hashers: (0..plan.producers).map(|_| engine.hashers(1)).collect() }
    }
}

impl Streams for Plain {
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>) {
        for (producer, bytes) in rest.drain(..) {
            self.hashers[producer].update(&[bytes]);
        }
    }

    fn finalize(&mut self, producer: usize) -> AnyDigest {
        self.hashers[producer].finalize_reset(0)
    }
}

/// Regenerates all chunks, and compares every digest with the reference. Returns the number of
/// digests.
fn verify(
    plan: &Plan,
    data: &Data,
    produced: &[Digests],
    consumed: &[Consumed],
) -> Result<u64, Failure> {
    let messages = if plan.stream { plan.producers } else { plan.chunks() as usize };
    let streams: BTreeMap<usize, AnyDigest> =
        consumed.iter().flat_map(|consumed| consumed.digests.clone()).collect();
    let next = AtomicUsize::new(0);
    let check = || {
        let mut buffer = vec![0; plan.longest()];
        let mut hasher = reference_hasher(plan.algorithm).expect("there is one for each algorithm");
        loop {
            let message = next.fetch_add(1, Ordering::Relaxed);
            if message >= messages {
                return Ok(());
            }
            let mut absorb = |number: u64| {
                let bytes = &mut buffer[..plan.length(number)];
                data.fill(number, bytes);
                hasher.update(bytes);
            };
            let (name, ours) = if plan.stream {
                plan.chunks_of(message).for_each(&mut absorb);
                (
                    format!("stream {message}"),
                    streams.get(&message).map_or(&[][..], |digest| digest.as_bytes()),
                )
            } else {
                absorb(message as u64);
                let (producer, index) = (message % plan.producers, message / plan.producers);
                (format!("chunk {message}"), produced[producer].get(plan.algorithm, index))
            };
            let reference = hasher.finalize_reset();
            if *reference != *ours {
                let (ours, reference) = (ours.to_vec(), reference.into_vec());
                let wrong =
                    WrongDigest { algorithm: plan.algorithm, message: name, ours, reference };
                return Err(Failure::Wrong(Box::new(wrong)));
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(plan.producers);
    thread::scope(|scope| {
        let threads: Vec<_> = (1..threads).map(|_| scope.spawn(check)).collect();
        check()?;
        threads.into_iter().try_for_each(|thread| thread.join().expect("the check does not panic"))
    })?;
    Ok(messages as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            algorithm: Algorithm::Sha1,
            producers: 3,
            speed: None,
            chunk: 1000,
            total: 7500,
            buffers: 1,
            consumers: 1,
            stream: false,
            verify: true,
            pin: Vec::new(),
        }
    }

    #[test]
    fn every_byte_is_hashed_whatever_the_shape() {
        for stream in [false, true] {
            for way in [Way::Lanes, Way::Alone] {
                for (producers, buffers, consumers, total) in [
                    (1, 1, 1, 1),
                    (3, 1, 1, 7500),
                    (3, 2, 2, 8000),
                    (20, 1, 3, 50_001),
                    (5, 3, 1, 999),
                ] {
                    let plan = Plan { producers, buffers, consumers, total, stream, ..plan() };
                    let figures = run(&plan, way).unwrap();
                    assert_eq!(figures.bytes, total, "{plan:?}");
                    let messages = if stream { producers as u64 } else { total.div_ceil(1000) };
                    assert_eq!(figures.verified, Some(messages));
                    assert!(figures.lanes >= 1.0 || figures.bytes < 64, "{figures:?}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_digest_is_noticed() {
        let plan = plan();
        let data = Data::new(plan.chunk);
        let mut produced: Vec<Digests> =
            (0..3).map(|p| Digests::of(plan.algorithm, plan.chunks_of(p).count())).collect();
        for number in 0..plan.chunks() {
            let mut chunk = vec![0; plan.length(number)];
            data.fill(number, &mut chunk);
            produced[number as usize % 3].set(number as usize / 3, &plan.algorithm.digest(&chunk));
        }
        assert_eq!(verify(&plan, &data, &produced, &[]).unwrap(), 8);
        produced[1].set(2, &plan.algorithm.digest(b"something else"));
        let Err(Failure::Wrong(wrong)) = verify(&plan, &data, &produced, &[]) else {
            panic!("it was not noticed")
        };
        assert_eq!(wrong.message, "chunk 7");
        assert!(wrong.to_string().starts_with("wrong sha1 digest of chunk 7: "));
    }

    #[test]
    fn a_pace_is_kept_and_little_is_caught_up() {
        let mut pace = Pace::new(1_000_000);
        let begin = Instant::now();
        for _ in 0..10 {
            pace.wait(2000);
        }
        assert!(begin.elapsed() >= Duration::from_millis(20));
        thread::sleep(Duration::from_millis(50));
        let begin = Instant::now();
        for _ in 0..15 {
            pace.wait(2000);
        }
        // This is 30 ms of data, of which at most the slack may be caught up.
        assert!(begin.elapsed() >= Duration::from_millis(18));
    }

    #[test]
    fn consumers_have_the_first_cpus_and_producers_the_rest() {
        let plan = |pin: &[usize], consumers| Plan { pin: pin.to_vec(), consumers, ..plan() };
        let two = plan(&[4, 5, 6, 7], 2);
        assert_eq!(
            (two.cpu_of_consumer(1), two.cpu_of_producer(0), two.cpu_of_producer(3)),
            (Some(5), Some(6), Some(7))
        );
        let one = plan(&[4], 1);
        assert_eq!((one.cpu_of_consumer(0), one.cpu_of_producer(2)), (Some(4), Some(4)));
        assert_eq!(plan(&[], 1).cpu_of_producer(0), None);
    }
}
