//! The rows of a column, in parts for threads.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use hashlanes::Algorithm;

use crate::Error;
use crate::output::{Output, Sink};

/// A thread takes longer to start than the digests of fewer rows take.
const ROWS_FOR_A_THREAD: usize = 4096;

/// Rows that can be hashed.
pub(crate) trait Rows: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Which of them have no digest.
    fn nulls(&self) -> Option<&NullBuffer>;

    /// Puts the messages of `rows` into `sink`, window by window.
    fn hash(&self, rows: Range<usize>, sink: Sink<'_>) -> Result<(), Error>;
}

/// The digests of all rows. The calling thread is one of `threads`.
pub(crate) fn digest_all(
    rows: &impl Rows,
    algorithm: Algorithm,
    output: Output,
    threads: NonZero<usize>,
) -> Result<ArrayRef, Error> {
    let count = rows.len();
    let mut memory = output.memory(algorithm, count, valid(rows.nulls(), 0..count))?;
    let mut rest = memory.as_mut_slice();
    let mut parts = Vec::new();
    for part in parts_of(count, threads) {
        let bytes = output.bytes(algorithm, part.len(), valid(rows.nulls(), part.clone()));
        let (to, others) = std::mem::take(&mut rest).split_at_mut(bytes);
        rest = others;
        parts.push((part, Sink::new(algorithm, output, to)));
    }
    hash_parts(rows, parts)?;
    Ok(output.array(algorithm, memory, count, rows.nulls().cloned()))
}

/// Rows of `rows` that are not null.
fn valid(nulls: Option<&NullBuffer>, rows: Range<usize>) -> usize {
    match nulls {
        Some(nulls) if rows.len() < nulls.len() => {
            rows.len() - nulls.slice(rows.start, rows.len()).null_count()
        }
        Some(nulls) => rows.len() - nulls.null_count(),
        None => rows.len(),
    }
}

/// About equally many rows for each thread that is worth starting.
fn parts_of(rows: usize, threads: NonZero<usize>) -> impl Iterator<Item = Range<usize>> {
    let parts = threads.get().min(rows / ROWS_FOR_A_THREAD).max(1);
    let length = rows.div_ceil(parts);
    (0..parts).map(move |part| (part * length).min(rows)..((part + 1) * length).min(rows))
}

fn hash_parts(rows: &impl Rows, parts: Vec<(Range<usize>, Sink<'_>)>) -> Result<(), Error> {
    let outcomes: Vec<OnceLock<_>> = parts.iter().map(|_| OnceLock::new()).collect();
    // Each is taken by one thread.
    let parts: Vec<_> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(number) else { return };
            let part = part.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((part, sink)) = part {
                let _ = outcomes[number].set(rows.hash(part, sink));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..parts.len() {
            // If the system refuses a thread, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    // In their order, so that the first row that is wrong is told.
    outcomes.into_iter().filter_map(OnceLock::into_inner).collect()
}
