//! One round: messages of several hashers side by side, until the lanes begin to run empty.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::Vec;

use super::queue::{Shared, Taken};
use super::slot::Message;
use super::staging::SMALL;
use crate::algorithm::{Family, State};
use crate::function::{HashFunction, sealed::Function};
use crate::kernel::{self, Kernels};
use crate::schedule::{self, Source, Stream, When, Work};

/// Pieces of a message in a round: what was staged, what was staged next, and the loan.
const PIECES: usize = 3;

/// A message in a round.
struct Task<'a, F: Family> {
    stream: &'a mut Stream<F>,
    pieces: [&'a [u8]; PIECES],
    /// The piece that is being hashed.
    current: usize,
    /// Bytes of each piece that have been hashed.
    consumed: [usize; PIECES],
}

impl<'a, F: Family> Task<'a, F> {
    /// A task for what is deferred and lent of a message.
    fn new<A: HashFunction + Function<Family = F>>(message: &'a mut Message<A>) -> Self {
        let Message { stream, staged, next, loan } = message;
        let lent = loan.as_ref().map_or(&[][..], |loan| loan.rest());
        Self {
            stream,
            pieces: [staged.as_slice(), next.as_slice(), lent],
            current: 0,
            consumed: [0; PIECES],
        }
    }

    fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// Goes on to the next piece that completes a block, taking in those that do not; false if
    /// there is none.
    fn advance(&mut self) -> bool {
        while self.current < PIECES {
            let piece = self.pieces[self.current];
            if self.stream.blocks(piece, false) > 0 {
                return true;
            }
            self.stream.absorb(piece, self.stream.state());
            self.finish_piece();
        }
        false
    }

    fn finish_piece(&mut self) {
        self.consumed[self.current] = self.pieces[self.current].len();
        self.current += 1;
    }
}

struct Tasks<'a, 't, F: Family> {
    tasks: &'t mut [Task<'a, F>],
    /// Those that wait for a lane, the longest last.
    waiting: Vec<usize>,
}

impl<'a, F: Family> Source<'a, F> for Tasks<'a, '_, F> {
    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, F>> {
        let id = self.waiting.pop()?;
        let task = &self.tasks[id];
        Some(task.stream.work(id, task.pieces[task.current], false, 0, stage))
    }

    fn done(&mut self, id: usize, state: State<F>) {
        let task = &mut self.tasks[id];
        task.stream.absorb(task.pieces[task.current], state);
        task.finish_piece();
        if task.advance() {
            self.waiting.push(id);
        }
    }

    fn suspended(&mut self, id: usize, state: State<F>, blocks: usize) {
        let task = &mut self.tasks[id];
        let carried = (task.stream.length() % F::BLOCK as u128) as usize;
        let bytes = blocks * F::BLOCK - carried;
        task.stream.absorb(&task.pieces[task.current][..bytes], state);
        task.consumed[task.current] = bytes;
    }
}

/// Messages that are out with this thread. They come home when it is dropped, whatever happens.
struct Batch<'s, A: HashFunction> {
    shared: &'s Shared<A>,
    taken: Vec<Taken<A>>,
    /// The round did not come to its end.
    lost: bool,
}

impl<A: HashFunction> Drop for Batch<'_, A> {
    fn drop(&mut self) {
        let (mut spare, mut sleeping, mut wakers) = (Vec::new(), Vec::new(), Vec::new());
        for Taken { slot, message } in self.taken.drain(..) {
            let mut place = slot.lock();
            place.lost |= self.lost;
            spare.extend(place.come_home(message));
            let Some(message) = &place.message else { continue };
            let lent = message.loan.as_ref().is_some_and(|loan| !loan.rest().is_empty());
            // A lost one is good for nothing: no other round should meet with what made this one
            // panic.
            if !place.lost && (message.deferred() > SMALL || lent) {
                self.shared.enter(&slot, &mut place);
            }
            let (sleeps, waker) = place.waiting();
            drop(place);
            if sleeps {
                sleeping.push(slot);
            }
            wakers.extend(waker);
        }
        self.shared.give_back(spare);
        // Only now, when all are home: whoever wakes up finds the whole company in the queue.
        sleeping.iter().for_each(|slot| slot.wake());
        for waker in wakers {
            // Foreign code. If it panics, which the panic hook has told, this thread and the
            // others' tasks go on.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}

/// Runs one round of everything that is ready. Does nothing unless that fills the lanes.
pub(super) fn full_round<A: HashFunction>(shared: &Shared<A>) {
    let mut batch = Batch { shared, taken: Vec::new(), lost: true };
    shared.take_full(&mut batch.taken);
    if !batch.taken.is_empty() {
        run(batch, None);
    }
}

/// Runs one round of the caller's own message, which is out, and of others that are in the queue.
/// `bytes` follow what is deferred of the own message; returns how many of them were hashed. The
/// message is home afterwards.
pub(super) fn own_round<A: HashFunction>(shared: &Shared<A>, own: Taken<A>, bytes: &[u8]) -> usize {
    let mut batch = Batch { shared, taken: Vec::with_capacity(shared.limits.batch), lost: true };
    batch.taken.push(own);
    shared.take_company(&mut batch.taken);
    run(batch, Some(bytes))
}

/// Runs one round and returns how many bytes of `own` were hashed, which follow what is deferred of
/// the first message.
fn run<A: HashFunction>(mut batch: Batch<'_, A>, own: Option<&[u8]>) -> usize {
    let limits = batch.shared.limits;
    let forced = batch.shared.engine.forced();

    let mut tasks: Vec<_> =
        batch.taken.iter_mut().map(|taken| Task::new(&mut taken.message)).collect();
    if let Some(bytes) = own {
        tasks[0].pieces[PIECES - 1] = bytes;
    }
    for task in &mut tasks {
        let last = &mut task.pieces[PIECES - 1];
        *last = &last[..last.len().min(limits.slice)];
    }
    hash(&mut tasks, forced);

    let sizes = tasks.iter().map(|task| task.consumed.iter().sum::<usize>() as u64);
    let total: u64 = sizes.clone().sum();
    if tasks.len() > 1 {
        let row = kernel::row::<A::Family>(tasks.len(), forced);
        // The lanes were busy at least as long as the longest message, and as all would be with
        // never an idle lane.
        let lanes = <A::Family as Kernels>::TABLE[row].lanes as u64;
        let longest = sizes.max().unwrap_or(0).max(total.div_ceil(lanes));
        batch.shared.counters.round(row, total, longest);
    } else {
        batch.shared.counters.alone(total);
    }

    let consumed: Vec<_> = tasks.into_iter().map(|task| task.consumed).collect();
    let own_consumed = if own.is_some() { consumed[0][PIECES - 1] } else { 0 };
    for (taken, [staged, next, lent]) in batch.taken.iter_mut().zip(consumed) {
        let message = &mut taken.message;
        message.staged.consume(staged);
        message.next.consume(next);
        if let Some(loan) = &mut message.loan {
            loan.consumed += lent;
        }
    }
    batch.lost = false;
    batch.shared.looked_for_company(batch.taken.len() - 1);
    own_consumed
}

/// Hashes the tasks side by side; at least one of them to its end.
fn hash<F: Kernels>(tasks: &mut [Task<'_, F>], forced: Option<usize>) {
    if let [task] = tasks {
        for piece in task.pieces {
            task.stream.update(piece, forced);
        }
        task.consumed = task.pieces.map(<[u8]>::len);
        return;
    }
    let mut waiting = Vec::with_capacity(tasks.len());
    for (id, task) in tasks.iter_mut().enumerate() {
        if task.advance() {
            waiting.push(id);
        }
    }
    waiting.sort_by_key(|&id| tasks[id].bytes());
    let mut source = Tasks { tasks, waiting };
    // A run may come to its end with a message's next piece just come to wait.
    while source.waiting() > 0 {
        schedule::run::<F>(&mut source, forced, When::LanesIdle);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::boxed::Box;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Wake, Waker};

    use super::super::options::{Limits, ServerOptions};
    use super::super::slot::Slot;
    use super::super::sync::Arc;
    use super::*;
    use crate::{Engine, Md5};

    /// Counts how often it is woken; the first one panics then.
    struct Rude {
        first: bool,
        woken: AtomicUsize,
    }

    impl Wake for Rude {
        fn wake(self: std::sync::Arc<Self>) {
            self.woken.fetch_add(1, Ordering::Relaxed);
            if self.first {
                // As a panic, but without a message on the terminal.
                std::panic::resume_unwind(Box::new("rude"));
            }
        }
    }

    #[test]
    fn a_waker_that_panics_harms_nobody_else() {
        let engine = Engine::<Md5>::new();
        let limits =
            Limits { worth: 2, batch: 8, full: 8, ..Limits::new(ServerOptions::new(), engine) };
        let shared = Shared::new(engine, limits);
        let slots: Vec<_> =
            (0..4).map(|_| Arc::new(Slot::new(Message::new(Stream::new(Md5::INITIAL))))).collect();
        for slot in &slots {
            let mut place = slot.lock();
            assert!(place.defer(&[7; 2000], limits.staging, || shared.buffer()));
            shared.enter(slot, &mut place);
        }
        let mut batch = Batch { shared: &shared, taken: Vec::new(), lost: true };
        shared.take_company(&mut batch.taken);
        assert_eq!(batch.taken.len(), 4);
        let wakers: Vec<_> = (0..4)
            .map(|i| std::sync::Arc::new(Rude { first: i == 0, woken: AtomicUsize::new(0) }))
            .collect();
        for (slot, waker) in slots.iter().zip(&wakers) {
            let waker = Waker::from(std::sync::Arc::clone(waker));
            assert!(slot.poll_home(&Context::from_waker(&waker)).is_pending());
        }
        assert!(
            catch_unwind(AssertUnwindSafe(|| run(batch, None))).is_ok(),
            "nor the thread that ran the round"
        );
        for (slot, waker) in slots.iter().zip(&wakers) {
            assert!(slot.lock().message.is_some(), "every message is home");
            assert_eq!(waker.woken.load(Ordering::Relaxed), 1);
        }
    }
}
