//! One run: the threads of the producers and consumers.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Barrier, OnceLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use hashlanes::Engine;
use hashlanes::server::HashServer;
use hashlanes_measure::{clock, cpu};
use hashlanes_pool::lock;
use indicatif::ProgressBar;

use crate::terminal::message::{reason, say};

use super::chunk::Chunk;
use super::data::Data;
use super::exchange::{Consumer, Producer, exchange};
use super::measured::{Consumed, Figures, Lanes};
use super::pace::Pace;
use super::plan::{Failure, Plan};
use super::streams::{Plain, Served, Streams};
use super::verify::verify;

/// How chunks are hashed: together, or one by one for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Lanes,
    Alone,
}

fn chunks(plan: &Plan) -> Result<Vec<Vec<Chunk>>, Failure> {
    let chunk = |p: usize, buffer: usize| Chunk::new(p + buffer * plan.producers, plan.longest());
    (0..plan.producers)
        .map(|p| (0..plan.buffers).map(|buffer| chunk(p, buffer)).collect())
        .collect()
}

pub(super) fn run(plan: &Plan, way: Way) -> Result<Figures, Failure> {
    let data = Data::new(plan.longest());
    // All chunks of a stream have to reach, in order, the consumer that owns its hasher.
    let queues = if plan.stream { plan.consumers } else { 1 };
    let (producers, consumers, busy) = exchange(chunks(plan)?, plan.consumers, queues);
    let server = HashServer::of(plan.algorithm);
    let shared = Shared {
        plan,
        way,
        data: &data,
        server: &server,
        ready: Barrier::new(plan.producers + plan.consumers + 1),
        begin: OnceLock::new(),
        progress: if plan.total >= PROGRESS_FROM {
            progress(plan.total)
        } else {
            ProgressBar::hidden()
        },
    };
    let (elapsed, consumed) = shared.threads(producers, consumers);
    shared.progress.finish_and_clear();

    let verified = plan.verify.then(|| verify(plan, &data, &consumed)).transpose()?;
    let mut figures = Figures {
        elapsed,
        bytes: consumed.iter().map(|consumed| consumed.bytes).sum(),
        // The ends of the streams are hashed when no chunk is ready any more.
        ready: lock(&busy).time()
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
    server: &'a HashServer,
    /// Releases the threads when all have been started.
    ready: Barrier,
    /// When the first thread was released. The main thread does not set this: on a busy machine it
    /// may be the last one to run again, when all is done.
    begin: OnceLock<Instant>,
    progress: ProgressBar,
}

impl Shared<'_> {
    /// Runs all threads to completion.
    fn threads(
        &self,
        producers: Vec<Producer<Chunk>>,
        consumers: Vec<Consumer<Chunk>>,
    ) -> (Duration, Vec<Consumed>) {
        thread::scope(|scope| {
            let consume = |consumer| move || self.consume(&consumer);
            let consume = |it| started(Builder::new().spawn_scoped(scope, consume(it)));
            let consumers: Vec<_> = consumers.into_iter().map(consume).collect();
            for producer in producers {
                started(Builder::new().spawn_scoped(scope, move || self.produce(&producer)));
            }
            self.ready.wait();
            let consumed: Vec<Consumed> = consumers
                .into_iter()
                .map(|thread| thread.join().expect("consumers do not panic"))
                .collect();
            let end = consumed.iter().map(|consumed| consumed.end).max();
            let elapsed = end.zip(self.begin.get()).map(|(end, begin)| end.duration_since(*begin));
            (elapsed.unwrap_or_default(), consumed)
        })
    }

    fn produce(&self, producer: &Producer<Chunk>) {
        let Self { plan, data, .. } = *self;
        if let Some(cpu) = plan.cpu_of_producer(producer.number) {
            cpu::pin(cpu);
        }
        self.ready.wait();
        self.begin.get_or_init(Instant::now);
        let mut pace = plan.speed.map(Pace::new);
        for number in plan.chunks_of(producer.number) {
            let Some(mut chunk) = producer.acquire() else { return };
            (chunk.number, chunk.length) = (number, plan.length(number));
            data.fill(number, chunk.bytes_mut());
            if let Some(pace) = &mut pace {
                pace.wait(chunk.length);
            }
            producer.submit(chunk);
        }
    }

    fn consume(&self, consumer: &Consumer<Chunk>) -> Consumed {
        let Self { plan, way, .. } = *self;
        if let Some(cpu) = plan.cpu_of_consumer(consumer.number) {
            cpu::pin(cpu);
        }
        let engine = Engine::of(plan.algorithm);
        let mut counted = Consumed::new();
        let before = clock::calibrate();
        self.ready.wait();
        self.begin.get_or_init(Instant::now);
        match (plan.stream, way) {
            (false, way) => self.chunks(way, &engine, consumer, &mut counted),
            (true, Way::Lanes) => {
                self.streams(Served::new(self.server, plan), consumer, &mut counted)
            }
            (true, Way::Alone) => self.streams(Plain::new(&engine, plan), consumer, &mut counted),
        }
        counted.end = Instant::now();
        counted.hertz =
            before.zip(clock::calibrate()).map(|(before, after)| f64::midpoint(before, after));
        counted
    }

    fn chunks(
        &self,
        way: Way,
        engine: &Engine,
        consumer: &Consumer<Chunk>,
        counted: &mut Consumed,
    ) {
        let lanes = Lanes::new(engine);
        let (widest, _) = if way == Way::Lanes { lanes.of(usize::MAX) } else { lanes.of(1) };
        loop {
            let batch = consumer.take(widest);
            if batch.is_empty() {
                return;
            }
            let messages: Vec<&[u8]> = batch.iter().map(|(_, chunk)| chunk.as_ref()).collect();
            let together = if way == Way::Lanes { messages.len() } else { 1 };
            for (messages, chunks) in messages.chunks(together).zip(batch.chunks(together)) {
                let bytes = messages.iter().map(|message| message.len() as u64).sum();
                let digests = counted.time(|| engine.digest_many(messages));
                let (width, kernel) = lanes.of(messages.len());
                counted.add(messages.len(), width, kernel, bytes);
                if self.plan.verify {
                    let numbers = chunks.iter().map(|(_, chunk)| chunk.number);
                    counted.digests.extend(numbers.zip(digests));
                }
                self.progress.inc(bytes);
            }
            consumer.give_back(batch);
        }
    }

    fn streams(
        &self,
        mut streams: impl Streams,
        consumer: &Consumer<Chunk>,
        counted: &mut Consumed,
    ) {
        let engine = Engine::of(self.plan.algorithm);
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
        let own = (consumer.number..self.plan.producers).step_by(self.plan.consumers);
        counted.digests = counted.time(|| own.map(|p| (p as u64, streams.finalize(p))).collect());
        counted.ending = counted.hashing - before;
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

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
}
