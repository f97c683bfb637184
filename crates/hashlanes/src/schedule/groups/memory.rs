//! The memory of groups that kernels read and write: states, and where the lanes read.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::{ENDS, SPANS};
use crate::family::{Family, MAX_BLOCK, State};
use crate::kernel::MAX_LANES;
use crate::vector::Word;

/// `N` bytes, cache-line aligned.
#[repr(C, align(64))]
pub(super) struct Lines<const N: usize>([u8; N]);

/// Bytes of the states of all lanes, at most: 4 words of 4 bytes in 32 lanes, 8 of 4 in 16, or 8 of
/// 8 in 8.
const STATES: usize = 512;

/// The memory of `G` groups.
pub(super) struct SpanMemory<const G: usize>(MaybeUninit<Layout<G>>);

struct Layout<const G: usize> {
    /// For each group a tail that its messages share, if they are whole blocks of one length.
    shared_tails: [[u8; 2 * MAX_BLOCK]; G],
    /// For each of a group's spans, where its lanes read.
    data: [[[*const u8; MAX_LANES]; G]; SPANS],
    /// The state in which the messages of all lanes begin, word-major.
    initial: Lines<STATES>,
    /// For each group the states in which the messages of its lanes begin, word-major, if these
    /// are not all the same.
    beginnings: [Lines<STATES>; G],
    /// For each end and group the states of its lanes, word-major.
    states: [[Lines<STATES>; G]; ENDS],
}

impl<const G: usize> SpanMemory<G> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// The memory, to be used by a kernel of `lanes` lanes.
    ///
    /// # Panics
    /// If the memory is too small for the states of `lanes` lanes.
    #[inline(always)]
    pub(super) fn open<F: Family>(&mut self, lanes: usize) -> Spans<'_, F, G> {
        assert!(lanes <= MAX_LANES && lanes * F::STATE_WORDS * F::Word::BYTES <= STATES);
        Spans { base: self.0.as_mut_ptr(), lanes, memory: PhantomData }
    }
}

#[cfg(feature = "zeroize")]
impl<const G: usize> Drop for SpanMemory<G> {
    fn drop(&mut self) {
        let (bytes, count) =
            (self.0.as_mut_ptr().cast::<MaybeUninit<u8>>(), size_of::<Layout<G>>());
        // SAFETY: these are the bytes of the memory, which is borrowed here and nowhere else. They
        // may be uninitialised.
        crate::wipe::memory(unsafe { core::slice::from_raw_parts_mut(bytes, count) });
    }
}

/// The memory in use by a kernel.
///
/// All pointers into the memory are made from one, `base`. So they stay valid for `'m`, whatever is
/// called on this value meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Spans<'m, F, const G: usize> {
    /// Borrowed for `'m`. No reference to it exists.
    base: *mut Layout<G>,
    /// At most MAX_LANES, and so few that their states have room.
    pub(super) lanes: usize,
    memory: PhantomData<(&'m mut SpanMemory<G>, F)>,
}

impl<F: Family, const G: usize> Spans<'_, F, G> {
    /// Where the states of group `g` go at end `end`: `STATE_WORDS * lanes` words.
    #[inline(always)]
    pub(super) fn states(self, end: usize, g: usize) -> *mut F::Word {
        // SAFETY: a place in the memory behind `base`. Nothing is read.
        unsafe { (&raw mut (*self.base).states[end][g]).cast() }
    }

    /// Where the messages of all lanes begin: `STATE_WORDS * lanes` words.
    #[inline(always)]
    pub(super) fn initial(self) -> *const F::Word {
        // SAFETY: a place in the memory behind `base`. Nothing is read.
        unsafe { (&raw const (*self.base).initial).cast() }
    }

    /// Writes the state in which the messages of all lanes begin.
    #[inline(always)]
    pub(super) fn put_initial(self, state: &State<F>) {
        let to = self.initial().cast_mut();
        for (w, &word) in state.iter().enumerate().take(F::STATE_WORDS) {
            for l in 0..self.lanes {
                // SAFETY: `initial` has STATE_WORDS * lanes words. It is derived from `base`, which
                // is a pointer for writing.
                unsafe { to.add(w * self.lanes + l).write(word) };
            }
        }
    }

    /// Where the messages of group `g` begin, if each begins in a state of its own:
    /// `STATE_WORDS * lanes` words.
    #[inline(always)]
    pub(super) fn beginnings(self, g: usize) -> *const F::Word {
        // SAFETY: a place in the memory behind `base`. Nothing is read.
        unsafe { (&raw const (*self.base).beginnings[g]).cast() }
    }

    /// Writes the state in which member number `i` begins, in lane `i % lanes` of its group.
    #[inline(always)]
    pub(super) fn put_beginning(self, i: usize, state: &State<F>) {
        // Lanes are a power of two, and a division would take as long as all stores.
        let (group, lane) = (i >> self.lanes.trailing_zeros(), i & (self.lanes - 1));
        let to = self.beginnings(group).cast_mut().wrapping_add(lane);
        for (w, &word) in state.iter().enumerate().take(F::STATE_WORDS) {
            // SAFETY: a group has STATE_WORDS * lanes words. They are derived from `base`, which is
            // a pointer for writing.
            unsafe { to.add(w * self.lanes).write(word) };
        }
    }

    /// Lets the idle lanes of the last group begin as its first one does. There are `members`
    /// members, at least one.
    #[inline(always)]
    pub(super) fn fill_beginnings(self, members: usize) {
        let to = self.beginnings((members - 1) / self.lanes).cast_mut();
        for l in (members - 1) % self.lanes + 1..self.lanes {
            for w in 0..F::STATE_WORDS {
                // SAFETY: as in `put_beginning`, which has written the states of the first lane.
                unsafe { to.add(w * self.lanes + l).write(to.add(w * self.lanes).read()) };
            }
        }
    }

    /// The state of lane `l` of group `g` at end `end`.
    ///
    /// # Safety
    /// A kernel has written the states of this end and group.
    #[inline(always)]
    pub(super) unsafe fn state(self, end: usize, g: usize, l: usize) -> State<F> {
        let mut state = [F::Word::default(); 8];
        let states = self.states(end, g);
        assert!(l < self.lanes);
        for (w, word) in state.iter_mut().enumerate().take(F::STATE_WORDS) {
            // SAFETY: there are STATE_WORDS * lanes words, which the kernel has written (caller).
            *word = unsafe { states.add(w * self.lanes + l).read() };
        }
        state
    }

    /// Writes where the lanes of group `g` read in its span number `span`. The first `live` lanes
    /// read where `from` says. The others read what the first one reads, and nobody looks at what
    /// they compute. Returns where this is written: `lanes` pointers.
    #[inline(always)]
    pub(super) fn put_data(
        self,
        span: usize,
        g: usize,
        live: usize,
        from: impl Fn(usize) -> *const u8,
    ) -> *const *const u8 {
        // SAFETY: a place in the memory behind `base`. Nothing is read.
        let data: *mut *const u8 = unsafe { (&raw mut (*self.base).data[span][g]).cast() };
        for l in 0..live.min(self.lanes) {
            // SAFETY: there are MAX_LANES pointers, and no more lanes.
            unsafe { data.add(l).write(from(l)) };
        }
        for l in live..self.lanes {
            // SAFETY: there are MAX_LANES pointers, and no more lanes.
            unsafe { data.add(l).write(from(0)) };
        }
        data
    }

    /// Where the tail is that the messages of group `g` may share: two blocks.
    #[inline(always)]
    pub(super) fn shared_tail(self, g: usize) -> *const u8 {
        // SAFETY: a place in the memory behind `base`. Nothing is read.
        unsafe { (&raw const (*self.base).shared_tails[g]).cast() }
    }

    /// Lets `pad` write the tail that the messages of group `g` share.
    #[inline(always)]
    pub(super) fn put_shared_tail(self, g: usize, pad: impl FnOnce(&mut [u8])) {
        let mut tail = [0; 2 * MAX_BLOCK];
        pad(&mut tail);
        // SAFETY: a place in the memory behind `base`, of this type.
        unsafe { (&raw mut (*self.base).shared_tails[g]).write(tail) };
    }
}
