//! The memory of groups that kernels use: states, and the addresses from which lanes read.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::{ENDS, LANES, SPANS};
use crate::family::padding::MAX_BLOCK;
use crate::schedule::rules::write_words_of;
use crate::vector::Word;

/// `N` bytes, cache-line aligned.
#[repr(C, align(64))]
pub(super) struct Lines<const N: usize>([u8; N]);

/// The most bytes that the states of all lanes take: 4 words of 4 bytes in 16 lanes, 8 of 4 in 8,
/// or 8 of 8 in 4.
const STATES: usize = 256;

/// The memory of `G` groups.
pub(super) struct SpanMemory<const G: usize>(MaybeUninit<Layout<G>>);

struct Layout<const G: usize> {
    /// For each group, the tail that its messages share if they have the same length, a multiple of
    /// the block length.
    shared_tails: [[u8; 2 * MAX_BLOCK]; G],
    /// For each span of a group after the span of the bodies, the addresses from which its lanes
    /// read.
    data: [[[*const u8; LANES]; G]; SPANS - 1],
    /// The common initial state of the messages in all lanes, word-major.
    initial: Lines<STATES>,
    /// For each group, the initial states of the messages in its lanes, word-major, if they differ.
    beginnings: [Lines<STATES>; G],
    /// For each end and group, the states of its lanes, word-major.
    states: [[Lines<STATES>; G]; ENDS],
}

impl<const G: usize> SpanMemory<G> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// Prepares the memory for a kernel of `lanes` lanes, which hold `words` words each.
    ///
    /// # Panics
    /// If the memory is too small for the states of `lanes` lanes.
    #[inline(always)]
    pub(super) fn open<W: Word>(&mut self, words: usize, lanes: usize) -> Spans<'_, W, G> {
        assert!(lanes <= LANES && lanes * words * W::BYTES <= STATES);
        Spans { base: self.0.as_mut_ptr(), lanes, words, memory: PhantomData }
    }
}

#[cfg(feature = "zeroize")]
impl<const G: usize> Drop for SpanMemory<G> {
    fn drop(&mut self) {
        let (bytes, count) =
            (self.0.as_mut_ptr().cast::<MaybeUninit<u8>>(), size_of::<Layout<G>>());
        // SAFETY: these are the bytes of `self`, which is borrowed exclusively. As `MaybeUninit`,
        // they may be uninitialised.
        crate::wipe::memory(unsafe { core::slice::from_raw_parts_mut(bytes, count) });
    }
}

/// The memory while a kernel uses it.
///
/// All pointers into the memory are derived from `base`, so they stay valid for `'m`, whatever
/// methods are called in between.
#[derive(Clone, Copy)]
pub(super) struct Spans<'m, W, const G: usize> {
    /// Borrowed for `'m`. No reference to it exists.
    base: *mut Layout<G>,
    /// At most LANES, and few enough that their states fit.
    pub(super) lanes: usize,
    /// Words of the state of each lane.
    words: usize,
    memory: PhantomData<(&'m mut SpanMemory<G>, W)>,
}

impl<W: Word, const G: usize> Spans<'_, W, G> {
    /// The memory for the states of group `g` at end `end`: `words * lanes` words.
    #[inline(always)]
    pub(super) fn states(self, end: usize, g: usize) -> *mut W {
        // SAFETY: `base` points to a `Layout` borrowed for `'m`, and the indices are checked.
        // Nothing is read.
        unsafe { (&raw mut (*self.base).states[end][g]).cast() }
    }

    /// The initial state of all lanes: `words * lanes` words.
    #[inline(always)]
    pub(super) fn initial(self) -> *const W {
        // SAFETY: `base` points to a `Layout` borrowed for `'m`. Nothing is read.
        unsafe { (&raw const (*self.base).initial).cast() }
    }

    /// Writes the initial state of all lanes.
    #[inline(always)]
    pub(super) fn put_initial(self, state: &[W; 8]) {
        match self.words {
            4 => self.put_first::<4>(state),
            5 => self.put_first::<5>(state),
            _ => self.put_first::<8>(state),
        }
    }

    /// [`put_initial`](Self::put_initial) of `N` words, a loop of constant length.
    #[inline(always)]
    fn put_first<const N: usize>(self, state: &[W; 8]) {
        assert!(N <= self.words);
        let to = self.initial().cast_mut();
        for (w, &word) in state[..N].iter().enumerate() {
            for l in 0..self.lanes {
                // SAFETY: `initial` has `words * lanes` words, and N are at most as many. It is
                // derived from `base`, through which the memory may be written.
                unsafe { to.add(w * self.lanes + l).write(word) };
            }
        }
    }

    /// The initial states of group `g`, if its messages have different ones: `words * lanes`
    /// words.
    #[inline(always)]
    pub(super) fn beginnings(self, g: usize) -> *const W {
        // SAFETY: `base` points to a `Layout` borrowed for `'m`, and the indices are checked.
        // Nothing is read.
        unsafe { (&raw const (*self.base).beginnings[g]).cast() }
    }

    /// Writes the initial state of member `i`, which is in lane `i % lanes` of its group.
    #[inline(always)]
    pub(super) fn put_beginning(self, i: usize, state: &[W; 8]) {
        // The number of lanes is a power of two. A division would take as long as all stores.
        let (group, lane) = (i >> self.lanes.trailing_zeros(), i & (self.lanes - 1));
        let to = self.beginnings(group).cast_mut().wrapping_add(lane);
        for (w, &word) in state.iter().enumerate().take(self.words) {
            // SAFETY: a group has words * lanes words. The pointer is derived from `base`,
            // through which the memory may be written.
            unsafe { to.add(w * self.lanes).write(word) };
        }
    }

    /// Gives the idle lanes of the last group the initial state of its first lane. `members` is at
    /// least 1.
    #[inline(always)]
    pub(super) fn fill_beginnings(self, members: usize) {
        let to = self.beginnings((members - 1) / self.lanes).cast_mut();
        for l in (members - 1) % self.lanes + 1..self.lanes {
            for w in 0..self.words {
                // SAFETY: as in `put_beginning`, which has written the states of the first lane.
                unsafe { to.add(w * self.lanes + l).write(to.add(w * self.lanes).read()) };
            }
        }
    }

    /// Writes the first words of the state of lane `l` of group `g` at end `end`.
    ///
    /// # Safety
    /// A kernel has written the states of this end and group.
    #[inline(always)]
    pub(super) unsafe fn put_digest(
        self,
        (end, g, l): (usize, usize, usize),
        big_endian: bool,
        digest: &mut [u8],
    ) {
        let states = self.states(end, g);
        assert!(l < self.lanes && digest.len() <= self.words * W::BYTES);
        // SAFETY: there are `words * lanes` words, which the kernel has written, as the caller
        // promises, and the digest has at most `words`.
        let word = |w: usize| unsafe { states.add(w * self.lanes + l).read() };
        write_words_of(digest, big_endian, word);
    }

    /// Writes the addresses from which the lanes of group `g` read in span `span`, counted after
    /// the span of the bodies: for the first `live` lanes those of `from`, for the idle ones that
    /// of lane 0, since their results are not used. Returns a pointer to the `lanes` addresses.
    #[inline(always)]
    pub(super) fn put_data(
        self,
        span: usize,
        g: usize,
        live: usize,
        from: impl Fn(usize) -> *const u8,
    ) -> *const *const u8 {
        // SAFETY: `base` points to a `Layout` borrowed for `'m`, and the indices are checked.
        // Nothing is read.
        let data: *mut *const u8 = unsafe { (&raw mut (*self.base).data[span][g]).cast() };
        for l in 0..live.min(self.lanes) {
            // SAFETY: `data` has LANES pointers, and `l` is below `lanes`, which is at most
            // that.
            unsafe { data.add(l).write(from(l)) };
        }
        for l in live..self.lanes {
            // SAFETY: `data` has LANES pointers, and `l` is below `lanes`, which is at most
            // that.
            unsafe { data.add(l).write(from(0)) };
        }
        data
    }

    /// The tail that the messages of group `g` may share: two blocks.
    #[inline(always)]
    pub(super) fn shared_tail(self, g: usize) -> *const u8 {
        // SAFETY: `base` points to a `Layout` borrowed for `'m`, and the indices are checked.
        // Nothing is read.
        unsafe { (&raw const (*self.base).shared_tails[g]).cast() }
    }

    /// Writes the tail that the messages of group `g` share with `pad`.
    #[inline(always)]
    pub(super) fn put_shared_tail(self, g: usize, pad: impl FnOnce(&mut [u8])) {
        let mut tail = [0; 2 * MAX_BLOCK];
        pad(&mut tail);
        // SAFETY: `base` points to a `Layout` borrowed for `'m`, the index is checked, and the
        // element has this type.
        unsafe { (&raw mut (*self.base).shared_tails[g]).write(tail) };
    }
}
