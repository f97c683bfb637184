//! The choice of a kernel: the one that takes the fewest cycles for so many messages.

use core::sync::atomic::Ordering;

use super::contract::{Kernel, Kernels, MAX_LANES};

/// The row of the kernel for `messages >= 1` messages: of those that this CPU can run, the one that
/// takes the fewest cycles for a block of each message.
///
/// A lane without a message costs as much as one with a message. So few messages are faster in few
/// lanes.
fn choose<F: Kernels>(messages: usize) -> usize {
    let choices = F::choices();
    let messages = messages.min(choices.len() - 1);
    match choices[messages].load(Ordering::Relaxed) {
        0 => {
            let row = cheapest::<F>(messages);
            // Threads that race here store the same value.
            choices[messages].store(row as u8 + 1, Ordering::Relaxed);
            row
        }
        row => usize::from(row) - 1,
    }
}

/// Row `forced`, or the one of [`choose`] if none is forced.
pub(crate) fn row<F: Kernels>(messages: usize, forced: Option<usize>) -> usize {
    forced.unwrap_or_else(|| choose::<F>(messages))
}

fn cheapest<F: Kernels>(messages: usize) -> usize {
    // With more messages than any kernel has lanes only the cost of a lane counts. 2^20 messages
    // stand for infinitely many.
    let messages = if messages > MAX_LANES { 1 << 20 } else { messages };
    // One message is hashed without lanes: to set them up is not in the cycles of a block.
    let suits =
        |kernel: &Kernel<F::Word>| kernel.available() && (messages > 1 || kernel.lanes == 1);
    let suitable = (0..F::TABLE.len()).filter(|&row| suits(&F::TABLE[row]));
    let cost = |row: &usize| {
        let kernel = &F::TABLE[*row];
        kernel.cycles() * messages.div_ceil(kernel.lanes) as u64
    };
    // The portable kernel needs nothing, so there is always one.
    suitable.min_by_key(cost).unwrap_or(0)
}

/// Cycles for one block of each of `messages >= 1` messages, in the kernel of [`row`].
#[cfg(feature = "std")]
pub(crate) fn cycles<F: Kernels>(messages: usize, forced: Option<usize>) -> u64 {
    let kernel = &F::TABLE[row::<F>(messages, forced)];
    kernel.cycles() * messages.div_ceil(kernel.lanes) as u64
}
