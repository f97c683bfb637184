//! The blocks that a kernel compresses, and what it may expect of them.

use crate::family::known::Sums;

/// Blocks to compress: the same number in every lane.
///
/// The states of all lanes are stored word-major: word `w` of lane `l` is at `w * lanes + l`. Only
/// output of BLAKE3 is lane-major, sixteen words of each lane at any alignment.
#[derive(Clone, Copy)]
pub(crate) struct Span<W> {
    /// The states before the blocks.
    pub(crate) from: *const W,
    /// Where the states after the blocks go. May be the same place.
    pub(crate) to: *mut W,
    /// `data[l]` is where the blocks of lane `l` begin. Null stands for blocks of zeros in all
    /// lanes, for kernels of sponges, which squeeze with it.
    pub(crate) data: *const *const u8,
    /// Blocks of each lane, at least one.
    pub(crate) blocks: usize,
    /// The sums of one more block, the same in every lane; null if there is none.
    pub(crate) known: *const Sums<W>,
}

/// Compresses spans, one after the other. Several of them in one call let a kernel load the first
/// block of a span while it compresses the last block of the one before.
///
/// # Safety
/// The CPU has the kernel's features. For every span
/// * `from` is readable for `STATE_WORDS * lanes` words, which an earlier span may have written,
/// * `to` is writable for as many words, or for the output of all lanes,
/// * `data` is readable for `lanes` pointers, and each of them for `blocks >= 1` blocks, at any
///   alignment. Lanes may share data. It may be null if this is the kernel of a sponge.
/// * `known` is null or readable.
pub(crate) type Compress<W> = unsafe fn(spans: &[Span<W>]);
