//! Whole blocks of a single message.

use crate::family::{State, known::Sums};
use crate::kernel::{Kernels, MAX_LANES, row};
use crate::wipe::{Wipe, Wiped};

/// Compresses whole blocks of a single message with the kernel of row `forced`, which the CPU can
/// run, or with the best kernel for one message.
pub(crate) fn compress_alone<F: Kernels>(
    state: &mut State<F>,
    blocks: &[u8],
    forced: Option<usize>,
) {
    compress_with::<F>(state, blocks, None, forced);
}

/// [`compress_alone`], followed by a precomputed block, if any.
pub(super) fn compress_with<F: Kernels>(
    state: &mut State<F>,
    blocks: &[u8],
    known: Option<&Sums<F::Word>>,
    forced: Option<usize>,
) {
    let kernel = &F::TABLE[row::<F>(1, forced)];
    assert!(kernel.available());
    let count = blocks.len() / F::BLOCK;
    if kernel.lanes == 1 {
        // SAFETY: the CPU can run the kernel, as asserted. The pointer is to `count` borrowed
        // blocks.
        unsafe { kernel.run::<F>(state.as_mut(), &[blocks.as_ptr()], count, known) };
    } else {
        // A kernel with several lanes runs here only if it is forced. All lanes compute the same.
        let mut lanes = Wiped(F::LaneStates::ZERO);
        let lanes = lanes.as_mut();
        for w in 0..F::STATE_WORDS {
            lanes[w * kernel.lanes..][..kernel.lanes].fill(state[w]);
        }
        // SAFETY: the CPU can run the kernel, as asserted. All pointers are to the same `count`
        // borrowed blocks.
        unsafe { kernel.run::<F>(lanes, &[blocks.as_ptr(); MAX_LANES], count, known) };
        for w in 0..F::STATE_WORDS {
            state[w] = lanes[w * kernel.lanes];
        }
    }
}
