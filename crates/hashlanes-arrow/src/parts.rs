//! Distributes the rows of a column among threads.

use std::num::NonZero;
use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use hashlanes::Algorithm;
use hashlanes_pool::{Ordered, Supply};

use crate::Error;
use crate::output::{Output, Sink};

/// Fewer rows are hashed in less time than it takes to start a thread.
const ROWS_FOR_A_THREAD: usize = 4096;

/// Rows that can be hashed.
pub(crate) trait Rows: Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// The rows that have no digest.
    fn nulls(&self) -> Option<&NullBuffer>;

    /// Hashes the messages of `rows` into `sink`, window by window.
    fn hash(&self, rows: Range<usize>, sink: Sink<'_>) -> Result<(), Error>;
}

/// The digests of all rows, computed by up to `threads` threads including the calling one.
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

/// The number of `rows` that are not null.
fn valid(nulls: Option<&NullBuffer>, rows: Range<usize>) -> usize {
    match nulls {
        Some(nulls) if rows.len() < nulls.len() => {
            rows.len() - nulls.slice(rows.start, rows.len()).null_count()
        }
        Some(nulls) => rows.len() - nulls.null_count(),
        None => rows.len(),
    }
}

/// Splits the rows about equally among as many threads as are worth starting.
fn parts_of(rows: usize, threads: NonZero<usize>) -> impl Iterator<Item = Range<usize>> {
    let parts = threads.get().min(rows / ROWS_FOR_A_THREAD).max(1);
    let length = rows.div_ceil(parts);
    (0..parts).map(move |part| (part * length).min(rows)..((part + 1) * length).min(rows))
}

fn hash_parts(rows: &impl Rows, parts: Vec<(Range<usize>, Sink<'_>)>) -> Result<(), Error> {
    let threads = parts.len();
    let parts = Supply::new(parts.into_iter());
    // In order, so that the error is that of the first invalid row.
    let ordered = Ordered::new(|outcome: Result<(), Error>| outcome, usize::MAX);
    hashlanes_pool::run(threads, || {
        let _guard = ordered.end_on_panic();
        while let Some((ticket, (part, sink))) = parts.take(&ordered, true) {
            ordered.deliver([(ticket, rows.hash(part, sink))]);
        }
    });
    ordered.finish()
}
