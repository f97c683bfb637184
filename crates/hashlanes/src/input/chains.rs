//! Hash chains, for kernels that continue them.

use core::array;
use core::mem::MaybeUninit;
use core::ops::Range;

use crate::vector::{MAX_LANES, Word};

/// How many chains are put in order of their lengths: at least the lanes of every kernel.
const WINDOW: usize = 64;

const _: () = assert!(WINDOW >= MAX_LANES);

/// Hash chains to continue side by side, as a queue.
///
/// A chain has an *input*, which ends with a *value*. The digest of the input replaces the value,
/// and so on.
pub struct Chains<'c> {
    /// The inputs, one after another. They become those of the hashes that would follow.
    inputs: &'c mut [u8],
    /// Bytes of an input.
    pub(crate) input_len: usize,
    /// Bytes of a value, at most those of a digest.
    pub(crate) value_len: usize,
    /// Whether the byte before a value counts the hashes.
    pub(crate) counted: bool,
    /// The number of hashes of each chain.
    lengths: &'c [u64],
    /// The first chain that has not been in the window.
    next: usize,
    /// The chains with hashes left, from `next` on.
    later: usize,
    /// The chains that are taken next, the last one first, with the hashes that are left: the first
    /// `count` are initialised.
    window: [MaybeUninit<(usize, u64)>; WINDOW],
    count: usize,
}

impl<'c> Chains<'c> {
    /// Chains with inputs of `input_len` bytes, one for each length, whose values are the last
    /// `value_len` of them.
    pub(crate) fn new(
        inputs: &'c mut [u8],
        input_len: usize,
        value_len: usize,
        counted: bool,
        lengths: &'c [u64],
    ) -> Self {
        let later = lengths.iter().filter(|&&length| length > 0).count();
        // Not cleared, which takes longer than a hash.
        let window = [const { MaybeUninit::uninit() }; WINDOW];
        Self { inputs, input_len, value_len, counted, lengths, next: 0, later, window, count: 0 }
    }

    /// The number of chains with hashes left that are not taken.
    #[inline(always)]
    pub(crate) fn waiting(&self) -> usize {
        self.later + self.count
    }

    /// Takes a chain out: its number, and the hashes that are left.
    ///
    /// Chains come in windows, each in order of length, the longest first. So lanes end together,
    /// and few of them are idle at the end.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(usize, u64)> {
        if self.count == 0 {
            while self.count < WINDOW && self.later > 0 {
                let (id, length) = (self.next, self.lengths[self.next]);
                self.next += 1;
                if length > 0 {
                    self.later -= 1;
                    self.put_back(id, length);
                }
            }
        }
        self.count = self.count.checked_sub(1)?;
        // SAFETY: `put_back` has initialised the chains of the window, of which this was one.
        Some(unsafe { self.window[self.count].assume_init() })
    }

    /// Puts a chain back that was taken, with the hashes that are left.
    ///
    /// # Panics
    /// If the window is full.
    pub(crate) fn put_back(&mut self, id: usize, left: u64) {
        let mut place = self.count;
        while place > 0 {
            let before = self.window[place - 1];
            // SAFETY: `place` is at most `count`, the number of chains that have been written.
            if unsafe { before.assume_init() }.1 <= left {
                break;
            }
            self.window[place] = before;
            place -= 1;
        }
        self.window[place].write((id, left));
        self.count += 1;
    }

    /// The input of chain `id`.
    #[inline(always)]
    pub(crate) fn input(&mut self, id: usize) -> &mut [u8] {
        &mut self.inputs[id * self.input_len..][..self.input_len]
    }

    /// All inputs.
    #[inline(always)]
    pub(crate) fn inputs(&self) -> &[u8] {
        self.inputs
    }

    /// Where values begin within inputs.
    #[inline(always)]
    pub(crate) fn value_start(&self) -> usize {
        self.input_len - self.value_len
    }

    /// Replaces the value of chain `id` by the first bytes of the digest of its input.
    pub(crate) fn replace(&mut self, id: usize, digest: &[u8]) {
        let (start, counted) = (self.value_start(), self.counted);
        let (others, value) = self.input(id).split_at_mut(start);
        value.copy_from_slice(&digest[..value.len()]);
        if let (true, Some(count)) = (counted, others.last_mut()) {
            *count = count.wrapping_add(1);
        }
    }
}

/// The block in which an input is hashed.
pub(crate) struct Frame<'f, W> {
    /// The state before the block.
    pub(crate) state: &'f [W; 8],
    /// The block with zeros in place of the input.
    pub(crate) block: &'f [u8],
    /// Where the input begins in it.
    pub(crate) start: usize,
}

/// Continues chains whose inputs are hashed in one block, which [`Frame`] is.
///
/// # Safety
/// The CPU has the kernel's features.
pub(crate) type ContinueChains<W> = unsafe fn(&Frame<'_, W>, &mut Chains<'_>);

/// The most words of a block that a value touches.
pub(crate) const MOST_TOUCHED: usize = 8 + 1;

/// Where a value is in a block of words.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no kernel has links there"))]
pub(crate) struct Place<W> {
    /// The word in which it begins.
    pub(crate) first: usize,
    /// The words that it touches.
    pub(crate) touched: usize,
    /// Bits of the first word before it.
    pub(crate) skew: u32,
    /// The bits of these words that come from the word of a digest with the same number, and those
    /// that come from the word before it.
    pub(crate) masks: [[W; MOST_TOUCHED]; 2],
    /// Whether these are all bits of all words.
    pub(crate) is_whole: bool,
    /// Whether a byte counts hashes: `count` has its bits in word `counter`, `one` the lowest.
    pub(crate) is_counted: bool,
    pub(crate) counter: usize,
    pub(crate) count: W,
    pub(crate) one: W,
}

impl<W: Word> Place<W> {
    /// Of a value of `length` bytes that begins at byte `start` of a block. The byte before it
    /// counts hashes if it is `counted`.
    pub(crate) fn new(start: usize, length: usize, is_counted: bool, big_endian: bool) -> Self {
        let (first, before) = (start / W::BYTES, start % W::BYTES);
        let touched = (before + length).div_ceil(W::BYTES);
        // A word with `value` in those of its bytes that are in a range of the block.
        let word = |number: usize, range: Range<usize>, value: u8| {
            let mut bytes = [0; 8];
            for (i, byte) in bytes[..W::BYTES].iter_mut().enumerate() {
                *byte = if range.contains(&(number * W::BYTES + i)) { value } else { 0 };
            }
            W::read(&bytes[..W::BYTES], big_endian)
        };
        // The words of a digest begin `before` bytes after those of the block.
        let mask = |k: usize, from: usize, to: usize| {
            let at = (first + k) * W::BYTES;
            word(first + k, start.max(at + from)..(start + length).min(at + to), 0xff)
        };
        let same = array::from_fn(|k| mask(k, before, W::BYTES));
        let previous = array::from_fn(|k| mask(k, 0, before));
        let at = start - usize::from(is_counted);
        let counter = at / W::BYTES;
        Self {
            first,
            touched,
            skew: 8 * before as u32,
            masks: [same, previous],
            is_whole: before == 0 && length.is_multiple_of(W::BYTES),
            is_counted,
            counter,
            count: word(counter, at..at + 1, 0xff),
            one: word(counter, at..at + 1, 1),
        }
    }
}

/// Links of chains, the same number in every lane. Blocks, states and sums are word-major, as the
/// states of a [`Span`](super::Span).
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no kernel has links there"))]
pub(crate) struct Links<'l, W> {
    /// The blocks, whose values become those after the last link.
    pub(crate) blocks: *mut W,
    pub(crate) place: &'l Place<W>,
    /// The states before the hashes of a link: one, or two for HMAC, otherwise null.
    pub(crate) before: [*const W; 2],
    /// To these the state after each link is added by an exclusive or, unless null.
    pub(crate) sums: *mut W,
    pub(crate) count: u64,
}

/// Computes links.
///
/// # Safety
/// The CPU has the kernel's features. `blocks` is readable and writable for 16 words of each lane.
/// The first pointer of `before` is readable, the second null or readable, and `sums` null or
/// readable and writable, for the words of all lanes' states.
pub(crate) type LinkLanes<W> = unsafe fn(&Links<'_, W>);
