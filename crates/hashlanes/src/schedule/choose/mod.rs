//! The choice of a way to hash many messages.
//!
//! | file | what |
//! |---|---|
//! | `policy.rs` | the choice, by number, lengths and kernels: pure functions |
//! | `in_step.rs` | messages of similar length |
//! | `sorted.rs` | messages of any lengths, the longest first |
//! | `order.rs` | the order in which a window of messages is hashed |

use self::in_step::{InStep, equal, in_step, in_step_to_one_block};
use self::policy::{FEW, SORTED, Way};
use super::batch::Batch;
use super::batch::narrow::hash_narrow;
use super::batch::output::Output;
use super::batch::queue::Queue;
use super::rules::{Md, MdWord, Tabled};
use crate::family::OneBlockTail;

mod in_step;
pub(crate) mod order;
pub(crate) mod policy;
mod sorted;

/// Writes the digests of many messages of a family whose messages end in one block.
///
/// # Panics
/// If the number of digests is not that of the messages.
pub(crate) fn hash_many_of_one_block<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    output: &mut Output<'_>,
) {
    match counted(batch, output) {
        0 => {}
        1 => output.put(batch.rules(), 0, &batch.hash_alone(0)),
        count => by_lengths(batch, Queue::all(count), FEW + 1, in_step_to_one_block, output),
    }
}

/// [`hash_many_of_one_block`] of messages in the given order, as far as those of each group suit
/// each other. Returns how many do.
pub(crate) fn first_in_step<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    output: &mut Output<'_>,
) -> usize {
    let mut queue = Queue::all(counted(batch, output));
    in_step_to_one_block(batch, &mut queue, output);
    queue.first()
}

/// The number of messages, which is that of the digests.
pub(crate) fn counted<R: Tabled>(batch: &Batch<'_, '_, R>, output: &Output<'_>) -> usize {
    let count = batch.count();
    assert!(
        count == output.count(),
        "as many digests are written as there are messages: the slices must have the same length"
    );
    count
}

/// Writes the digests of many messages.
///
/// # Panics
/// If the number of digests is not that of the messages.
pub(crate) fn hash_many<W: MdWord>(batch: &Batch<'_, '_, Md<W>>, output: &mut Output<'_>) {
    let count = counted(batch, output);
    match count {
        0 => return,
        1 => return output.put(batch.rules(), 0, &batch.hash_alone(0)),
        _ => {}
    }
    let mut queue = Queue::all(count);
    queue.advance(hash_narrow(batch, count, output));
    if queue.left() > 0 {
        equal(batch, &mut queue, output);
    }
    match queue.left() {
        0 => return,
        1 => return output.put(batch.rules(), queue.first(), &batch.hash_alone(queue.first())),
        _ => {}
    }
    by_lengths(batch, queue, SORTED, in_step, output);
}

/// Hashes messages, at least two, in the way for their lengths: at most `sorted` in the given
/// order if they differ a little.
#[inline(always)]
fn by_lengths<R: Tabled>(
    batch: &Batch<'_, '_, R>,
    mut queue: Queue<'_>,
    sorted: usize,
    in_step: InStep<R>,
    output: &mut Output<'_>,
) {
    // None of these is inlined, since a call for few messages would then pay for the stack frames
    // of all.
    let first = queue.first();
    match policy::way(queue.left(), batch.lengths(first), batch.kind_of_before(), sorted) {
        Way::InOrder | Way::Prefixed => {
            in_step(batch, &mut queue, output);
            // Prefixed messages may be too long. Others are left only if a caller's `AsRef` returns
            // different slices, or if a state remembers the last block of empty ones.
            if queue.left() > 0 {
                sorted::mixed(batch, queue.first(), in_step, output);
            }
        }
        Way::Few => sorted::few(batch, first, output),
        Way::Short => sorted::short(batch, first, in_step, output),
        Way::Mixed => sorted::mixed(batch, first, in_step, output),
    }
}
