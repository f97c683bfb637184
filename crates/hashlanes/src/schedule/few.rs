//! Few messages, straight from the caller's memory to their digests.
//!
//! A kernel of few lanes hashes two short messages in less time than it takes to prepare the memory
//! for many. So only a pointer and a length are prepared for each message.

use core::ptr::null;

use super::batch::Batch;
use super::output::Output;
use super::padding::padded_blocks;
use super::padding_sums::table;
use super::policy::{UNEVEN, next_call};
use crate::input::{Digests, Initial, Lengths, Padding, RAGGED, WholeMessages};
use crate::kernel::Kernels;

/// The most lanes of a kernel for few messages.
const NARROW: usize = 4;

/// With two groups of messages in such a kernel, shared padding is worth its preparation.
const MOST: usize = 2 * NARROW - 1;

/// Hashes messages as long as the best kernel for the rest of them has few lanes and takes whole
/// messages. Returns how many were hashed, the first ones.
#[inline(never)]
pub(super) fn few<F: Kernels>(batch: &Batch<'_, '_, F>, output: &mut Output<'_>) -> usize {
    let (count, size) = (batch.count(), output.size());
    let mut hashed = 0;
    if count > MOST || batch.states.is_some() || !batch.before.is_whole_blocks() {
        return 0;
    }
    while hashed < count {
        let kernel = batch.kernel(count - hashed);
        let Some(hash_whole) = kernel.hash_whole.filter(|_| kernel.lanes <= NARROW) else { break };
        assert!(kernel.available());
        let taken = next_call(count - hashed, NARROW, kernel.lanes);
        let (mut pointers, mut lengths) = ([null(); NARROW], [0; NARROW]);
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for lane in 0..taken.next_multiple_of(kernel.lanes) {
            // Idle lanes repeat the last message. A caller's `AsRef` may answer differently each
            // time: each lane reads what its own answer said.
            let message = batch.messages.message(hashed + lane.min(taken - 1));
            pointers[lane] = message.as_ptr();
            lengths[lane] = message.len() as u32;
            (shortest, longest) = (shortest.min(message.len()), longest.max(message.len()));
        }
        let before = batch.before.length as u64;
        let uneven = padded_blocks::<F>(longest) - padded_blocks::<F>(shortest);
        if before.saturating_add(longest as u64) >= RAGGED || uneven > UNEVEN {
            break;
        }
        let known = match shortest == longest && longest > 0 {
            true => table::<F>(before + longest as u64),
            false => None,
        };
        let zeros = [F::Word::default(); 16];
        let padding =
            Padding { body: longest / F::BLOCK, rest: 0, partial: zeros, end: Some(zeros) };
        let digests = &mut output.bytes_from(hashed)[..taken * size];
        let messages = WholeMessages {
            initial: Initial::Same(batch.before.state),
            before,
            messages: pointers.as_ptr(),
            count: taken,
            lengths: match known {
                Some(_) => Lengths::Level { padding: &padding, known },
                None => Lengths::Each(lengths.as_ptr()),
            },
            digests: Digests { base: digests.as_mut_ptr(), size, places: null() },
        };
        // SAFETY: the kernel is available, as asserted. The messages are borrowed by `batch`, and
        // there are pointers and lengths of `taken` of them, up to a multiple of the lanes. With
        // known sums all have the same number of complete blocks. `digests` has room for all.
        unsafe { hash_whole(&messages) };
        hashed += taken;
    }
    hashed
}
