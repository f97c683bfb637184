//! Copies of the last bytes of messages, each without a branch that mixed lengths mispredict often.

/// Writes the last bytes of a message at the end of the `block` bytes of a slot, a block of them or
/// all. Every copy has a constant length.
///
/// # Safety
/// `slot` is writable for `block` bytes.
#[inline(always)]
pub(crate) unsafe fn put_rest(block: usize, slot: *mut u8, message: &[u8]) {
    let to = slot.wrapping_add(block).wrapping_sub(message.len());
    // SAFETY: the caller promises `block` writable bytes. A shorter message is written at their
    // end.
    unsafe {
        match message.len() {
            length if length >= block => {
                let last = message.as_ptr().add(length - block);
                slot.copy_from_nonoverlapping(last, block);
            }
            128.. => put_ends::<128>(to, message),
            64.. => put_ends::<64>(to, message),
            32.. => put_ends::<32>(to, message),
            16.. => put_ends::<16>(to, message),
            8.. => put_ends::<8>(to, message),
            4.. => put_ends::<4>(to, message),
            2.. => put_ends::<2>(to, message),
            _ => put_ends::<1>(to, message),
        }
    }
}

/// Copies a message of `N` to `2 * N` bytes as its first and its last `N` bytes. Copies nothing of
/// a shorter one.
///
/// # Safety
/// `to` is writable for the length of the message.
#[inline(always)]
unsafe fn put_ends<const N: usize>(to: *mut u8, message: &[u8]) {
    let (Some(first), Some(last)) = (message.first_chunk::<N>(), message.last_chunk::<N>()) else {
        return;
    };
    // SAFETY: the caller promises that `to` is writable for the message's length. That is N at
    // least, or there were no such chunks.
    unsafe {
        to.cast::<[u8; N]>().write(*first);
        to.add(message.len() - N).cast::<[u8; N]>().write(*last);
    }
}
