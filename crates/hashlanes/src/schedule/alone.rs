//! One message, in the best code for a single one.

use super::padding::pad;
use crate::algorithm::{MAX_BLOCK, State};
use crate::kernel::{Kernels, MAX_LANES, row};

/// Compresses whole blocks of a single message with the best kernel for one message, or with row
/// `forced`, which the CPU can run.
pub(crate) fn compress_alone<F: Kernels>(
    state: &mut [F::Word; 8],
    blocks: &[u8],
    forced: Option<usize>,
) {
    let kernel = &F::TABLE[row::<F>(1, forced)];
    assert!(kernel.available());
    let count = blocks.len() / F::BLOCK;
    if kernel.lanes == 1 {
        // SAFETY: available, as asserted; the one pointer is to `count` blocks.
        unsafe { kernel.run::<F>(state, &[blocks.as_ptr()], count) };
    } else {
        // Only when forced: every lane computes the same.
        let mut lanes = [F::Word::default(); 8 * MAX_LANES];
        for w in 0..F::STATE_WORDS {
            lanes[w * kernel.lanes..][..kernel.lanes].fill(state[w]);
        }
        // SAFETY: available, as asserted; all pointers are to `count` blocks.
        unsafe { kernel.run::<F>(&mut lanes, &[blocks.as_ptr(); MAX_LANES], count) };
        for w in 0..F::STATE_WORDS {
            state[w] = lanes[w * kernel.lanes];
        }
    }
}

/// The state after a whole message that begins in `state`.
#[inline(never)]
pub(crate) fn hash_alone<F: Kernels>(
    mut state: State<F>,
    message: &[u8],
    forced: Option<usize>,
) -> State<F> {
    let (body, rest) = message.split_at(message.len() - message.len() % F::BLOCK);
    let mut tail = [0; 2 * MAX_BLOCK];
    let blocks = pad::<F>(&mut tail, rest, message.len() as u128);
    if !body.is_empty() {
        compress_alone::<F>(&mut state, body, forced);
    }
    compress_alone::<F>(&mut state, &tail[..blocks * F::BLOCK], forced);
    state
}
