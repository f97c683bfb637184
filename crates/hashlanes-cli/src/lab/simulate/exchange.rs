//! Where chunks change hands: they go from their producer to a consumer, and back once they are
//! hashed.
//!
//! A chunk is a value that is in one place at a time: with its producer, in a channel, or with a
//! consumer. Handing it over moves it, so a producer cannot write to a chunk that is being hashed.
//! Whoever has gone has closed its ends of the channels, even after a panic.
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

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashlanes_pool::lock;

/// Measures for how long at least one chunk was ready or being hashed.
#[derive(Default)]
pub(super) struct Busy {
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

    /// The time so far.
    pub(super) fn time(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

pub(super) struct Producer<T> {
    pub(super) number: usize,
    free: Receiver<T>,
    ready: Sender<(usize, T)>,
    /// How many chunks are in its queue.
    waiting: Arc<AtomicUsize>,
    busy: Arc<Mutex<Busy>>,
}

pub(super) struct Consumer<T> {
    pub(super) number: usize,
    /// The chunks to be hashed, each with the number of its producer.
    ready: Arc<Mutex<Receiver<(usize, T)>>>,
    waiting: Arc<AtomicUsize>,
    /// For each producer of the queue: where it waits for free chunks.
    free: Vec<Sender<T>>,
    queues: usize,
    busy: Arc<Mutex<Busy>>,
}

/// All producers and consumers, and how long at least one chunk was ready or being hashed.
type Exchange<T> = (Vec<Producer<T>>, Vec<Consumer<T>>, Arc<Mutex<Busy>>);

/// An exchange with `queues` queues. Each item of `chunks` has the chunks of one producer. Producer
/// `p` submits to queue `p % queues`. Consumer `c` takes from queue `c % queues`.
pub(super) fn exchange<T>(chunks: Vec<Vec<T>>, consumers: usize, queues: usize) -> Exchange<T> {
    let busy: Arc<Mutex<Busy>> = Arc::default();
    let (mut of_chunks, mut of_queues): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    for _ in 0..queues {
        let (submitted, ready) = channel();
        let queue: (_, _, Arc<AtomicUsize>) =
            (Arc::new(Mutex::new(ready)), Vec::new(), Arc::default());
        of_queues.push((submitted, queue));
    }
    for (number, chunks) in chunks.into_iter().enumerate() {
        let (given, free) = channel();
        chunks.into_iter().for_each(|chunk| given.send(chunk).expect("the receiver is here"));
        let (submitted, (_, all, waiting)) = &mut of_queues[number % queues];
        all.push(given);
        let (ready, waiting) = (submitted.clone(), Arc::clone(waiting));
        of_chunks.push(Producer { number, free, ready, waiting, busy: Arc::clone(&busy) });
    }
    let consumer = |number: usize| {
        let (_, (ready, free, waiting)) = &of_queues[number % queues];
        let (ready, free, waiting) = (Arc::clone(ready), free.clone(), Arc::clone(waiting));
        Consumer { number, ready, waiting, free, queues, busy: Arc::clone(&busy) }
    };
    let consumers = (0..consumers).map(consumer).collect();
    (of_chunks, consumers, busy)
}

impl<T> Producer<T> {
    /// Waits for a free chunk. `None` if none can come back, since all consumers have gone.
    pub(super) fn acquire(&self) -> Option<T> {
        self.free.recv().ok()
    }

    /// Hands a chunk over to be hashed.
    pub(super) fn submit(&self, chunk: T) {
        lock(&self.busy).add();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // If all consumers have gone, there is no chunk to acquire either.
        let _ = self.ready.send((self.number, chunk));
    }
}

impl<T> Consumer<T> {
    /// Waits until chunks are ready, and takes some. Empty if no more will come.
    ///
    /// The consumer takes its share, rounded down to a multiple of `lanes`, but at least `lanes`
    /// chunks if there are as many.
    pub(super) fn take(&self, lanes: usize) -> Vec<(usize, T)> {
        let ready = lock(&self.ready);
        let Ok(first) = ready.recv() else { return Vec::new() };
        let consumers = Arc::strong_count(&self.ready);
        let share = self.waiting.load(Ordering::Relaxed).div_ceil(consumers);
        let most = lanes.max(share - share % lanes);
        let taken: Vec<_> = iter::once(first).chain(ready.try_iter()).take(most).collect();
        self.waiting.fetch_sub(taken.len(), Ordering::Relaxed);
        taken
    }

    /// Returns chunks to their producers.
    pub(super) fn give_back(&self, chunks: Vec<(usize, T)>) {
        lock(&self.busy).remove(chunks.len());
        for (producer, chunk) in chunks {
            // A producer that has gone needs none.
            let _ = self.free[producer / self.queues].send(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_takes_full_lanes_and_its_share() {
        let (mut producers, mut consumers, _) = exchange(vec![Vec::new()], 2, 1);
        let (producer, other) = (producers.remove(0), consumers.remove(1));
        let one = consumers.remove(0);
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
        let (producers, consumers, time) = exchange(vec![vec![7]], 1, 1);
        let (producer, consumer) = (&producers[0], &consumers[0]);
        let busy = || lock(&time).time();
        let pause = || std::thread::sleep(Duration::from_millis(5));
        pause();
        assert_eq!(busy(), Duration::ZERO);
        producer.submit(producer.acquire().unwrap());
        pause();
        let batch = consumer.take(1);
        pause();
        consumer.give_back(batch);
        let after = busy();
        assert!(after >= Duration::from_millis(10));
        pause();
        assert_eq!(busy(), after);
    }

    #[test]
    fn consumers_with_queues_of_their_own_get_their_producers_chunks_in_order() {
        let chunks = (0..3).map(|p| vec![10 * p, 10 * p + 1]).collect();
        let (producers, consumers, _) = exchange(chunks, 2, 2);
        for producer in &producers {
            (0..2).for_each(|_| producer.submit(producer.acquire().unwrap()));
        }
        let batches = [vec![(0, 0), (0, 1), (2, 20), (2, 21)], vec![(1, 10), (1, 11)]];
        for (consumer, batch) in consumers.iter().zip(batches) {
            assert_eq!(consumer.take(usize::MAX), batch);
            consumer.give_back(batch);
        }
        for (producer, chunk) in producers.iter().zip([0, 10, 20]) {
            assert_eq!(producer.acquire(), Some(chunk));
        }
        // Those of the other queue have no consumer any more.
        drop(consumers.into_iter().nth(1));
        assert_eq!((producers[1].acquire(), producers[1].acquire()), (Some(11), None));
    }
}
