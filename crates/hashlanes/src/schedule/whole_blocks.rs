//! Messages of whole blocks whose padding is a block with precomputed sums.

use core::ptr::null;

use super::midstate::Midstate;
use super::rules::{Md, MdWord, Tabled};
use crate::family::Rules;
use crate::input::{Digests, HashWhole, Initial, Lengths, WholeMessages};
use crate::kernel::Kernel;

/// The lengths of messages of `length` bytes that continue `before`, if these are whole blocks and
/// the sums of their padding block are in the table.
#[inline(always)]
pub(super) fn blocks<W: MdWord>(
    before: &Midstate<'_, Md<W>>,
    length: usize,
) -> Option<Lengths<'static, W>> {
    let all = u64::try_from(before.length).ok()?.checked_add(length as u64)?;
    let known = before.rules.known_padding(all)?;
    let whole = length > 0 && before.carry.is_empty();
    whole.then_some(Lengths::Blocks(length / Md::<W>::BLOCK, known))
}

/// The function of a kernel that has at most `lanes` lanes and takes complete messages.
#[inline(always)]
pub(super) fn narrow<W>(kernel: &Kernel<W>, lanes: usize) -> Option<HashWhole<W>> {
    kernel.hash_whole.filter(|_| kernel.lanes <= lanes)
}

/// Writes the digest of a message of whole blocks, if the best kernel takes complete messages.
/// Returns whether it did.
#[inline(always)]
pub(super) fn one<W: MdWord>(
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
