//! Numbered jobs, and their results in the order of the numbers.

use std::collections::VecDeque;
use std::iter::{Enumerate, Fuse};
use std::sync::PoisonError;

#[cfg(all(loom, test))]
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(all(loom, test))]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(loom, test)))]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(not(all(loom, test)))]
use std::sync::{Condvar, Mutex, MutexGuard};

/// Receives the results in order, from one thread at a time. An error ends the run.
pub trait Consumer<T> {
    /// The reason why the consumer stops the run.
    type Error;

    /// The next result.
    ///
    /// # Errors
    /// Any error ends the run.
    fn consume(&mut self, result: T) -> Result<(), Self::Error>;

    /// Called after results, when no more are ready for the time being.
    ///
    /// # Errors
    /// Any error ends the run.
    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

impl<T, E, F: FnMut(T) -> Result<(), E>> Consumer<T> for F {
    type Error = E;

    fn consume(&mut self, result: T) -> Result<(), E> {
        self(result)
    }
}

/// A job's place in the order, and its share of the room. Each ticket is delivered at most once.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    /// Counts jobs from 0.
    pub number: u64,
    /// The room that the job takes until its result is consumed.
    pub cost: usize,
}

/// Brings results into order.
pub struct Ordered<T, C: Consumer<T>> {
    state: Mutex<State<T, C>>,
    /// Wakes workers that wait for room.
    changed: Condvar,
    room: usize,
    /// The cost of all jobs that have a ticket and are not consumed.
    in_flight: AtomicUsize,
    /// The run ends: nobody takes jobs or consumes results any more.
    ended: AtomicBool,
}

struct State<T, C: Consumer<T>> {
    /// The number of the first entry in `results`.
    next: u64,
    /// Results that wait for an earlier one, with their costs.
    results: VecDeque<Option<(usize, T)>>,
    /// `None` while a worker passes results to it, and after the end.
    consumer: Option<C>,
    error: Option<C::Error>,
    /// Missing results will not come.
    skips_gaps: bool,
    /// Workers that wait for room.
    waiting: usize,
}

impl<T, C: Consumer<T>> Ordered<T, C> {
    /// Results go to `consumer`. Tickets are issued as long as those in flight cost less than
    /// `room`.
    pub fn new(consumer: C, room: usize) -> Self {
        Self {
            state: Mutex::new(State {
                next: 0,
                results: VecDeque::new(),
                consumer: Some(consumer),
                error: None,
                skips_gaps: false,
                waiting: 0,
            }),
            changed: Condvar::new(),
            room,
            in_flight: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Whether another ticket may be issued.
    pub fn has_room(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) < self.room
    }

    /// Issues the ticket of a job. For callers without a [`Supply`]: they lock their source while
    /// they check for room, take a job and get its ticket.
    pub fn ticket(&self, number: u64, cost: usize) -> Ticket {
        self.in_flight.fetch_add(cost, Ordering::Relaxed);
        Ticket { number, cost }
    }

    /// Waits until there is room. `false` if the run ends.
    fn wait_for_room(&self) -> bool {
        let mut state = lock(&self.state);
        while !self.has_room() && !self.has_ended() {
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        !self.has_ended()
    }

    /// Takes results in any order, and passes those whose turn has come to the consumer, unless
    /// another worker is doing so: then that one passes these on too.
    pub fn deliver(&self, results: impl IntoIterator<Item = (Ticket, T)>) {
        let mut state = lock(&self.state);
        results.into_iter().for_each(|(ticket, result)| state.insert(ticket, result));
        let Some(mut consumer) = state.consumer.take() else { return };
        let mut is_flushed = true;
        while !self.has_ended() {
            let next = state.pop();
            if next.is_none() && is_flushed {
                state.consumer = Some(consumer);
                return;
            }
            drop(state);
            is_flushed = next.is_none();
            let outcome = match next {
                Some((cost, result)) => {
                    let outcome = consumer.consume(result);
                    self.in_flight.fetch_sub(cost, Ordering::Relaxed);
                    outcome
                }
                None => consumer.flush(),
            };
            if let Err(error) = outcome {
                return self.fail(error);
            }
            // Whoever found no room holds the lock until it waits, so it is woken.
            state = lock(&self.state);
            if state.waiting > 0 {
                self.changed.notify_all();
            }
        }
        // The run has ended. The consumer is dropped without the lock: its `drop` is foreign code.
        drop(state);
    }

    /// Passes on all results that are there. Those that are missing will not come, or come too
    /// late and are dropped.
    pub fn deliver_rest(&self) {
        lock(&self.state).skips_gaps = true;
        self.deliver([]);
    }

    /// Ends the run. [`finish`](Self::finish) returns the first error.
    pub fn fail(&self, error: C::Error) {
        self.end(Some(error));
    }

    /// Ends the run when it is dropped by a panic. Without it, others might wait for the result of
    /// the worker that panicked.
    pub fn end_on_panic(&self) -> EndOnPanic<'_, T, C> {
        EndOnPanic(self)
    }

    fn end(&self, error: Option<C::Error>) {
        let mut state = lock(&self.state);
        state.error = state.error.take().or(error);
        self.ended.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether the consumer or a worker has failed.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// How the run ended, once all workers have.
    ///
    /// # Errors
    /// The first error of the consumer or of [`fail`](Self::fail).
    pub fn finish(self) -> Result<(), C::Error> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }
}

impl<T, C: Consumer<T>> State<T, C> {
    fn insert(&mut self, ticket: Ticket, result: T) {
        if self.skips_gaps && ticket.number < self.next {
            return;
        }
        // Without gaps to skip, `next` is a number that has not been delivered.
        let place = (ticket.number - self.next) as usize;
        if self.results.len() <= place {
            self.results.resize_with(place + 1, || None);
        }
        self.results[place] = Some((ticket.cost, result));
    }

    /// The next result, if it is there.
    fn pop(&mut self) -> Option<(usize, T)> {
        while self.results.front().is_some_and(|first| first.is_some() || self.skips_gaps) {
            self.next += 1;
            if let Some(Some(result)) = self.results.pop_front() {
                return Some(result);
            }
        }
        None
    }
}

/// What [`Ordered::end_on_panic`] returns.
pub struct EndOnPanic<'a, T, C: Consumer<T>>(&'a Ordered<T, C>);

impl<T, C: Consumer<T>> Drop for EndOnPanic<'_, T, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(None);
        }
    }
}

/// Hands out jobs in order. Each takes a room of 1.
pub struct Supply<I>(Mutex<Enumerate<Fuse<I>>>);

impl<I: Iterator> Supply<I> {
    /// The jobs. One thread at a time waits for the next.
    pub fn new(jobs: I) -> Self {
        Self(Mutex::new(jobs.fuse().enumerate()))
    }

    /// The next job. `None` if there is none left or the run ends.
    ///
    /// A worker may wait for room if it has delivered all that it has taken. Others get `None` when
    /// there is no room: the room may depend on what they still have.
    pub fn take<T, C: Consumer<T>>(
        &self,
        ordered: &Ordered<T, C>,
        may_wait: bool,
    ) -> Option<(Ticket, I::Item)> {
        loop {
            if ordered.has_ended() {
                return None;
            }
            let mut jobs = lock(&self.0);
            if ordered.has_room() {
                let (number, job) = jobs.next()?;
                return Some((ordered.ticket(number as u64, 1), job));
            }
            drop(jobs);
            if !may_wait || !ordered.wait_for_room() {
                return None;
            }
        }
    }
}

/// Locks. A panic of another thread ends the whole run, so the state that it left does not matter.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(loom, test))]
mod model {
    //! Every order of the steps of a few workers, up to a bound on preemptions:
    //!
    //! ```text
    //! cargo xtask loom ordered::model
    //! ```

    use std::ops::Range;

    use loom::model::Builder;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// Jobs are numbers, and so are their results.
    struct Run<C: Consumer<u64>> {
        numbers: Supply<Range<u64>>,
        ordered: Ordered<u64, C>,
    }

    /// Remembers what it consumed. Fails at a number, if one is given.
    struct Seen(Arc<Mutex<Vec<u64>>>, Option<u64>);

    impl Consumer<u64> for Seen {
        type Error = u64;

        fn consume(&mut self, result: u64) -> Result<(), u64> {
            if self.1 == Some(result) {
                return Err(result);
            }
            lock(&self.0).push(result);
            Ok(())
        }
    }

    impl<C: Consumer<u64>> Run<C> {
        fn work(&self) {
            while let Some((ticket, number)) = self.numbers.take(&self.ordered, true) {
                assert!(self.ordered.in_flight.load(Ordering::Relaxed) <= self.ordered.room);
                self.ordered.deliver([(ticket, number)]);
            }
        }
    }

    fn builder() -> Builder {
        let mut builder = Builder::new();
        builder.preemption_bound = Some(builder.preemption_bound.map_or(3, |bound| bound.min(3)));
        builder
    }

    /// Runs two workers on `count` jobs, and returns what was consumed and how it ended.
    fn explore(
        count: u64,
        room: usize,
        fails_at: Option<u64>,
        other: fn(&Run<Seen>),
        check: fn(Vec<u64>, Result<(), u64>),
    ) {
        builder().check(move || {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let ordered = Ordered::new(Seen(Arc::clone(&seen), fails_at), room);
            let run = Arc::new(Run { numbers: Supply::new(0..count), ordered });
            let theirs = Arc::clone(&run);
            let thread = thread::spawn(move || other(&theirs));
            run.work();
            thread.join().unwrap();
            let run = Arc::try_unwrap(run).ok().expect("the other worker has ended");
            let outcome = run.ordered.finish();
            check(lock(&seen).clone(), outcome);
        });
    }

    #[test]
    fn all_results_come_in_order() {
        for room in [1, 2] {
            explore(3, room, None, Run::work, |seen, outcome| {
                assert_eq!((seen, outcome), (vec![0, 1, 2], Ok(())));
            });
        }
    }

    #[test]
    fn workers_end_when_the_consumer_fails() {
        explore(3, 1, Some(1), Run::work, |seen, outcome| {
            assert_eq!((seen, outcome), (vec![0], Err(1)));
        });
    }

    #[test]
    fn a_worker_that_fails_releases_those_that_wait_for_room() {
        let fail = |run: &Run<Seen>| {
            if let Some((_, number)) = run.numbers.take(&run.ordered, true) {
                run.ordered.fail(10 + number);
            }
        };
        explore(2, 1, None, fail, |seen, outcome| match outcome {
            Ok(()) => assert_eq!(seen, [0, 1]),
            Err(error) => assert_eq!(seen.len() as u64, error - 10),
        });
    }

    #[test]
    fn a_missing_result_is_skipped_at_the_end() {
        builder().check(|| {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let ordered = Ordered::new(Seen(Arc::clone(&seen), None), 4);
            let run = Arc::new(Run { numbers: Supply::new(0..3), ordered });
            let theirs = Arc::clone(&run);
            // This worker gives up its job, if it gets one.
            let thread = thread::spawn(move || {
                let _ = theirs.numbers.take(&theirs.ordered, false);
            });
            run.work();
            run.ordered.deliver_rest();
            thread.join().unwrap();
            let seen = lock(&seen);
            assert!(seen.len() >= 2 && seen.is_sorted(), "{seen:?}");
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Weak};

    use super::*;
    use crate::run;

    /// Works on a few numbers with four threads. Each number is its own result.
    fn count_to<E: Send>(
        count: u64,
        room: usize,
        work: impl Fn(u64) -> u64 + Sync,
        consume: impl FnMut(u64) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let (numbers, ordered) = (Supply::new(0..count), Ordered::new(consume, room));
        run(4, || {
            let _guard = ordered.end_on_panic();
            while let Some((ticket, number)) = numbers.take(&ordered, true) {
                ordered.deliver([(ticket, work(number))]);
            }
        });
        ordered.finish()
    }

    #[test]
    fn results_come_in_order_and_workers_keep_to_the_room() {
        for room in [1, 3, 100] {
            let (mut seen, consumed) = (Vec::new(), AtomicUsize::new(0));
            let work = |number| {
                let ahead = number as usize - consumed.load(Ordering::SeqCst).min(number as usize);
                assert!(ahead < room, "{ahead} ahead, with room for {room}");
                std::thread::yield_now();
                number
            };
            let consume = |number| {
                consumed.fetch_add(1, Ordering::SeqCst);
                seen.push(number);
                Ok::<_, ()>(())
            };
            assert_eq!(count_to(1000, room, work, consume), Ok(()));
            assert!(seen.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn an_error_of_the_consumer_ends_the_run() {
        let mut seen = 0;
        let consume = |number| {
            seen += 1;
            if number == 7 { Err("seven") } else { Ok(()) }
        };
        assert_eq!(count_to(u64::MAX, 2, |number| number, consume), Err("seven"));
        assert_eq!(seen, 8);
    }

    #[test]
    fn a_panic_reaches_the_caller_while_others_wait_for_room() {
        let panics: [fn(u64) -> u64; 2] = [|number| [0, 1, 2][number as usize], |number| number];
        for (work, limit) in panics.into_iter().zip([u64::MAX, 3]) {
            let consume = |number| {
                assert!(number < limit, "the consumer panics too");
                Ok::<_, ()>(())
            };
            let run = AssertUnwindSafe(|| count_to(u64::MAX, 2, work, consume));
            assert!(catch_unwind(run).is_err());
        }
    }

    #[test]
    fn the_rest_is_delivered_without_what_is_missing() {
        let mut seen = Vec::new();
        let consume = |number: u64| {
            seen.push(number);
            Ok::<_, ()>(())
        };
        let ordered = Ordered::new(consume, usize::MAX);
        let tickets: Vec<Ticket> = (0..4).map(|number| ordered.ticket(number, 1)).collect();
        ordered.deliver([(tickets[3], 3), (tickets[1], 1)]);
        ordered.deliver_rest();
        // Too late.
        ordered.deliver([(tickets[0], 0), (tickets[2], 2)]);
        ordered.finish().unwrap();
        assert_eq!(seen, [1, 3]);
    }

    #[test]
    fn a_consumer_is_dropped_without_the_lock() {
        struct EndsWithin(Weak<Ordered<u64, Self>>, Arc<AtomicBool>);

        impl Consumer<u64> for EndsWithin {
            type Error = ();

            fn consume(&mut self, _: u64) -> Result<(), ()> {
                self.0.upgrade().expect("it is delivering").end(None);
                Ok(())
            }
        }

        impl Drop for EndsWithin {
            fn drop(&mut self) {
                let ordered = self.0.upgrade().expect("it is delivering");
                self.1.store(ordered.state.try_lock().is_ok(), Ordering::SeqCst);
            }
        }

        let was_free = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&was_free);
        let ordered = Arc::new_cyclic(|this| Ordered::new(EndsWithin(this.clone(), flag), 1));
        ordered.deliver([(ordered.ticket(0, 1), 0)]);
        assert!(was_free.load(Ordering::SeqCst));
    }

    #[test]
    fn results_are_flushed_when_no_more_are_ready() {
        struct Log(Vec<Option<u64>>);

        impl Consumer<u64> for &mut Log {
            type Error = ();

            fn consume(&mut self, result: u64) -> Result<(), ()> {
                self.0.push(Some(result));
                Ok(())
            }

            fn flush(&mut self) -> Result<(), ()> {
                self.0.push(None);
                Ok(())
            }
        }

        let mut log = Log(Vec::new());
        let ordered = Ordered::new(&mut log, usize::MAX);
        let tickets: Vec<Ticket> = (0..3).map(|number| ordered.ticket(number, 1)).collect();
        ordered.deliver([(tickets[1], 1)]);
        ordered.deliver([(tickets[0], 0)]);
        ordered.deliver([(tickets[2], 2)]);
        ordered.finish().unwrap();
        assert_eq!(log.0, [Some(0), Some(1), None, Some(2), None]);
    }
}
