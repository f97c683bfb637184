//! Few messages, straight from the caller's memory to their digests.
//!
//! A kernel of few lanes hashes short messages in less time than it takes to prepare the memory for
//! many. So only their pointers and lengths are prepared. Every instruction counts: a core that is
//! done with them soon enough begins the next call's messages during the last rounds of this one's.

use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use super::batch::Batch;
use super::output::Output;
use super::policy::SIMILAR;
use super::rules::{Md, MdWord};
use super::whole_blocks::{blocks, narrow};
use crate::family::Rules;
use crate::input::{Digests, Initial, Lengths, RAGGED, WholeMessages};
use crate::kernel::Kernel;

/// The most lanes of a kernel for few messages.
const NARROW: usize = 4;

/// With two groups of messages in such a kernel, shared padding is worth its preparation.
const MOST: usize = 2 * NARROW - 1;

/// The most messages of whole blocks, whose padding needs no preparation.
const MOST_OF_BLOCKS: usize = 32;

/// Hashes messages as long as the best kernel for the rest of them has few lanes and takes whole
/// messages. Returns how many were hashed, the first ones.
#[inline(never)]
pub(super) fn few<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    count: usize,
    output: &mut Output<'_>,
) -> usize {
    if count > MOST_OF_BLOCKS || batch.states.is_some() || !batch.before.is_whole_blocks() {
        return 0;
    }
    let kernel = batch.kernel(count);
    if narrow(kernel, NARROW).is_none() {
        return 0;
    }
    if count > MOST && blocks(&batch.before, batch.messages.message(0).len()).is_none() {
        return 0;
    }
    let mut pointers = [const { MaybeUninit::uninit() }; MOST_OF_BLOCKS];
    let pointers = &mut pointers[..count.next_multiple_of(NARROW)];
    let mut each = [0; MOST + 1];
    let (mut shortest, mut longest) = (usize::MAX, 0);
    for (i, pointer) in pointers.iter_mut().enumerate() {
        // Idle lanes repeat the last message. A caller's `AsRef` may answer differently each time:
        // each lane reads what its own answer said.
        let message = batch.messages.message(i.min(count - 1));
        pointer.write(message.as_ptr());
        if let Some(length) = each.get_mut(i) {
            *length = message.len() as u32;
        }
        (shortest, longest) = (shortest.min(message.len()), longest.max(message.len()));
    }
    // SAFETY: all have been written.
    let pointers = unsafe { slice::from_raw_parts(pointers.as_ptr().cast(), pointers.len()) };
    if shortest == longest
        && let Some(lengths) = blocks(&batch.before, longest)
    {
        // SAFETY: the messages are borrowed. There are pointers to `count` of them and to idle
        // lanes, and all have this length.
        return unsafe { hash(batch, kernel, 0, count, pointers, &|_| lengths, output) };
    }
    let rules = batch.before.rules;
    let difference = rules.padded_blocks(longest) - rules.padded_blocks(shortest);
    let all = (batch.before.length as u64).saturating_add(longest as u64);
    if count > MOST || difference > SIMILAR || all >= RAGGED {
        return 0;
    }
    let lengths = |first: usize| Lengths::Each(each[first..].as_ptr());
    // SAFETY: as above. There is a length for each pointer.
    unsafe { hash(batch, kernel, 0, count, pointers, &lengths, output) }
}

/// Hashes `count >= 1` messages from number `first` on, as [`few`] does, the first of them in this
/// kernel.
///
/// Those in narrower kernels are hashed before: they take few instructions, which wait for each
/// other, so the core begins the others meanwhile.
///
/// # Safety
/// The messages are readable. There are pointers to messages 0 to `first + count`, up to a multiple
/// of `NARROW`, and from number `i` on their lengths are `lengths(i)`.
unsafe fn hash<'l, W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    kernel: &Kernel<W>,
    first: usize,
    count: usize,
    pointers: &[*const u8],
    lengths: &impl Fn(usize) -> Lengths<'l, W>,
    output: &mut Output<'_>,
) -> usize {
    let Some(hash_whole) = narrow(kernel, NARROW) else { return 0 };
    let taken = batch.next_call(count, MOST_OF_BLOCKS, kernel.lanes);
    let mut hashed = taken;
    if taken < count {
        let (left, next) = (count - taken, first + taken);
        // SAFETY: the contract is that of this function.
        hashed += unsafe { hash(batch, batch.kernel(left), next, left, pointers, lengths, output) };
    }
    assert!(kernel.available());
    assert!(first + taken <= pointers.len() && first & (kernel.lanes - 1) == 0);
    let (digests, size) = output.bytes_from(first);
    let digests = &mut digests[..taken * size];
    let messages = WholeMessages {
        initial: Initial::Same(batch.before.state),
        before: batch.before.length as u64,
        messages: pointers[first..].as_ptr(),
        count: taken,
        lengths: lengths(first),
        digests: Digests { base: digests.as_mut_ptr(), size, places: null() },
    };
    // SAFETY: the kernel is available, as asserted. The caller promises the messages. `first` and
    // the number of pointers are multiples of the lanes, so there are pointers and lengths up to a
    // multiple of the lanes. `digests` has room for the digests.
    unsafe { hash_whole(&messages) };
    hashed
}
