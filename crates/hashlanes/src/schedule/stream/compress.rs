//! Whole blocks of a single message.

use crate::family::{State, known::Sums};
use crate::kernel::MAX_LANES;
use crate::schedule::rules::Tabled;
use crate::wipe::{Wipe, Wiped};

/// Compresses whole blocks of a single message with the kernel of row `forced`, which the CPU can
/// run, or with the best kernel for one message.
pub(crate) fn compress_alone<R: Tabled>(
    rules: R,
    state: &mut State<R>,
    blocks: &[u8],
    forced: Option<usize>,
) {
    compress_with(rules, state, blocks, None, forced);
}

/// [`compress_alone`], followed by a precomputed block, if any.
pub(crate) fn compress_with<R: Tabled>(
    rules: R,
    state: &mut State<R>,
    blocks: &[u8],
    known: Option<&Sums<R::Word>>,
    forced: Option<usize>,
) {
    let kernel = rules.kernel(rules.row(1, forced));
    assert!(kernel.available());
    let (count, words) = (blocks.len() / rules.block(), rules.state_words());
    if kernel.lanes == 1 {
        // SAFETY: the CPU can run the kernel, as asserted. The pointer is to `count` borrowed
        // blocks.
        unsafe { kernel.run(state.as_mut(), words, &[blocks.as_ptr()], count, known) };
    } else {
        // A kernel with several lanes runs here only if it is forced. All lanes compute the same.
        let mut lanes = Wiped(R::LaneStates::ZERO);
        let lanes = lanes.as_mut();
        for w in 0..words {
            lanes[w * kernel.lanes..][..kernel.lanes].fill(state[w]);
        }
        // SAFETY: the CPU can run the kernel, as asserted. All pointers are to the same `count`
        // borrowed blocks.
        unsafe { kernel.run(lanes, words, &[blocks.as_ptr(); MAX_LANES], count, known) };
        for w in 0..words {
            state[w] = lanes[w * kernel.lanes];
        }
    }
}
