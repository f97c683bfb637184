//! The messages of one call of a kernel, whose slices were read once.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::slice;

use crate::kernel::{Origin, prefetch};
use crate::schedule::batch::chunks::Chunks;
use crate::schedule::choose::policy::longest_prefetched;

/// The most messages in a call of a kernel. A multiple of every kernel's number of lanes.
pub(crate) const MOST: usize = 128;

/// Up to [`MOST`] messages in the form that kernels need: pointers and lengths.
///
/// A caller's `AsRef` may return a different slice on each call. Lanes use the pointers and lengths
/// stored here, so they stay within one of these slices.
pub(crate) struct Members<'a> {
    pointers: [MaybeUninit<*const u8>; MOST],
    lengths: [MaybeUninit<usize>; MOST],
    /// The first `count` pointers and lengths are those of slices that are borrowed for `'a`.
    count: usize,
    /// The bitwise or of all lengths.
    bits: usize,
    /// Whether all have the same length.
    equal: bool,
    messages: PhantomData<&'a [u8]>,
}

impl<'a> Members<'a> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self {
            pointers: [const { MaybeUninit::uninit() }; MOST],
            lengths: [const { MaybeUninit::uninit() }; MOST],
            count: 0,
            bits: 0,
            equal: true,
            messages: PhantomData,
        }
    }

    /// Replaces the contents by these messages, at most [`MOST`].
    #[inline(always)]
    pub(crate) fn fill(&mut self, messages: impl Iterator<Item = &'a [u8]>) {
        // In case the caller's code panics.
        self.count = 0;
        let (mut count, mut any, mut all) = (0, 0, usize::MAX);
        let places = self.pointers.iter_mut().zip(&mut self.lengths);
        for ((pointer, length), message) in places.zip(messages) {
            any |= message.len();
            all &= message.len();
            pointer.write(message.as_ptr());
            length.write(message.len());
            count += 1;
        }
        (self.count, self.bits, self.equal) = (count, any, any == all);
    }

    /// [`fill`](Self::fill) with chunks, without a test for each.
    pub(crate) fn fill_chunks(&mut self, chunks: Chunks<'a>) {
        let (data, length) = chunks.parts();
        let count = chunks.len();
        let (pointers, lengths) = (&mut self.pointers[..count], &mut self.lengths[..count]);
        for i in 0..count {
            pointers[i].write(data.as_ptr().wrapping_add(i * length));
            lengths[i].write(length);
        }
        let (shortest, longest) = chunks.lengths();
        if let Some(last) = lengths.last_mut() {
            last.write(shortest);
        }
        (self.count, self.bits, self.equal) = (count, longest | shortest, shortest == longest);
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// At least the length of the longest, and less than twice that.
    pub(crate) fn bits(&self) -> usize {
        self.bits
    }

    /// Whether all have the same length.
    pub(crate) fn are_equal(&self) -> bool {
        self.equal
    }

    /// The address of each message.
    #[inline(always)]
    pub(crate) fn pointers(&self) -> &[*const u8] {
        // SAFETY: `fill` wrote the first `count` pointers.
        unsafe { slice::from_raw_parts(self.pointers.as_ptr().cast(), self.count) }
    }

    /// The length of each.
    #[inline(always)]
    pub(crate) fn lengths(&self) -> &[usize] {
        // SAFETY: `fill` wrote the first `count` lengths.
        unsafe { slice::from_raw_parts(self.lengths.as_ptr().cast(), self.count) }
    }

    /// Message number `i`.
    #[inline(always)]
    pub(crate) fn message(&self, i: usize) -> &'a [u8] {
        // SAFETY: these are the pointer and the length of a slice borrowed for `'a`, which `fill`
        // stored.
        unsafe { slice::from_raw_parts(self.pointers()[i], self.lengths()[i]) }
    }

    /// Prefetches the messages, except those that the hardware prefetches.
    pub(crate) fn prefetch(&self, origin: Origin) {
        let messages = (0..self.count).map(|i| self.message(i));
        let suitable = messages.filter(|message| message.len() <= longest_prefetched(origin));
        suitable.for_each(|message| prefetch(message, origin));
    }

    /// Truncates to the first `count` messages, at least one. Then repeats the last one up to a
    /// multiple of `lanes`, which divides [`MOST`], because idle lanes read it too.
    #[inline(always)]
    pub(crate) fn fill_lanes(&mut self, count: usize, lanes: usize) {
        let (pointer, length) = (self.pointers()[count - 1], self.lengths()[count - 1]);
        self.count = count.next_multiple_of(lanes);
        self.pointers[count..self.count].fill(MaybeUninit::new(pointer));
        self.lengths[count..self.count].fill(MaybeUninit::new(length));
    }
}
