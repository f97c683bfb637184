//! The spans of groups of messages, which the kernel compresses.

use core::ptr::{self, null};

use super::memory::Spans;
use super::slots::Slots;
use super::{Blocks, LANES, SPANS};
use crate::family::{known::Sums, padding::pad};
use crate::input::Span;
use crate::schedule::batch::members::Members;
use crate::schedule::batch::padding_sums::PaddingSums;
use crate::schedule::choose::policy::SIMILAR;
use crate::schedule::list::List;
use crate::schedule::rules::{Md, MdWord};

/// The spans of up to `G` groups, each with one message in each lane.
///
/// A span has the addresses from which its lanes read: in a message, in a slot or in a shared tail.
/// It also has the addresses of the states before and after it, in the memory of spans.
pub(super) struct Plan<'m, W: MdWord, const G: usize> {
    rules: Md<W>,
    /// The number of bytes before every message.
    before: u64,
    slots: Slots<'m, W, G>,
    memory: Spans<'m, W, G>,
    /// Whether each message continues its own state.
    each: bool,
    sums: &'m PaddingSums<W>,
    /// For each group, the length of the messages whose tail is its shared one.
    shared_lengths: &'m mut [usize; G],
    spans: List<Span<W>, SPANS, G>,
    /// The numbers of blocks of each group's shortest and longest messages.
    blocks: [(usize, usize); G],
    groups: usize,
}

impl<'m, W: MdWord, const G: usize> Plan<'m, W, G> {
    #[inline(always)]
    pub(super) fn new(
        rules: Md<W>,
        before: u64,
        slots: Slots<'m, W, G>,
        memory: Spans<'m, W, G>,
        each: bool,
        sums: &'m PaddingSums<W>,
        shared_lengths: &'m mut [usize; G],
    ) -> Self {
        Self {
            rules,
            before,
            slots,
            memory,
            each,
            sums,
            shared_lengths,
            spans: List::new(),
            blocks: [(0, 0); G],
            groups: 0,
        }
    }

    /// The spans so far, in the order in which they must be compressed.
    ///
    /// In each span, `to` is writable for the states of all lanes. `from` is readable once the
    /// spans before it are compressed. `data` and its pointers are readable for all lanes and
    /// blocks, as long as the members and the plan's memory are borrowed.
    #[inline(always)]
    pub(super) fn spans(&self) -> &[Span<W>] {
        self.spans.as_slice()
    }

    /// The end of group `g` at which the state of a message of `length` bytes is.
    #[inline(always)]
    pub(super) fn end(&self, g: usize, length: impl FnOnce() -> usize) -> usize {
        let (fewest, most) = self.blocks[g];
        if fewest == most { 0 } else { Blocks::of::<W>(length()).all - fewest }
    }

    /// Adds members `first..first + count` as a group. The last one is repeated for idle lanes.
    /// Adds nothing and returns false if their numbers of blocks differ by more than `SIMILAR`.
    #[inline(always)]
    pub(super) fn add(&mut self, members: &Members<'_>, first: usize, count: usize) -> bool {
        assert!(count <= self.memory.lanes && self.memory.lanes <= LANES);
        let added = match equal_length(members, first, count) {
            Some(length) => {
                self.add_equal(members, first, count, length);
                true
            }
            None => self.add_uneven(members, first, count),
        };
        self.groups += usize::from(added);
        added
    }

    /// Adds a group of messages of `length` bytes each.
    #[inline(always)]
    fn add_equal(&mut self, members: &Members<'_>, first: usize, count: usize, length: usize) {
        let g = self.groups;
        let blocks = Blocks::of::<W>(length);
        self.blocks[g] = (blocks.all, blocks.all);
        let whole = length.is_multiple_of(Md::<W>::BLOCK);
        let known = if whole || blocks.all - blocks.body == 2 {
            self.sums.of(self.before + length as u64)
        } else {
            None
        };
        let (tail, step) = if whole {
            if blocks.body > 0 && known.is_some() {
                self.add_bodies(members, first, blocks.body, known);
                return;
            }
            if self.shared_lengths[g] != length {
                self.shared_lengths[g] = length;
                let all = u128::from(self.before + length as u64);
                let big_endian = self.rules.big_endian();
                self.memory.put_shared_tail(g, |tail| {
                    pad::<W>(big_endian, tail, &[], all);
                });
            }
            (self.memory.shared_tail(g), 0)
        } else {
            let messages = (first..first + count).map(|i| members.message(i));
            let slot = g * self.memory.lanes;
            (self.slots.put_equal(g, slot, messages, length), Slots::<W, G>::SIZE)
        };
        let from = self.add_bodies(members, first, blocks.body, None);
        let data = self.memory.put_data(0, g, count, |l| tail.wrapping_add(l * step));
        let to = self.memory.states(0, g);
        // A tail of two blocks may end with a precomputed one.
        let blocks = blocks.all - blocks.body;
        let known = known.filter(|_| blocks == 2);
        let loaded = blocks - usize::from(known.is_some());
        self.spans.push(Span { from, to, data, blocks: loaded, known: pointer(known) });
    }

    /// Adds a group of messages of any lengths.
    #[inline(always)]
    fn add_uneven(&mut self, members: &Members<'_>, first: usize, count: usize) -> bool {
        let g = self.groups;
        let mut lane_blocks = List::<Blocks, LANES, 1>::new();
        let (mut common, mut fewest, mut most) = (usize::MAX, usize::MAX, 0);
        for i in first..first + count {
            let blocks = Blocks::of::<W>(members.lengths()[i]);
            common = common.min(blocks.body);
            (fewest, most) = (fewest.min(blocks.all), most.max(blocks.all));
            lane_blocks.push(blocks);
        }
        if most - fewest > SIMILAR {
            return false;
        }
        self.blocks[g] = (fewest, most);
        let mut tails = List::<*const u8, LANES, 1>::new();
        let messages = (first..first + count).map(|i| members.message(i));
        self.slots.put_uneven(g, g * self.memory.lanes, messages, |tail| tails.push(tail));

        let (lane_blocks, tails) = (lane_blocks.as_slice(), tails.as_slice());
        let mut from = self.add_bodies(members, first, common, None);
        for block in common..most {
            let data = self.memory.put_data(block - common, g, count, |l| {
                let Blocks { body, all } = lane_blocks[l];
                // A finished message stays at its last block: the result of its lane is not used.
                let block = block.min(all - 1);
                let (stretch, block) = if block < body {
                    (members.pointers()[first + l], block)
                } else {
                    (tails[l], block - body)
                };
                stretch.wrapping_add(block * Md::<W>::BLOCK)
            });
            let to = self.memory.states((block + 1).saturating_sub(fewest), g);
            self.spans.push(Span { from, to, data, blocks: 1, known: null() });
            from = to;
        }
        true
    }

    /// Adds the span of the first `blocks` blocks of all members of the group, if any, and of the
    /// precomputed block that follows, if any. Returns the address of the states after it.
    #[inline(always)]
    fn add_bodies(
        &mut self,
        members: &Members<'_>,
        first: usize,
        blocks: usize,
        known: Option<&Sums<W>>,
    ) -> *const W {
        let g = self.groups;
        let from = if self.each { self.memory.beginnings(g) } else { self.memory.initial() };
        if blocks == 0 {
            return from;
        }
        // Not copied: each pointer was written separately just now, so a vector load of several
        // would wait until they are in the cache.
        let data = members.pointers()[first..first + self.memory.lanes].as_ptr();
        let to = self.memory.states(0, g);
        self.spans.push(Span { from, to, data, blocks, known: pointer(known) });
        to
    }
}

/// The length of messages `first..first + count`, if all have the same.
#[inline(always)]
fn equal_length(members: &Members<'_>, first: usize, count: usize) -> Option<usize> {
    let lengths = &members.lengths()[first..first + count];
    let equal = members.are_equal() || lengths.iter().all(|&length| length == lengths[0]);
    equal.then_some(lengths[0])
}

/// A span's pointer to a precomputed block.
fn pointer<W>(known: Option<&Sums<W>>) -> *const Sums<W> {
    known.map_or(null(), ptr::from_ref)
}
