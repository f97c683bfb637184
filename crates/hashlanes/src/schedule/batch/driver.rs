//! The driver of a batch: calls of kernels, each for as many messages as the best kernel takes.

use super::Batch;
use super::members::Members;
use super::output::Output;
use super::prefixed::Prefixed;
use super::queue::Queue;
use super::tails::Tails;
use crate::schedule::choose::policy::{self, UNCACHED};
use crate::schedule::rules::Tabled;
use crate::schedule::stream::midstate::Midstate;

/// Hashes the messages of a queue, which continue whole blocks: see [`drive`].
#[inline(never)]
pub(crate) fn hash<'s, R: Tabled, T: Tails<R>>(
    batch: &Batch<'s, '_, R>,
    tails: impl FnOnce(&Midstate<'s, R>) -> T,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    drive(batch, &mut tails(&batch.before), queue, output);
}

/// [`hash`], each message behind a copy of the bytes after whole blocks that precede it.
#[inline(never)]
pub(crate) fn hash_prefixed<'s, R: Tabled, T: Tails<R>>(
    batch: &Batch<'s, '_, R>,
    tails: impl FnOnce(&Midstate<'s, R>) -> T,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let tails = tails(&batch.before.without_carry());
    drive(batch, &mut Prefixed::new(batch.before.carry, tails), queue, output);
}

/// Hashes the messages of a queue until it is empty or the best kernel for the rest does not suit.
/// Messages whose lengths differ too much are set aside, or, in a range, end the loop. Those of a
/// window have been prefetched if that helps.
#[inline(always)]
fn drive<R: Tabled, T: Tails<R>>(
    batch: &Batch<'_, '_, R>,
    tails: &mut T,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let mut members = Members::new();
    let bytes = batch.prefetched_from(UNCACHED);
    let origin = match T::PREFETCHES && queue.is_range() {
        true => policy::prefetches(output.count(), bytes, || batch.middle(queue)),
        false => None,
    };
    let widest = batch.widest(T::FEW_BLOCKS, queue);
    while queue.left() > 0 {
        let kernel = batch.kernel(queue.left().min(widest));
        if !T::suits(kernel) {
            return;
        }
        let count = batch.next_call(queue.left(), widest, T::most(kernel.lanes), kernel.lanes);
        if let Some(origin) = origin {
            batch.messages.fill(queue.next(count, count), &mut members);
            members.prefetch(origin);
        }
        let numbers = queue.next(0, count);
        batch.messages.fill(numbers, &mut members);
        let taken = tails.hash(kernel, &mut members, batch.states, numbers, output);
        queue.advance(taken);
        if taken < count && !queue.set_aside((count - taken).min(kernel.lanes)) {
            return;
        }
    }
}
