//! The second half of a kernel's contract, for kernels that hash whole messages: what such a one is
//! given, and what it promises.

use crate::family::known::Sums;
use crate::vector::BLOCK_WORDS;

/// Messages that a kernel hashes from beginning to end.
pub(crate) struct WholeMessages<'j, W> {
    pub(crate) initial: Initial<'j, W>,
    /// Bytes that come before each of them: whole blocks.
    pub(crate) before: u64,
    /// Where each message begins: `count`, and then the first one again up to a multiple of the
    /// lanes.
    pub(crate) messages: *const *const u8,
    /// At least one.
    pub(crate) count: usize,
    pub(crate) lengths: Lengths<'j, W>,
    pub(crate) digests: Digests,
}

/// The states in which messages begin.
#[derive(Clone, Copy)]
pub(crate) enum Initial<'j, W> {
    /// All begin in this one.
    Same(&'j [W; 8]),
    /// Each begins in its own: the words of the state, word-major for the lanes of a group, group
    /// by group.
    Each(*const W),
}

/// How long messages are.
#[derive(Clone, Copy)]
pub(crate) enum Lengths<'j, W> {
    /// All have this padding, and so one length.
    Level {
        padding: &'j Padding<W>,
        /// The sums of `padding.end`, if they are known. Then there is a block before it.
        known: Option<&'j Sums<W>>,
    },
    /// The bytes of each, as many as there are pointers. With what comes before them they are fewer
    /// than [`RAGGED`].
    Each(*const u32),
}

/// Messages of different lengths have fewer bytes than this, so that their bits fit in 32 bits.
pub(crate) const RAGGED: u64 = 1 << 28;

/// Messages of one length: how they end in blocks.
pub(crate) struct Padding<W> {
    /// Whole blocks.
    pub(crate) body: usize,
    /// Bytes after them, fewer than a block. If there are any, they are in a partial block.
    pub(crate) rest: usize,
    /// The partial block, with zeros in place of the message's bytes.
    pub(crate) partial: [W; BLOCK_WORDS],
    /// The last block, if it is padding alone.
    pub(crate) end: Option<[W; BLOCK_WORDS]>,
}

/// Where digests go.
pub(crate) struct Digests {
    pub(crate) base: *mut u8,
    /// Bytes of a digest, whole words of 32 bits.
    pub(crate) size: usize,
    /// The digest of message `i` is number `places[i]`; null if it is number `i`.
    pub(crate) places: *const u16,
}

/// Hashes whole messages.
///
/// # Safety
/// The CPU has the kernel's features. Each of the `count` messages is readable for its length.
/// There are as many pointers (states and lengths) as `messages` ([`Initial::Each`] and
/// [`Lengths::Each`]) say. For each
/// message there is a place (or there are none), at which a digest is writable.
pub(crate) type HashWhole<W> = unsafe fn(&WholeMessages<W>);
