//! Reports results in the order of the source, whatever the order in which they come.
//!
//! Every entry has a number. A result waits here until all results with lower numbers have been
//! reported. The worker that delivers the next one reports it and all that are ready after it.
//! Workers that deliver meanwhile leave their results here and go on hashing.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Control, Outcome, Report};

/// Bytes of memory for entries that are pulled and not reported yet: some 100,000 files.
///
/// This is also how far workers go on behind a pipe that nobody writes to: that many files are
/// hashed, and then all wait for the pipe.
const WINDOW: usize = 48 << 20;

/// An entry with its result.
pub(super) enum Done<N> {
    File { path: PathBuf, note: N, outcome: Outcome },
    Note(N),
}

/// The number of an entry, and the bytes of memory that are counted for it.
#[derive(Clone, Copy)]
pub(super) struct Ticket {
    pub(super) number: u64,
    pub(super) cost: usize,
}

pub(super) struct Order<'r, N, R> {
    waiting: Mutex<Waiting<N>>,
    report: Mutex<&'r mut R>,
    /// The cost of all entries that have a ticket and are not reported.
    in_flight: AtomicUsize,
    /// The report or a worker has failed, so nobody goes on.
    stopped: AtomicBool,
    /// Who may stop the run, too.
    control: &'r Control,
    /// Workers that have not left.
    working: AtomicUsize,
    /// Workers among them that wait for what may never come, and hold no results.
    waiting_outside: AtomicUsize,
    failure: Mutex<Option<io::Error>>,
}

struct Waiting<N> {
    /// The number of the first entry in `results`.
    first: u64,
    results: VecDeque<Option<(Ticket, Done<N>)>>,
    /// A worker is reporting.
    reporting: bool,
    /// The run was stopped, and what is missing will not come.
    skips_gaps: bool,
}

impl<'r, N, R: Report<N>> Order<'r, N, R> {
    pub(super) fn new(report: &'r mut R, control: &'r Control, workers: usize) -> Self {
        let (results, first) = (VecDeque::new(), 0);
        let waiting = Waiting { first, results, reporting: false, skips_gaps: false };
        Self {
            waiting: Mutex::new(waiting),
            report: Mutex::new(report),
            in_flight: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            control,
            working: AtomicUsize::new(workers),
            waiting_outside: AtomicUsize::new(0),
            failure: Mutex::new(None),
        }
    }

    /// A ticket for an entry with a name of `length` bytes that will get `digests` digests.
    pub(super) fn ticket(&self, number: u64, length: usize, digests: usize) -> Ticket {
        // This counts the places in the queues twice, since a vector grows by doubling, and what
        // the allocator adds.
        let cost = 2 * size_of::<Option<(Ticket, Done<N>)>>()
            + 64
            + length
            + digests * size_of::<crate::Digest>();
        self.in_flight.fetch_add(cost, Ordering::Relaxed);
        Ticket { number, cost }
    }

    /// Whether more entries may be pulled.
    pub(super) fn has_room(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) < WINDOW
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.control.is_stopped()
    }

    pub(super) fn control(&self) -> &'r Control {
        self.control
    }

    /// Waits for something outside this process. The worker holds no results meanwhile.
    pub(super) fn wait_outside<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waiting_outside.fetch_add(1, Ordering::SeqCst);
        let outcome = wait();
        self.waiting_outside.fetch_sub(1, Ordering::SeqCst);
        outcome
    }

    /// A worker is added.
    pub(super) fn join(&self) {
        self.working.fetch_add(1, Ordering::SeqCst);
    }

    /// A worker ends. If the run was stopped, the last one that does not wait outside reports what
    /// is done.
    pub(super) fn leave(&self) {
        let working = self.working.fetch_sub(1, Ordering::SeqCst) - 1;
        if self.control.is_stopped() && working <= self.waiting_outside.load(Ordering::SeqCst) {
            lock(&self.waiting).skips_gaps = true;
            self.deliver(&mut Vec::new());
            self.control.set_drained();
        }
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Takes the results and leaves `results` empty. Reports those whose turn has come.
    pub(super) fn deliver(&self, results: &mut Vec<(Ticket, Done<N>)>) {
        let mut waiting = lock(&self.waiting);
        let files = results.iter().filter(|(_, done)| matches!(done, Done::File { .. })).count();
        self.control.add_files(files);
        for (ticket, done) in results.drain(..) {
            if waiting.skips_gaps && ticket.number < waiting.first {
                // It was given up, and those after it have been reported.
                continue;
            }
            // The number is not below the first, since every number comes once.
            let place = (ticket.number - waiting.first) as usize;
            if waiting.results.len() <= place {
                waiting.results.resize_with(place + 1, || None);
            }
            waiting.results[place] = Some((ticket, done));
        }
        if waiting.reporting {
            return;
        }
        waiting.reporting = true;
        let mut flushed = true;
        loop {
            while waiting.results.front().is_some_and(|next| next.is_some() || waiting.skips_gaps) {
                results.extend(waiting.results.pop_front().flatten());
                waiting.first += 1;
            }
            if results.is_empty() && flushed {
                waiting.reporting = false;
                return;
            }
            drop(waiting);
            flushed = results.is_empty();
            if let Err(error) = self.report(results) {
                // `reporting` stays true: nobody may report after this.
                self.stop();
                *lock(&self.failure) = Some(error);
                return;
            }
            waiting = lock(&self.waiting);
        }
    }

    /// Reports the results, or flushes if there is none.
    fn report(&self, results: &mut Vec<(Ticket, Done<N>)>) -> io::Result<()> {
        let mut report = lock(&self.report);
        if results.is_empty() {
            return report.flush();
        }
        for (ticket, done) in results.drain(..) {
            match done {
                Done::File { path, note, outcome } => report.file(&path, note, outcome)?,
                Done::Note(note) => report.note(note)?,
            }
            self.in_flight.fetch_sub(ticket.cost, Ordering::Relaxed);
        }
        Ok(())
    }

    pub(super) fn into_result(self) -> io::Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Locks. A panic of another thread ends the whole run, so the state that it left does not matter.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
