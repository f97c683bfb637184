//! Where chunks change hands: they go from their producer to a consumer, and back once they are
//! hashed.
//!
//! A chunk is a value that is in one place at a time: with its producer, in a queue here, or with a
//! consumer. Handing it over moves it, so a producer cannot write to a chunk that is being hashed.
//! The two sides share nothing else, and there is no `unsafe`. Models under loom show that no chunk
//! is lost, duplicated or reordered.
//!
//! ```text
//!             acquire                submit                take
//!   free[p] ----------> producer p ----------> ready[q] ----------> consumer
//!      ^                                                               |
//!      +------------------------- give_back ---------------------------+
//! ```
//!
//! There is one queue for all consumers, or one for each. With a queue for each, a consumer sees
//! all chunks of its producers, in order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

#[cfg(all(loom, test))]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(loom, test)))]
use std::sync::{Condvar, Mutex, MutexGuard};

pub(super) struct Exchange<T> {
    state: Mutex<State<T>>,
    /// For each producer: notified when one of its chunks is free again.
    free: Vec<Condvar>,
    /// For each queue: notified when a chunk is ready, or when no more will come.
    ready: Vec<Condvar>,
}

struct State<T> {
    /// For each producer: the chunks that it may write.
    free: Vec<VecDeque<T>>,
    /// For each queue: the chunks to be hashed, each with the number of its producer.
    ready: Vec<VecDeque<(usize, T)>>,
    /// For each queue: how many producers may still submit to it.
    producers: Vec<usize>,
    /// For each queue: how many consumers may still take from it.
    consumers: Vec<usize>,
    busy: Busy,
}

/// Measures for how long at least one chunk was ready or being hashed.
#[derive(Default)]
struct Busy {
    chunks: usize,
    since: Option<Instant>,
    before: Duration,
}

impl Busy {
    fn add(&mut self) {
        self.chunks += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    fn remove(&mut self, chunks: usize) {
        self.chunks -= chunks;
        if self.chunks == 0
            && let Some(since) = self.since.take()
        {
            self.before += since.elapsed();
        }
    }
}

impl<T> Exchange<T> {
    /// An exchange with `queues` queues. Each item of `chunks` has the chunks of one producer.
    /// Producer `p` submits to queue `p % queues`. Consumer `c` takes from queue `c % queues`.
    pub(super) fn new(chunks: Vec<VecDeque<T>>, consumers: usize, queues: usize) -> Self {
        let of_queue =
            |count: usize| (0..queues).map(|q| (q..count).step_by(queues).count()).collect();
        Self {
            free: chunks.iter().map(|_| Condvar::new()).collect(),
            ready: (0..queues).map(|_| Condvar::new()).collect(),
            state: Mutex::new(State {
                producers: of_queue(chunks.len()),
                consumers: of_queue(consumers),
                free: chunks,
                ready: (0..queues).map(|_| VecDeque::new()).collect(),
                busy: Busy::default(),
            }),
        }
    }

    /// The handle of producer `p`. Create it only once.
    pub(super) fn producer(&self, p: usize) -> Producer<'_, T> {
        Producer { exchange: self, p, queue: p % self.ready.len() }
    }

    /// The handle of consumer `c`. Create it only once.
    pub(super) fn consumer(&self, c: usize) -> Consumer<'_, T> {
        Consumer { exchange: self, queue: c % self.ready.len() }
    }

    /// For how long at least one chunk has been ready or being hashed so far.
    pub(super) fn busy(&self) -> Duration {
        let Busy { since, before, .. } = &self.lock().busy;
        *before + since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Locks the state. It is consistent even after a panic with the lock held, since every change
    /// below is a single move.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|error| error.into_inner())
    }
}

fn wait<'a, T>(condvar: &Condvar, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
    condvar.wait(state).unwrap_or_else(|error| error.into_inner())
}

pub(super) struct Producer<'a, T> {
    exchange: &'a Exchange<T>,
    p: usize,
    queue: usize,
}

impl<T> Producer<'_, T> {
    /// Waits for a free chunk. `None` if none can come back, since all consumers have gone.
    pub(super) fn acquire(&self) -> Option<T> {
        let mut state = self.exchange.lock();
        loop {
            if let Some(chunk) = state.free[self.p].pop_front() {
                return Some(chunk);
            }
            if state.consumers[self.queue] == 0 {
                return None;
            }
            state = wait(&self.exchange.free[self.p], state);
        }
    }

    /// Hands a chunk over to be hashed.
    pub(super) fn submit(&self, chunk: T) {
        let mut state = self.exchange.lock();
        state.busy.add();
        state.ready[self.queue].push_back((self.p, chunk));
        drop(state);
        self.exchange.ready[self.queue].notify_one();
    }
}

impl<T> Drop for Producer<'_, T> {
    /// Tells the consumers that this producer submits no more, even after a panic.
    fn drop(&mut self) {
        self.exchange.lock().producers[self.queue] -= 1;
        self.exchange.ready[self.queue].notify_all();
    }
}

pub(super) struct Consumer<'a, T> {
    exchange: &'a Exchange<T>,
    queue: usize,
}

impl<T> Consumer<'_, T> {
    /// Waits until chunks are ready, and takes some. Empty if no more will come.
    ///
    /// The consumer takes its share, rounded down to a multiple of `lanes`, but at least `lanes`
    /// chunks if there are as many.
    pub(super) fn take(&self, lanes: usize) -> Vec<(usize, T)> {
        let mut state = self.exchange.lock();
        loop {
            let ready = state.ready[self.queue].len();
            if ready > 0 {
                let share = ready.div_ceil(state.consumers[self.queue].max(1));
                let count = ready.min(lanes.max(share - share % lanes));
                return state.ready[self.queue].drain(..count).collect();
            }
            if state.producers[self.queue] == 0 {
                return Vec::new();
            }
            state = wait(&self.exchange.ready[self.queue], state);
        }
    }

    /// Returns chunks to their producers.
    pub(super) fn give_back(&self, chunks: Vec<(usize, T)>) {
        let producers: Vec<usize> = chunks.iter().map(|chunk| chunk.0).collect();
        let mut state = self.exchange.lock();
        state.busy.remove(chunks.len());
        for (producer, chunk) in chunks {
            state.free[producer].push_back(chunk);
        }
        drop(state);
        for producer in producers {
            self.exchange.free[producer].notify_one();
        }
    }
}

impl<T> Drop for Consumer<'_, T> {
    /// Tells the producers that this consumer takes no more, even after a panic.
    fn drop(&mut self) {
        self.exchange.lock().consumers[self.queue] -= 1;
        for free in &self.exchange.free {
            free.notify_all();
        }
    }
}

#[cfg(all(loom, test))]
mod model {
    //! Models of a few threads. Loom tries every order of their steps, up to a bound on
    //! preemptions:
    //!
    //! ```text
    //! cargo xtask loom exchange::model
    //! ```
    //!
    //! The models are compiled in a package of their own, `models/`.

    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A chunk that records every access with loom. The model fails if a write is concurrent with
    /// another access, or if no lock orders a read after the write.
    struct Chunk {
        access: Arc<UnsafeCell<()>>,
        content: usize,
        hashed: Option<usize>,
    }

    impl Chunk {
        fn write(&mut self, value: usize) {
            self.access.with_mut(|_| ());
            self.content = value;
            self.hashed = None;
        }

        fn read(&self) -> usize {
            self.access.with(|_| ());
            self.content
        }
    }

    fn consume(exchange: &Exchange<Chunk>, c: usize, producers: usize, in_order: bool) {
        let consumer = exchange.consumer(c);
        let mut seen = vec![0; producers];
        loop {
            let mut batch = consumer.take(1);
            if batch.is_empty() {
                return;
            }
            for (producer, chunk) in &mut batch {
                let value = chunk.read();
                assert_eq!(value / 10, *producer);
                if in_order {
                    assert_eq!(value % 10, seen[*producer], "chunks of a producer arrive in order");
                }
                seen[*producer] += 1;
                chunk.hashed = Some(value);
            }
            consumer.give_back(batch);
        }
    }

    /// Each producer hands over `rounds` values in `buffers` chunks. It must get each chunk back
    /// with the value that the consumer read.
    fn explore(producers: usize, buffers: usize, rounds: usize, consumers: usize, queues: usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(builder.preemption_bound.map_or(2, |bound| bound.min(2)));
        builder.check(move || {
            let chunk = || Chunk {
                access: Arc::new(UnsafeCell::new(())),
                content: usize::MAX,
                hashed: None,
            };
            let chunks = (0..producers).map(|_| (0..buffers).map(|_| chunk()).collect()).collect();
            let exchange = Arc::new(Exchange::new(chunks, consumers, queues));
            let mut threads = Vec::new();
            for p in 0..producers {
                let exchange = Arc::clone(&exchange);
                threads.push(thread::spawn(move || {
                    let producer = exchange.producer(p);
                    let mut back = Vec::new();
                    for round in 0..rounds {
                        let mut chunk = producer.acquire().expect("the consumers stay");
                        back.extend(chunk.hashed);
                        chunk.write(10 * p + round);
                        producer.submit(chunk);
                    }
                    for _ in 0..buffers {
                        back.extend(producer.acquire().expect("the consumers stay").hashed);
                    }
                    back.sort_unstable();
                    assert_eq!(back, (0..rounds).map(|round| 10 * p + round).collect::<Vec<_>>());
                }));
            }
            let in_order = queues == consumers;
            for c in 1..consumers {
                let exchange = Arc::clone(&exchange);
                threads.push(thread::spawn(move || consume(&exchange, c, producers, in_order)));
            }
            consume(&exchange, 0, producers, in_order);
            for thread in threads {
                thread.join().unwrap();
            }
            let state = exchange.lock();
            assert_eq!(state.busy.chunks, 0);
            assert!(
                state.free.iter().all(VecDeque::is_empty),
                "every producer got its chunks back"
            );
        });
    }

    #[test]
    fn a_chunk_comes_back_hashed() {
        explore(1, 1, 3, 1, 1);
        explore(1, 2, 3, 1, 1);
    }

    #[test]
    fn producers_share_a_consumer() {
        explore(2, 1, 2, 1, 1);
    }

    #[test]
    fn consumers_share_a_queue() {
        explore(1, 2, 2, 2, 1);
    }

    #[test]
    fn consumers_have_queues_of_their_own() {
        explore(2, 1, 1, 2, 2);
    }

    #[test]
    fn a_consumer_that_leaves_releases_the_producer() {
        loom::model(|| {
            let exchange = Arc::new(Exchange::new(vec![VecDeque::from([0])], 1, 1));
            let theirs = Arc::clone(&exchange);
            let thread = thread::spawn(move || {
                let producer = theirs.producer(0);
                while let Some(chunk) = producer.acquire() {
                    producer.submit(chunk + 1);
                }
            });
            let consumer = exchange.consumer(0);
            // The chunk is never returned, as if the thread had panicked.
            assert_eq!(consumer.take(4), [(0, 1)]);
            drop(consumer);
            thread.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_takes_full_lanes_and_its_share() {
        let exchange = Exchange::new(vec![VecDeque::new()], 2, 1);
        let producer = exchange.producer(0);
        let (one, other) = (exchange.consumer(0), exchange.consumer(1));
        let submit = |count: usize| (0..count).for_each(|chunk| producer.submit(chunk));
        for (ready, taken) in [(3, 3), (8, 8), (9, 8), (1, 2), (20, 8), (0, 8), (0, 4), (40, 16)] {
            submit(ready);
            assert_eq!(one.take(8).len(), taken);
        }
        drop(other);
        submit(0);
        assert_eq!(one.take(8).len(), 24);
        drop(producer);
        assert!(one.take(8).is_empty());
    }

    #[test]
    fn time_counts_while_a_chunk_is_ready_or_hashed() {
        let exchange = Exchange::new(vec![VecDeque::from([7])], 1, 1);
        let (producer, consumer) = (exchange.producer(0), exchange.consumer(0));
        let pause = || std::thread::sleep(Duration::from_millis(5));
        pause();
        assert_eq!(exchange.busy(), Duration::ZERO);
        producer.submit(producer.acquire().unwrap());
        pause();
        let batch = consumer.take(1);
        pause();
        consumer.give_back(batch);
        let busy = exchange.busy();
        assert!(busy >= Duration::from_millis(10));
        pause();
        assert_eq!(exchange.busy(), busy);
    }
}
