//! Delivers outcomes to the report in the order of the source, and decides when a run is over.
//!
//! [`Ordered`] does the ordering. This adds what only files need: a ticket costs the bytes that its
//! entry takes, and a run that was stopped reports what it has even while a worker waits for a
//! pipe.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashlanes_pool::{Consumer, EndOnPanic, Ordered, Ticket};

use super::{Control, Outcome, Report};

/// Bytes of memory for entries that are pulled and not reported yet: some 100,000 files.
///
/// This also bounds how far workers run ahead of a pipe that nobody writes to.
const WINDOW: usize = 48 << 20;

/// An entry with its result. Its number is that of its ticket.
pub(super) enum Done {
    File { number: u64, path: PathBuf, outcome: Outcome },
    Note(u64),
}

pub(super) struct Delivery<'r> {
    ordered: Ordered<Done, Reporter<'r>>,
    /// Counts what is done, and may stop the run.
    control: &'r Control,
    /// Bytes of an entry's note.
    note: usize,
    /// Workers that have not left.
    working: AtomicUsize,
    /// Workers among them that wait for what may never come, and hold no results.
    waiting_outside: AtomicUsize,
}

struct Reporter<'r>(&'r mut dyn Report<u64>);

impl Consumer<Done> for Reporter<'_> {
    type Error = io::Error;

    fn consume(&mut self, done: Done) -> io::Result<()> {
        match done {
            Done::File { number, path, outcome } => self.0.file(&path, number, outcome),
            Done::Note(number) => self.0.note(number),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'r> Delivery<'r> {
    /// The report gets the number of each entry as its note. `note` is the size of the entry's own.
    pub(super) fn new(
        report: &'r mut dyn Report<u64>,
        control: &'r Control,
        workers: usize,
        note: usize,
    ) -> Self {
        Self {
            ordered: Ordered::new(Reporter(report), WINDOW),
            control,
            note,
            working: AtomicUsize::new(workers),
            waiting_outside: AtomicUsize::new(0),
        }
    }

    /// A ticket for an entry with a name of `length` bytes that will get `digests` digests.
    pub(super) fn ticket(&self, number: u64, length: usize, digests: usize) -> Ticket {
        // Places in the queues count twice, since a vector grows by doubling. 64 bytes are for what
        // the allocator adds.
        let cost = 2 * (size_of::<Option<(Ticket, Done)>>() + self.note)
            + 64
            + length
            + digests * size_of::<crate::Digest>();
        self.ordered.ticket(number, cost)
    }

    /// Whether more entries may be pulled.
    pub(super) fn has_room(&self) -> bool {
        self.ordered.has_room()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.ordered.has_ended() || self.control.is_stopped()
    }

    pub(super) fn control(&self) -> &'r Control {
        self.control
    }

    /// Ends the run if this thread panics.
    pub(super) fn end_on_panic(&self) -> EndOnPanic<'_, Done, impl Consumer<Done>> {
        self.ordered.end_on_panic()
    }

    /// Waits for something outside this process. The worker must hold no results meanwhile.
    pub(super) fn wait_outside<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waiting_outside.fetch_add(1, Ordering::SeqCst);
        let outcome = wait();
        self.waiting_outside.fetch_sub(1, Ordering::SeqCst);
        outcome
    }

    /// Counts one more worker.
    pub(super) fn join(&self) {
        self.working.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts one more worker, unless as many work already.
    pub(super) fn join_below(&self, most: usize) -> bool {
        let most = most + self.waiting_outside.load(Ordering::SeqCst);
        let join = |working| (working < most).then_some(working + 1);
        self.working.fetch_update(Ordering::SeqCst, Ordering::SeqCst, join).is_ok()
    }

    /// Counts one worker less. If the run was stopped, the last one that does not wait outside
    /// reports what is done.
    pub(super) fn leave(&self) {
        let working = self.working.fetch_sub(1, Ordering::SeqCst) - 1;
        if self.control.is_stopped() && working <= self.waiting_outside.load(Ordering::SeqCst) {
            self.ordered.deliver_rest();
            self.control.set_drained();
        }
    }

    /// Delivers results and leaves `results` empty.
    pub(super) fn deliver(&self, results: &mut Vec<(Ticket, Done)>) {
        let files = results.iter().filter(|(_, done)| matches!(done, Done::File { .. })).count();
        self.control.add_files(files);
        self.ordered.deliver(results.drain(..));
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.ordered.finish()
    }
}
