//! Few messages, or one of whole blocks, straight from the caller's memory to their digests.
//!
//! A kernel of few lanes hashes short messages in less time than it takes to prepare the memory for
//! many. So only their pointers and lengths are prepared. Every instruction counts: a core that is
//! done with them soon enough begins the next call's messages during the last rounds of this one's.

use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use crate::family::Rules;
use crate::input::{Digests, HashWhole, Initial, Lengths, RAGGED, WholeMessages};
use crate::kernel::Kernel;
use crate::schedule::batch::Batch;
use crate::schedule::batch::output::Output;
use crate::schedule::choose::policy::{Before, SIMILAR};
use crate::schedule::rules::{Md, MdWord, Tabled};
use crate::schedule::stream::midstate::Midstate;

/// The most lanes of a kernel for few messages.
const NARROW: usize = 4;

/// With two groups of messages in such a kernel, shared padding is worth its preparation.
const MOST: usize = 2 * NARROW - 1;

/// The most messages of whole blocks, whose padding needs no preparation.
const MOST_OF_BLOCKS: usize = 32;

/// Hashes messages as long as the best kernel for the rest of them has few lanes and takes whole
/// messages. Returns how many were hashed, the first ones.
#[inline(never)]
pub(crate) fn hash_narrow<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    count: usize,
    output: &mut Output<'_>,
) -> usize {
    if count > MOST_OF_BLOCKS || batch.states.is_some() || batch.kind_of_before() != Before::Blocks
    {
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
    let mut message: &[u8] = &[];
    for (i, pointer) in pointers.iter_mut().enumerate() {
        // Idle lanes repeat the last message.
        if i < count {
            message = batch.messages.message(i);
            (shortest, longest) = (shortest.min(message.len()), longest.max(message.len()));
        }
        pointer.write(message.as_ptr());
        if let Some(length) = each.get_mut(i) {
            *length = message.len() as u32;
        }
    }
    // SAFETY: all have been written.
    let pointers = unsafe { slice::from_raw_parts(pointers.as_ptr().cast(), pointers.len()) };
    if shortest == longest
        && let Some(lengths) = blocks(&batch.before, longest)
    {
        // SAFETY: the messages are borrowed. There are pointers to `count` of them and to idle
        // lanes, and all have this length.
        return unsafe { hash_from(batch, kernel, 0, count, pointers, &|_| lengths, output) };
    }
    let rules = batch.before.rules;
    let difference = rules.padded_blocks(longest) - rules.padded_blocks(shortest);
    let all = (batch.before.length as u64).saturating_add(longest as u64);
    if count > MOST || difference > SIMILAR || all >= RAGGED {
        return 0;
    }
    let lengths = |first: usize| Lengths::Each(each[first..].as_ptr());
    // SAFETY: as above. There is a length for each pointer.
    unsafe { hash_from(batch, kernel, 0, count, pointers, &lengths, output) }
}

/// Hashes `count >= 1` messages from number `first` on, as [`hash_narrow`] does, the first of them
/// in this kernel.
///
/// Those in narrower kernels are hashed before: they take few instructions, which wait for each
/// other, so the core begins the others meanwhile.
///
/// # Safety
/// The messages are readable. There are pointers to messages 0 to `first + count`, up to a multiple
/// of `NARROW`, and from number `i` on their lengths are `lengths(i)`.
unsafe fn hash_from<'l, W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    kernel: &Kernel<W>,
    first: usize,
    count: usize,
    pointers: &[*const u8],
    lengths: &impl Fn(usize) -> Lengths<'l, W>,
    output: &mut Output<'_>,
) -> usize {
    let Some(hash_whole) = narrow(kernel, NARROW) else { return 0 };
    let taken = batch.next_call(count, count, MOST_OF_BLOCKS, kernel.lanes);
    let mut hashed = taken;
    if taken < count {
        let (left, next) = (count - taken, first + taken);
        // SAFETY: the contract is that of this function.
        hashed +=
            unsafe { hash_from(batch, batch.kernel(left), next, left, pointers, lengths, output) };
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

/// The lengths of messages of `length` bytes that continue `before`, if these are whole blocks and
/// the sums of their padding block are in the table.
#[inline(always)]
fn blocks<W: MdWord>(before: &Midstate<'_, Md<W>>, length: usize) -> Option<Lengths<'static, W>> {
    let all = u64::try_from(before.length).ok()?.checked_add(length as u64)?;
    let known = before.rules.known_padding(all)?;
    let whole = length > 0 && before.carry.is_empty();
    whole.then_some(Lengths::Blocks(length / Md::<W>::BLOCK, known))
}

/// The function of a kernel that has at most `lanes` lanes and takes complete messages.
#[inline(always)]
fn narrow<W>(kernel: &Kernel<W>, lanes: usize) -> Option<HashWhole<W>> {
    kernel.hash_whole.filter(|_| kernel.lanes <= lanes)
}

/// Writes the digest of a message of whole blocks, if the best kernel takes complete messages.
/// Returns whether it did.
#[inline(always)]
pub(crate) fn hash_one_of_blocks<W: MdWord>(
    before: &Midstate<'_, Md<W>>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) -> bool {
    let Some(lengths) = blocks(before, message.len()) else { return false };
    let kernel = before.rules.kernel(before.rules.row(1, forced));
    let Some(hash_whole) = narrow(kernel, 1) else { return false };
    assert!(kernel.available());
    let pointer = message.as_ptr();
    let messages = WholeMessages {
        initial: Initial::Same(before.state),
        before: before.length as u64,
        messages: &raw const pointer,
        count: 1,
        lengths,
        digests: Digests { base: digest.as_mut_ptr(), size: digest.len(), places: null() },
    };
    // SAFETY: the kernel is available, as asserted, and has one lane. The message is borrowed.
    unsafe { hash_whole(&messages) };
    true
}
