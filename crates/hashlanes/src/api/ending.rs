//! Bytes that follow messages: numbers as SP 800-185 encodes them, and other endings. Short
//! messages are copied, so that their endings follow them in memory.

use crate::wipe::Wiped;

/// Bytes after a message, at most a block of every sponge.
#[derive(Clone, Copy)]
pub(crate) struct Ending {
    bytes: [u8; LONGEST_ENDING],
    pub(crate) length: usize,
}

const LONGEST_ENDING: usize = 136;

impl Ending {
    /// Bytes that another ending follows, if both together are not too many.
    pub(crate) fn new(first: &[u8], then: &Self) -> Option<Self> {
        let (mut bytes, length) = ([0; LONGEST_ENDING], first.len() + then.length);
        bytes.get_mut(..first.len())?.copy_from_slice(first);
        bytes.get_mut(first.len()..length)?.copy_from_slice(then.as_slice());
        Some(Self { bytes, length })
    }

    pub(crate) const fn empty() -> Self {
        Self { bytes: [0; LONGEST_ENDING], length: 0 }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// A number with its length before it (SP 800-185 section 2.3.1).
pub(crate) fn left_encode(number: u64) -> Ending {
    let mut encoded = right_encode(number);
    encoded.bytes[..encoded.length].rotate_right(1);
    encoded
}

/// A number with its length after it.
pub(crate) fn right_encode(number: u64) -> Ending {
    let used = (8 - number.leading_zeros() as usize / 8).max(1);
    let mut bytes = [0; LONGEST_ENDING];
    bytes[..used].copy_from_slice(&number.to_be_bytes()[8 - used..]);
    bytes[used] = used as u8;
    Ending { bytes, length: used + 1 }
}

/// Messages of at most this many bytes are copied, so that their endings follow them.
const COPIED: usize = 336;

/// The bytes of all copies that are hashed together, and the most copies.
const COPIES: usize = 32 * 168;
const MOST_COPIES: usize = 32;

/// A few messages.
const FEW: usize = 2;

/// Hashes copies of messages that have these numbers.
pub(crate) type HashCopies<'h> = dyn FnMut(&[usize], &[&[u8]]) + 'h;

/// Whether a message is hashed as a copy.
pub(crate) fn is_short(message: &impl AsRef<[u8]>) -> bool {
    message.as_ref().len() <= COPIED
}

/// Calls `hash` with copies of those messages that are short, which have their endings, and with
/// their numbers: some at a time, in order. Returns whether all messages are short.
pub(crate) fn as_copies(
    messages: &[impl AsRef<[u8]>],
    ending: &dyn Fn(usize) -> Ending,
    hash: &mut HashCopies<'_>,
) -> bool {
    // It takes a while to clear the memory for many.
    match messages.len() {
        ..=FEW => copies_in::<{ FEW * (COPIED + LONGEST_ENDING) }>(messages, ending, hash),
        _ => copies_in::<COPIES>(messages, ending, hash),
    }
}

#[inline(never)]
fn copies_in<const BYTES: usize>(
    messages: &[impl AsRef<[u8]>],
    ending: &dyn Fn(usize) -> Ending,
    hash: &mut HashCopies<'_>,
) -> bool {
    const { assert!(BYTES >= COPIED + LONGEST_ENDING) };
    let mut memory = Wiped([0; BYTES]);
    let mut short = 0;
    let mut waiting = (0..messages.len()).filter(|&i| is_short(&messages[i])).peekable();
    while waiting.peek().is_some() {
        let mut free = &mut memory[..];
        let (mut copies, mut ids, mut count) = ([&[][..]; MOST_COPIES], [0; MOST_COPIES], 0);
        while count < MOST_COPIES
            && free.len() >= COPIED + LONGEST_ENDING
            && let Some(i) = waiting.next()
        {
            let (message, ending) = (messages[i].as_ref(), ending(i));
            // A caller's `AsRef` may return a longer slice than before.
            let message = &message[..message.len().min(COPIED)];
            let (copy, rest) = free.split_at_mut(message.len() + ending.length);
            copy[..message.len()].copy_from_slice(message);
            copy[message.len()..].copy_from_slice(ending.as_slice());
            (copies[count], ids[count], free) = (copy, i, rest);
            count += 1;
        }
        hash(&ids[..count], &copies[..count]);
        short += count;
    }
    short == messages.len()
}
