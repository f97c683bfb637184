//! The messages of a round as the scheduler sees them.

use std::vec::Vec;

use super::message::{AnyStream, Message, PIECES};
use crate::family::State;
use crate::schedule::{LaneState, Scheduled, Source, When, Work};

pub(super) struct Task<'a> {
    stream: &'a mut dyn AnyStream,
    pieces: [&'a [u8]; PIECES],
    /// The piece that is being hashed.
    current: usize,
    /// Bytes of each piece that have been hashed.
    consumed: &'a mut [usize; PIECES],
}

impl<'a> Task<'a> {
    /// A task for what is deferred of a message and at most `slice` bytes of its loan, or of `own`
    /// if it has no loan: bytes of this thread.
    pub(super) fn new(message: &'a mut Message, own: &'a [u8], slice: usize) -> Self {
        let Message { stream, staged, next, loan, consumed, .. } = message;
        let lent = loan.as_ref().map_or(own, |loan| loan.rest());
        *consumed = [0; PIECES];
        let pieces = [staged.as_slice(), next.as_slice(), &lent[..lent.len().min(slice)]];
        Self { stream, pieces, current: 0, consumed }
    }

    fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// Advances to the next piece that completes a block, and keeps the bytes of those that do not.
    /// Returns false if there is none.
    fn advance<R: Scheduled>(&mut self) -> bool {
        while self.current < PIECES {
            let (piece, stream) = (self.pieces[self.current], self.stream.of::<R>());
            if stream.blocks(piece, false) > 0 {
                return true;
            }
            stream.keep(piece);
            self.finish_piece();
        }
        false
    }

    fn finish_piece(&mut self) {
        self.consumed[self.current] = self.pieces[self.current].len();
        self.current += 1;
    }
}

/// The tasks of a round as a source for the scheduler.
struct Tasks<'a, 't> {
    tasks: &'t mut [Task<'a>],
    /// Tasks that wait for a lane, the longest last.
    waiting: &'t mut Vec<usize>,
}

impl<'a, R: Scheduled> Source<'a, R> for Tasks<'a, '_> {
    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, R>> {
        let id = self.waiting.pop()?;
        let task = &mut self.tasks[id];
        Some(task.stream.of::<R>().work(id, task.pieces[task.current], false, 0, stage))
    }

    fn done(&mut self, id: usize, state: LaneState<'_, R>) {
        let task = &mut self.tasks[id];
        task.stream.of::<R>().absorb(task.pieces[task.current], state.get());
        task.finish_piece();
        if task.advance::<R>() {
            self.waiting.push(id);
        }
    }

    fn suspended(&mut self, id: usize, state: State<R>, blocks: usize) {
        let task = &mut self.tasks[id];
        task.consumed[task.current] = task.stream.of::<R>().absorb_blocks(blocks, state);
    }
}

/// Sorts the numbers of tasks by their bytes, the fewest first. They are at most as many as lanes,
/// so the simplest way will do.
fn sort(tasks: &mut [usize], bytes: &dyn Fn(usize) -> usize) {
    for end in 1..tasks.len() {
        let mut i = end;
        while i > 0 && bytes(tasks[i - 1]) > bytes(tasks[i]) {
            tasks.swap(i - 1, i);
            i -= 1;
        }
    }
}

/// Hashes the tasks side by side until the lanes begin to run empty, and at least one of them
/// completely. `waiting` is empty, with capacity for all.
///
/// Not inlined, so that the caller can wipe what it leaves on the stack once all messages are home.
#[inline(never)]
pub(super) fn hash<R: Scheduled>(
    rules: R,
    tasks: &mut [Task<'_>],
    waiting: &mut Vec<usize>,
    forced: Option<usize>,
) {
    if let [task] = tasks {
        for piece in task.pieces {
            task.stream.update(piece, forced);
        }
        *task.consumed = task.pieces.map(<[u8]>::len);
        return;
    }
    for (id, task) in tasks.iter_mut().enumerate() {
        if task.advance::<R>() {
            waiting.push(id);
        }
    }
    sort(waiting, &|id| tasks[id].bytes());
    let mut source = Tasks { tasks, waiting };
    // A run may end just after the next piece of a message began to wait.
    while !source.waiting.is_empty() {
        rules.run(&mut source, forced, When::LanesIdle);
    }
}
