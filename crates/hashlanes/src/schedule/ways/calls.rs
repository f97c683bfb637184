//! Calls of kernels, each for as many messages as the best kernel takes.

use super::queue::Queue;
use crate::kernel::{Kernel, Kernels};
use crate::schedule::batch::Batch;
use crate::schedule::groups::Groups;
use crate::schedule::members::{MOST, Members};
use crate::schedule::messages::Numbers;
use crate::schedule::output::Output;
use crate::schedule::policy;
use crate::schedule::states::EachState;
use crate::schedule::whole::Wholes;

/// Hashes the messages of a call, with reusable memory.
pub(super) trait Caller<F: Kernels> {
    /// Whether messages are read soon enough after the call for a prefetch to help.
    const PREFETCHES: bool;

    /// The most messages for a kernel of `lanes` lanes.
    fn most(lanes: usize) -> usize;

    /// Whether this kernel can be used.
    fn suits(kernel: &Kernel<F::Word>) -> bool;

    /// Hashes the first of `members`, at most [`most`](Self::most), which have these numbers. If
    /// there are `states`, each message continues its own. Stops before the first group whose
    /// lengths differ too much. Returns how many were hashed.
    fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize;
}

impl<F: Kernels> Caller<F> for Wholes<'_, F> {
    const PREFETCHES: bool = true;

    fn most(_: usize) -> usize {
        MOST
    }

    fn suits(kernel: &Kernel<F::Word>) -> bool {
        kernel.hash_whole.is_some()
    }

    fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        self.hash(kernel, members, states, numbers, output)
    }
}

impl<F: Kernels, const G: usize> Caller<F> for Groups<'_, F, G> {
    const PREFETCHES: bool = false;

    fn most(lanes: usize) -> usize {
        G * lanes
    }

    fn suits(kernel: &Kernel<F::Word>) -> bool {
        kernel.lanes > 1
    }

    fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        self.hash(kernel, members, states, numbers, output)
    }
}

/// Hashes the messages of a queue until it is empty or the best kernel for the rest does not suit.
/// Messages whose lengths differ too much are set aside, or, in a range, end the loop.
#[inline(always)]
pub(super) fn call<F: Kernels, C: Caller<F>>(
    batch: &Batch<'_, '_, F>,
    caller: &mut C,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let mut members = Members::new();
    // The middle message stands for all.
    let middle = || batch.messages.message(queue.next(queue.left() / 2, 1).number(0)).len();
    let prefetches = C::PREFETCHES && policy::prefetches(output.count(), batch.uncached, middle);
    while queue.left() > 0 {
        let kernel = batch.kernel(queue.left());
        if !C::suits(kernel) {
            return;
        }
        let count = policy::next_call(queue.left(), C::most(kernel.lanes), kernel.lanes);
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
