//! Calls of kernels, each for as many messages as the best kernel takes.

use super::queue::Queue;
use crate::schedule::batch::Batch;
use crate::schedule::caller::Caller;
use crate::schedule::members::Members;
use crate::schedule::output::Output;
use crate::schedule::policy::{self, UNCACHED};
use crate::schedule::rules::Tabled;

/// Hashes the messages of a queue until it is empty or the best kernel for the rest does not suit.
/// Messages whose lengths differ too much are set aside, or, in a range, end the loop. Those of a
/// window have been prefetched if that helps.
#[inline(always)]
pub(super) fn call<R: Tabled, C: Caller<R>>(
    batch: &Batch<'_, '_, R>,
    caller: &mut C,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let mut members = Members::new();
    // The middle message stands for all.
    let middle = || batch.messages.message(queue.next(queue.left() / 2, 1).number(0)).len();
    let prefetches = C::PREFETCHES
        && queue.is_range()
        && policy::prefetches(output.count(), batch.prefetched_from(UNCACHED), middle);
    while queue.left() > 0 {
        let kernel = batch.kernel(queue.left());
        if !C::suits(kernel) {
            return;
        }
        let count = batch.next_call(queue.left(), C::most(kernel.lanes), kernel.lanes);
        if prefetches {
            batch.messages.fill(queue.next(count, count), &mut members);
            members.prefetch();
        }
        let numbers = queue.next(0, count);
        batch.messages.fill(numbers, &mut members);
        let taken = caller.hash(kernel, &mut members, batch.states, numbers, output);
        queue.advance(taken);
        if taken < count && !queue.set_aside((count - taken).min(kernel.lanes)) {
            return;
        }
    }
}
