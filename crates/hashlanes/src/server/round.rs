//! One round: messages of several hashers side by side, until the lanes begin to run empty.

use std::collections::TryReserveError;
use std::vec::Vec;

use super::batch::{Batch, Taken};
use super::shared::Shared;
use super::slot::{Message, Place, Slot};
use super::sync::{Arc, MutexGuard};
use crate::family::{Family, State};
use crate::function::{HashFunction, sealed::Function};
use crate::kernel::{self, Kernels};
use crate::schedule::{self, Source, Stream, When, Work};
use crate::wipe;

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

    /// Goes on to the next piece that completes a block, and takes in those that do not. False if
    /// there is none.
    fn advance(&mut self) -> bool {
        while self.current < PIECES {
            let piece = self.pieces[self.current];
            if self.stream.blocks(piece, false) > 0 {
                return true;
            }
            self.stream.keep(piece);
            self.finish_piece();
        }
        false
    }

    fn finish_piece(&mut self) {
        self.consumed[self.current] = self.pieces[self.current].len();
        self.current += 1;
    }
}

/// Memory for the tasks of a round, got before any message is taken.
pub(super) struct Scratch<F: Family> {
    tasks: Vec<Task<'static, F>>,
    /// Those that wait for a lane.
    waiting: Vec<usize>,
    /// What was hashed of each.
    consumed: Vec<[usize; PIECES]>,
}

impl<F: Family> Scratch<F> {
    /// For so many tasks.
    pub(super) fn new(most: usize) -> Result<Self, TryReserveError> {
        let mut scratch = Self::default();
        scratch.tasks.try_reserve_exact(most)?;
        scratch.waiting.try_reserve_exact(most)?;
        scratch.consumed.try_reserve_exact(most)?;
        Ok(scratch)
    }
}

impl<F: Family> Default for Scratch<F> {
    fn default() -> Self {
        Self { tasks: Vec::new(), waiting: Vec::new(), consumed: Vec::new() }
    }
}

/// The tasks of a round, as the scheduler sees them.
struct Tasks<'a, 't, F: Family> {
    tasks: &'t mut [Task<'a, F>],
    /// Those that wait for a lane, the longest last.
    waiting: &'t mut Vec<usize>,
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

/// Runs one round of everything that is ready. Does nothing unless that fills the lanes.
pub(super) fn full_round<A: HashFunction>(shared: &Shared<A>) {
    let Ok(mut batch) = Batch::new(shared) else { return };
    shared.take_full(&mut batch.taken);
    if !batch.taken.is_empty() {
        run(batch, None);
        wipe::stack::<{ wipe::MANY }>();
    }
}

/// Runs one round of others' messages, if that is worth it. Returns whether there was one.
pub(super) fn help_round<A: HashFunction>(shared: &Shared<A>) -> bool {
    if shared.pending() < 2 {
        return false;
    }
    let Ok(mut batch) = Batch::new(shared) else { return false };
    shared.take_company(0, &mut batch.taken);
    if batch.taken.is_empty() {
        return false;
    }
    run(batch, None);
    wipe::stack::<{ wipe::MANY }>();
    true
}

/// Runs one round of the caller's own message, which is home, and of others that are in the queue.
/// `bytes` follow what is deferred of the own message. Returns how many of them were hashed. The
/// message is home afterwards.
pub(super) fn own_round<A: HashFunction>(
    mut batch: Batch<'_, A>,
    slot: &Arc<Slot<A>>,
    mut place: MutexGuard<'_, Place<A>>,
    bytes: &[u8],
) -> usize {
    let shared = batch.shared;
    shared.leave(&mut place);
    let message = place.go_out().expect("the caller waited for it");
    drop(place);
    batch.taken.push(Taken { slot: Arc::clone(slot), message });
    shared.take_company(1, &mut batch.taken);
    let hashed = run(batch, Some(bytes));
    wipe::stack::<{ wipe::MANY }>();
    hashed
}

/// Runs one round. `own` follows what is deferred of the first message; returns how many of its
/// bytes were hashed.
pub(super) fn run<A: HashFunction>(mut batch: Batch<'_, A>, own: Option<&[u8]>) -> usize {
    let shared = batch.shared;
    let forced = shared.engine.forced();

    let Scratch { mut tasks, mut waiting, mut consumed } = core::mem::take(&mut batch.scratch);
    tasks.extend(batch.taken.iter_mut().map(|taken| Task::new(&mut taken.message)));
    if let Some(bytes) = own {
        tasks[0].pieces[PIECES - 1] = bytes;
    }
    for task in &mut tasks {
        let last = &mut task.pieces[PIECES - 1];
        *last = &last[..last.len().min(shared.limits.slice)];
    }
    let underway = shared.company.begin(tasks.len());
    hash(&mut tasks, &mut waiting, forced);
    drop(underway);
    consumed.extend(tasks.into_iter().map(|task| task.consumed));

    count(shared, &consumed);
    for (taken, &[staged, next, lent]) in batch.taken.iter_mut().zip(&consumed) {
        let message = &mut taken.message;
        message.staged.consume(staged);
        message.next.consume(next);
        if let Some(loan) = &mut message.loan {
            loan.consumed += lent;
        }
    }
    batch.lost = false;
    shared.looked_for_company(batch.taken.len() - 1);
    if own.is_some() { consumed[0][PIECES - 1] } else { 0 }
}

/// Counts a round in which so much of each message was hashed.
fn count<A: HashFunction>(shared: &Shared<A>, consumed: &[[usize; PIECES]]) {
    let sizes = consumed.iter().map(|pieces| pieces.iter().sum::<usize>() as u64);
    let total: u64 = sizes.clone().sum();
    if consumed.len() == 1 {
        return shared.counters.alone(total);
    }
    let row = kernel::row::<A::Family>(consumed.len(), shared.engine.forced());
    // The lanes were busy at least as long as the longest message, and at least as long as with
    // never an idle lane.
    let lanes = <A::Family as Kernels>::TABLE[row].lanes as u64;
    let longest = sizes.max().unwrap_or(0).max(total.div_ceil(lanes));
    shared.counters.round(row, total, longest);
}

/// Hashes the tasks side by side; at least one of them to its end.
///
/// Not inlined: what it leaves on the stack is wiped when all messages are home.
#[inline(never)]
fn hash<F: Kernels>(tasks: &mut [Task<'_, F>], waiting: &mut Vec<usize>, forced: Option<usize>) {
    if let [task] = tasks {
        for piece in task.pieces {
            task.stream.update(piece, forced);
        }
        task.consumed = task.pieces.map(<[u8]>::len);
        return;
    }
    for (id, task) in tasks.iter_mut().enumerate() {
        if task.advance() {
            waiting.push(id);
        }
    }
    waiting.sort_by_key(|&id| tasks[id].bytes());
    let mut source = Tasks { tasks, waiting };
    // A run may end when the next piece of a message has just come to wait.
    while source.waiting() > 0 {
        schedule::run::<F>(&mut source, forced, When::LanesIdle);
    }
}
