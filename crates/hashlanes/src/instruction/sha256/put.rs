//! The last blocks of messages, in memory.

/// Who writes last blocks.
pub(crate) trait Put {
    /// Writes a block of the `count` bytes at `from`, fewer than 64, followed by the padding. These
    /// are the last of a message of `length` bytes, if that is not 0 but different from message to
    /// message. If `last_word` is not 0, it becomes the last word, in native byte order.
    ///
    /// # Safety
    /// The CPU has the instructions of the implementation. `from` is readable for `count` bytes,
    /// and for `length - count` before it; `padding` for 64. The first `count` of these are 0, and
    /// so are the last four if `last_word` is not. `to` is writable for 64 and the 16 before it,
    /// and overlaps neither.
    unsafe fn put_block(
        to: *mut u8,
        from: *const u8,
        count: usize,
        length: usize,
        padding: *const u8,
        last_word: u32,
    );
}

/// Copies of bytes, for any CPU.
pub(crate) enum ByCopies {}

impl Put for ByCopies {
    #[inline(always)]
    unsafe fn put_block(
        to: *mut u8,
        from: *const u8,
        count: usize,
        length: usize,
        padding: *const u8,
        last_word: u32,
    ) {
        // SAFETY: the caller promises 64 bytes at `padding` and `to`, which do not overlap, and
        // what `copy_end` asks for.
        unsafe {
            to.cast::<[u8; 64]>().write(padding.cast::<[u8; 64]>().read());
            match length {
                // One length for all messages is predicted, and whole vectors are not loaded from
                // parts that were stored apart.
                0 => to.copy_from_nonoverlapping(from, count),
                _ => copy_end(to, from, count, length),
            }
            if last_word != 0 {
                to.add(60).cast::<[u8; 4]>().write(last_word.to_ne_bytes());
            }
        }
    }
}

/// Copies the `count` bytes at `from`, fewer than 64, the last of `length`. Mixed lengths would be
/// mispredicted by a copy that branches, so 16 bytes are copied up to four times, none of them
/// after the last. Where there are fewer than 16, that begins before `to`.
///
/// # Safety
/// `from` is readable for `count` bytes, and for `length - count` before it. `to` is writable for
/// `count` bytes and the 16 before it, and does not overlap them.
#[inline(always)]
unsafe fn copy_end(to: *mut u8, from: *const u8, count: usize, length: usize) {
    if length < 16 {
        // SAFETY: the caller promises `count` bytes at both, which do not overlap.
        return unsafe { to.copy_from_nonoverlapping(from, count) };
    }
    let last = count as isize - 16;
    for chunk in 0..4 {
        let at = last.min(16 * chunk);
        let (from, to) = (from.wrapping_offset(at), to.wrapping_offset(at));
        // SAFETY: `at + 16` is at most `count`, and `at` at least `count - 16`, so that there are
        // the bytes of the message, and those before `to`.
        unsafe { to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read()) };
    }
}
