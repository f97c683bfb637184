//! Nodes of BLAKE3 in the lanes of kernels.

use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use crate::family::blake::LANE_WORDS;
use crate::family::blake3::NODE;
use crate::input::Span;
use crate::kernel::{Kernel, Table, row};
use crate::schedule::choose::policy::{SOME, next_call};
use crate::schedule::list::List;
#[cfg(feature = "zeroize")]
use crate::wipe;

/// The most lanes of a kernel.
pub(super) const LANES: usize = 32;

/// The most groups of lanes in a call of a kernel, which loads the first block of one group while
/// it compresses the last block of another.
pub(super) const GROUPS: usize = 4;

/// The most lanes of all groups.
pub(super) const MOST: usize = GROUPS * SOME;

/// The best kernel for `count` nodes, and how many of them its next call takes, in at most so many
/// groups, or in one of more than [`SOME`] lanes, whose kernel takes more stack.
pub(super) fn next_nodes(
    table: &'static Table<u32>,
    count: usize,
    groups: usize,
    forced: Option<usize>,
) -> (&'static Kernel<u32>, usize) {
    let row = |count: usize| row(table, count, forced);
    let best = row(count);
    let kernel = &table.rows[best];
    let groups = if kernel.lanes > SOME { 1 } else { groups };
    let most = groups.saturating_mul(kernel.lanes);
    (kernel, next_call(count, most, kernel.lanes, |rest| row(rest) != best))
}

/// Groups of `lanes` lanes. Vectors of their words are loaded from one cache line each. What is
/// inlined here is compiled for one number of lanes if its caller passes a constant.
#[repr(C, align(64))]
pub(super) struct Lanes {
    /// Those of the first `groups` groups are initialised, `NODE` words of each lane. To clear or
    /// to copy them takes as long as half a block.
    states: [MaybeUninit<u32>; NODE * MOST],
    /// Where the next block of each lane of these groups is.
    data: [MaybeUninit<*const u8>; MOST],
    lanes: usize,
    groups: usize,
}

impl Lanes {
    #[inline(always)]
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            states: [const { MaybeUninit::uninit() }; NODE * MOST],
            data: [const { MaybeUninit::uninit() }; MOST],
            lanes,
            groups: 0,
        }
    }

    /// Adds a group whose lanes have the same state, and a null pointer to their next blocks.
    ///
    /// # Panics
    /// If there are as many as fit.
    pub(super) fn add(&mut self, node: &[u32; NODE]) {
        let (lanes, before) = (self.lanes, self.groups * self.lanes);
        let states = &mut self.states[NODE * before..][..NODE * lanes];
        for (words, &word) in states.chunks_exact_mut(lanes).zip(node) {
            words.fill(MaybeUninit::new(word));
        }
        self.data[before..][..lanes].fill(MaybeUninit::new(null()));
        self.groups += 1;
    }

    /// [`add`](Self::add), if there are `L` lanes in a group. Returns the words of the group.
    ///
    /// # Panics
    /// As for `add`, or if there are other lanes.
    #[inline(always)]
    pub(super) fn add_in<const L: usize>(&mut self, node: &[u32; NODE]) -> &mut [[u32; L]; NODE] {
        assert!(self.lanes == L && self.groups < MOST / L);
        let states = &mut self.states.as_chunks_mut::<L>().0[NODE * self.groups..];
        for w in 0..NODE {
            states[w] = [MaybeUninit::new(node[w]); L];
        }
        self.data.as_chunks_mut::<L>().0[self.groups] = [MaybeUninit::new(null()); L];
        self.groups += 1;
        self.group(self.groups - 1)
    }

    /// The words of group `g`, if there are `L` lanes in a group.
    ///
    /// # Panics
    /// If there are others, or fewer groups.
    #[inline(always)]
    pub(super) fn group<const L: usize>(&mut self, g: usize) -> &mut [[u32; L]; NODE] {
        assert!(self.lanes == L && g < self.groups);
        let states = &mut self.states[NODE * L * g..][..NODE * L];
        // SAFETY: as many words, which `add` or `add_in` initialised.
        unsafe { &mut *states.as_mut_ptr().cast() }
    }

    /// The number of groups.
    #[inline(always)]
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Word `w` of each lane of group `g`.
    #[inline(always)]
    pub(super) fn words(&mut self, g: usize, w: usize) -> &mut [u32] {
        assert!(g < self.groups && w < NODE);
        let words = &mut self.states[(NODE * g + w) * self.lanes..][..self.lanes];
        // SAFETY: `add` or `add_in` initialised all words of the first `groups` groups.
        unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) }
    }

    /// Where the next block of each lane of all groups is.
    #[inline(always)]
    pub(super) fn data(&mut self) -> &mut [*const u8] {
        let data = &mut self.data[..self.groups * self.lanes];
        // SAFETY: `add` or `add_in` initialised those of the first `groups` groups.
        unsafe { slice::from_raw_parts_mut(data.as_mut_ptr().cast(), data.len()) }
    }

    /// Compresses the next `blocks` blocks, at least one, of the first `groups` groups. What
    /// becomes of a state replaces it, or is written to `to`, [`LANE_WORDS`] words of each lane.
    ///
    /// # Panics
    /// If there are fewer groups, or the kernel has other lanes.
    ///
    /// # Safety
    /// The CPU can run the kernel. Each lane's pointer is readable for as many blocks. `to` is
    /// writable for the words of all lanes of these groups.
    #[inline(always)]
    pub(super) unsafe fn run(
        &mut self,
        kernel: &Kernel<u32>,
        groups: usize,
        blocks: usize,
        to: Option<*mut u32>,
    ) {
        assert!(groups <= self.groups && kernel.lanes == self.lanes);
        let states = self.states.as_mut_ptr().cast::<u32>();
        let mut spans = List::<Span<u32>, GROUPS>::new();
        for g in 0..groups {
            let from = states.wrapping_add(NODE * self.lanes * g);
            let to = to.map_or(from, |to| to.wrapping_add(LANE_WORDS * self.lanes * g));
            let data = self.data[self.lanes * g..].as_ptr().cast();
            spans.push(Span { from, to, data, blocks, known: null() });
        }
        // SAFETY: as the caller promises. `add` or `add_in` initialised the states of these groups,
        // `NODE` words of each lane, and their pointers.
        unsafe { kernel.run_spans(spans.as_slice()) };
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Lanes {
    fn drop(&mut self) {
        wipe::memory(&mut self.states[..NODE * self.groups * self.lanes]);
    }
}
