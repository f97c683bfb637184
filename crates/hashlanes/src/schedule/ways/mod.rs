//! The ways in which many messages are hashed. [`policy`](super::policy) decides which.
//!
//! | file | what |
//! |---|---|
//! | `queue.rs` | messages that wait for a call of a kernel |
//! | `calls.rs` | the loop over calls of kernels |
//! | `prefixed.rs` | messages behind copies of the bytes before them |
//! | `in_step.rs` | messages of similar length |
//! | `sorted.rs` | messages of any lengths, the longest first |

use self::in_step::{equal, in_step};
use self::queue::Queue;
use super::batch::Batch;
use super::few::few;
use super::output::Output;
use super::policy::{self, Way};
use crate::family::MerkleDamgard;
use crate::kernel::Kernels;

mod calls;
mod in_step;

mod prefixed;
mod queue;
mod sorted;

/// Writes the digests of many messages of a family that has no other ways than the scheduler.
///
/// # Panics
/// If the number of digests is not that of the messages.
pub(super) fn refilled<F: Kernels>(batch: &Batch<'_, '_, F>, output: &mut Output<'_>) {
    let count = counted(batch, output);
    match count {
        0 => {}
        1 => output.put::<F>(0, &batch.hash_alone(0)),
        2..=policy::FEW => sorted::few(batch, 0, output),
        _ => sorted::refilled(batch, output),
    }
}

/// The number of messages, which is that of the digests.
pub(super) fn counted<F: Kernels>(batch: &Batch<'_, '_, F>, output: &Output<'_>) -> usize {
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
pub(super) fn hash_many<F: Kernels + MerkleDamgard>(
    batch: &Batch<'_, '_, F>,
    output: &mut Output<'_>,
) {
    let count = counted(batch, output);
    match count {
        0 => return,
        1 => return output.put::<F>(0, &batch.hash_alone(0)),
        _ => {}
    }
    let mut queue = Queue::all(count);
    queue.advance(few(batch, count, output));
    if queue.left() > 0 {
        equal(batch, &mut queue, output);
    }
    match queue.left() {
        0 => return,
        1 => return output.put::<F>(queue.first(), &batch.hash_alone(queue.first())),
        _ => {}
    }
    // None of these is inlined, since a call for few messages would then pay for the stack frames
    // of all.
    let first = queue.first();
    match policy::way(queue.left(), batch.lengths(first), batch.kind_of_before()) {
        Way::InOrder | Way::Prefixed => {
            in_step(batch, &mut queue, output);
            // Prefixed messages may be too long. Others are left only if a caller's `AsRef` returns
            // different slices.
            if queue.left() > 0 {
                sorted::mixed(batch, queue.first(), output);
            }
        }
        Way::Few => sorted::few(batch, first, output),
        Way::Short => sorted::short(batch, first, output),
        Way::Mixed => sorted::mixed(batch, first, output),
    }
}
