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
    /// `data[l]` is where the blocks of lane `l` begin.
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
///   alignment. Lanes may share data.
/// * `known` is null or readable.
pub(crate) type Compress<W> = unsafe fn(spans: &[Span<W>]);

/// Blocks of output of a sponge: the same number from every lane.
pub(crate) struct Squeezing<W> {
    /// The states, which become those of the last blocks.
    pub(crate) states: *mut W,
    /// Whether the states are permuted before the first block, as before each of the others.
    pub(crate) continues: bool,
    /// Blocks of each lane, at least one.
    pub(crate) blocks: usize,
    /// `output[l]` is where the blocks of lane `l` go, one behind the other. Null if they go
    /// nowhere.
    pub(crate) output: *const *mut u8,
}

/// Squeezes blocks.
///
/// # Safety
/// The CPU has the kernel's features. `states` is readable and writable for `STATE_WORDS * lanes`
/// words. `output` is readable for `lanes` pointers, and each of them is null or writable for
/// `blocks` blocks, which overlap nothing else.
pub(crate) type SqueezeBlocks<W> = unsafe fn(squeezing: &Squeezing<W>);
