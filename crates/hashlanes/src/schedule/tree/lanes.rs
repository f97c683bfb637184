//! Nodes of BLAKE3 in the lanes of kernels.

use core::mem::MaybeUninit;
use core::ptr::null;

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

/// `G` groups of `L` lanes. Vectors of their words are loaded from one cache line each.
#[repr(align(64))]
pub(super) struct Lanes<const L: usize, const G: usize> {
    /// The states of the first `groups` groups are initialised. To clear or to copy them takes as
    /// long as half a block.
    states: [[MaybeUninit<[u32; L]>; NODE]; G],
    /// Where the next block of each lane is.
    pub(super) data: [[*const u8; L]; G],
    groups: usize,
}

impl<const L: usize, const G: usize> Lanes<L, G> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            states: [const { [const { MaybeUninit::uninit() }; NODE] }; G],
            data: [[null(); L]; G],
            groups: 0,
        }
    }

    /// Adds a group whose lanes have the same state. Returns that.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        node: &[u32; NODE],
        data: [*const u8; L],
    ) -> &mut [[u32; L]; NODE] {
        for (words, &word) in self.states[self.groups].iter_mut().zip(node) {
            words.write([word; L]);
        }
        self.data[self.groups] = data;
        self.groups += 1;
        self.state(self.groups - 1)
    }

    /// The number of groups.
    #[inline(always)]
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// The state of group `g`.
    #[inline(always)]
    pub(super) fn state(&mut self, g: usize) -> &mut [[u32; L]; NODE] {
        assert!(g < self.groups);
        // SAFETY: `add` initialised the twelve arrays of each of the first `groups` groups.
        unsafe { &mut *(&raw mut self.states[g]).cast() }
    }

    /// Compresses the next `blocks` blocks, at least one, of the first `groups` groups. What
    /// becomes of a state replaces it, or is written to `to`, [`LANE_WORDS`] words of each lane.
    ///
    /// # Panics
    /// If there are fewer groups.
    ///
    /// # Safety
    /// The CPU can run the kernel, which has `L` lanes. Each lane's pointer is readable for as many
    /// blocks. `to` is writable for the words of all lanes of these groups.
    #[inline(always)]
    pub(super) unsafe fn run(
        &mut self,
        kernel: &Kernel<u32>,
        groups: usize,
        blocks: usize,
        to: Option<*mut u32>,
    ) {
        assert!(groups <= self.groups);
        let mut spans = List::<Span<u32>, G>::new();
        // Another reference to all states would end the pointers to those before.
        for (g, (state, data)) in self.states.iter_mut().zip(&self.data).take(groups).enumerate() {
            let from = state.as_mut_ptr().cast();
            let to = to.map_or(from, |to| to.wrapping_add(g * L * LANE_WORDS));
            spans.push(Span { from, to, data: data.as_ptr(), blocks, known: null() });
        }
        // SAFETY: as the caller promises. `add` initialised the states, `NODE` words of each lane.
        unsafe { kernel.run_spans(spans.as_slice()) };
    }
}

#[cfg(feature = "zeroize")]
impl<const L: usize, const G: usize> Drop for Lanes<L, G> {
    fn drop(&mut self) {
        wipe::memory(self.states.as_flattened_mut());
    }
}
