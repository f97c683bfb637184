//! Blocks in the lanes of a kernel, in which each link of a chain changes only a value.
//!
//! Where a kernel has code for links, the values never leave the order of its lanes. Other kernels
//! hash the blocks as messages, in memory that is prepared once for many links.

use core::array;
use core::ops::Range;
use core::ptr::{null, null_mut};

use crate::family::Rules;
use crate::input::{Links, Place, Span};
use crate::kernel::Kernel;
use crate::schedule::list::List;
use crate::schedule::rules::{Md, MdWord, write_words_of};
use crate::vector::{BLOCK_WORDS, MAX_LANES};
use crate::wipe::{Wipe, Wiped};

/// The inputs of chains, one in each lane.
pub(super) trait InLanes {
    /// Takes the input of another chain into a lane.
    fn begin(&mut self, lane: usize, input: &[u8]);

    /// Stores the input of a lane's chain.
    fn end(&self, lane: usize, input: &mut [u8]);

    /// Continues all chains by as many links.
    fn advance(&mut self, links: u64);
}

/// The blocks of all lanes: several groups for kernels of few lanes. Blocks, states and sums are
/// those of one group after another, and word-major in a group.
#[repr(C, align(128))]
pub(super) struct LaneBlocks<'f, W: MdWord> {
    rules: Md<W>,
    kernel: &'static Kernel<W>,
    groups: usize,
    /// The block with zeros in place of the input.
    block: &'f [u8],
    /// Where the input begins in it.
    start: usize,
    /// Where the value is in it.
    value: Range<usize>,
    place: Place<W>,
    words: Wiped<[W; BLOCK_WORDS * MAX_LANES]>,
    /// The states before the one or two hashes of a link.
    before: [Wiped<[W; 8 * MAX_LANES]>; 2],
    hashes: usize,
    /// The sums of the states after links.
    sums: Wiped<[W; 8 * MAX_LANES]>,
    has_sums: bool,
}

/// How many groups of a kernel's lanes hash the blocks of `count` chains.
pub(super) fn groups<W>(kernel: &Kernel<W>, count: usize) -> usize {
    // Calls of kernels that have no code for links are worth more than one group.
    let most = if kernel.links() { 1 } else { MAX_LANES / kernel.lanes };
    (count / kernel.lanes).clamp(1, most)
}

impl<'f, W: MdWord> LaneBlocks<'f, W> {
    /// For `count` chains, or as many as there are lanes. The inputs begin at byte `start` of
    /// `block`, and their values are at `value`. The byte before a value counts links if it is
    /// `counted`.
    pub(super) fn new(
        rules: Md<W>,
        kernel: &'static Kernel<W>,
        count: usize,
        (block, start): (&'f [u8], usize),
        value: Range<usize>,
        counted: bool,
    ) -> Self {
        assert!(kernel.available() && kernel.lanes <= MAX_LANES);
        assert!(block.len() == Md::<W>::BLOCK && value.end <= block.len());
        let states = || Wiped([W::ZERO; 8 * MAX_LANES]);
        Self {
            rules,
            kernel,
            groups: groups(kernel, count),
            block,
            start,
            place: Place::new(value.start, value.len(), counted, rules.big_endian()),
            value,
            words: Wiped([W::ZERO; BLOCK_WORDS * MAX_LANES]),
            before: [states(), states()],
            hashes: 1,
            sums: states(),
            has_sums: false,
        }
    }

    /// The number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.groups * self.kernel.lanes
    }

    /// Where the words of a lane are, each of which has `words` words.
    #[inline(always)]
    fn of_lane(&self, lane: usize, words: usize) -> impl Iterator<Item = usize> + use<W> {
        let lanes = self.kernel.lanes;
        let within = lane & (lanes - 1);
        ((lane - within) * words + within..).step_by(lanes).take(words)
    }

    /// Sets the states before the two hashes of a lane's links, whose states are to be added up.
    #[cfg(feature = "alloc")]
    pub(super) fn set_states(&mut self, lane: usize, states: [&[W; 8]; 2]) {
        (self.hashes, self.has_sums) = (2, true);
        for (hash, state) in states.into_iter().enumerate() {
            self.set_state(lane, hash, state);
        }
    }

    /// Sets the state before a hash of a lane's links.
    pub(super) fn set_state(&mut self, lane: usize, hash: usize, state: &[W; 8]) {
        for (at, &word) in self.of_lane(lane, self.rules.state_words()).zip(state) {
            self.before[hash][at] = word;
        }
    }

    /// Adds the sum of a lane's states to the value at `total`.
    #[cfg(feature = "alloc")]
    pub(super) fn add_sum(&self, lane: usize, total: &mut [u8]) {
        let big_endian = self.rules.big_endian();
        let places = self.of_lane(lane, self.rules.state_words());
        for (at, bytes) in places.zip(total.chunks_exact_mut(W::BYTES)) {
            self.sums[at].xor(W::read(bytes, big_endian)).write(bytes, big_endian);
        }
    }

    /// [`advance`](InLanes::advance), in a kernel with code for links.
    fn link(&mut self, count: u64) {
        let (lanes, state) = (self.kernel.lanes, self.rules.state_words() * self.kernel.lanes);
        for group in 0..self.groups {
            let inner = self.before[0].as_ptr().wrapping_add(group * state);
            let outer = self.before[1].as_ptr().wrapping_add(group * state);
            let sums = self.sums.as_mut_ptr().wrapping_add(group * state);
            let links = Links {
                blocks: self.words.as_mut_ptr().wrapping_add(group * lanes * BLOCK_WORDS),
                place: &self.place,
                before: [inner, if self.hashes == 2 { outer } else { null() }],
                sums: if self.has_sums { sums } else { null_mut() },
                count,
            };
            // SAFETY: there are blocks and states for all groups, whose lanes are at most
            // MAX_LANES, as `groups` makes sure. The pointers come from borrows that last.
            unsafe { self.kernel.link(&links) };
        }
    }

    /// Takes a block into a lane.
    #[inline(always)]
    fn put_block(&mut self, lane: usize, block: &[u8]) {
        let big_endian = self.rules.big_endian();
        for (at, bytes) in self.of_lane(lane, BLOCK_WORDS).zip(block.chunks_exact(W::BYTES)) {
            self.words[at] = W::read(bytes, big_endian);
        }
    }

    /// The block of a lane.
    #[inline(always)]
    fn block(&self, lane: usize) -> Wiped<W::Block> {
        let mut block = Wiped(W::Block::ZERO);
        let bytes = block.as_mut().chunks_exact_mut(W::BYTES);
        for (at, bytes) in self.of_lane(lane, BLOCK_WORDS).zip(bytes) {
            self.words[at].write(bytes, self.rules.big_endian());
        }
        block
    }

    /// [`advance`](InLanes::advance), in any kernel.
    #[inline(never)]
    fn hash(&mut self, count: u64) {
        let (lanes, words) = (self.kernel.lanes, self.rules.state_words());
        let (size, big_endian) = (words * lanes, self.rules.big_endian());
        let mut blocks: [Wiped<W::Block>; MAX_LANES] = array::from_fn(|_| Wiped(W::Block::ZERO));
        for (lane, block) in blocks.iter_mut().enumerate().take(self.lanes()) {
            *block = self.block(lane);
        }
        let mut after = Wiped([W::ZERO; 8 * MAX_LANES]);
        for _ in 0..count {
            for before in &self.before[..self.hashes] {
                let (from, to) = (before.as_ptr(), after.as_mut_ptr());
                // Not for all lanes that there may be, which takes longer than a hash.
                let mut data = List::<*const u8, MAX_LANES>::new();
                blocks[..self.groups * lanes].iter().for_each(|b| data.push(b.as_ref().as_ptr()));
                let mut spans = List::<Span<W>, MAX_LANES>::new();
                for group in 0..self.groups {
                    spans.push(Span {
                        from: from.wrapping_add(group * size),
                        to: to.wrapping_add(group * size),
                        data: data.as_slice()[group * lanes..].as_ptr(),
                        blocks: 1,
                        known: null(),
                    });
                }
                // SAFETY: the kernel is available, as `new` asserts. There are states and blocks
                // for all groups, whose lanes are at most MAX_LANES, as `groups` makes sure.
                unsafe { self.kernel.run_spans(spans.as_slice()) };
                for (lane, block) in blocks.iter_mut().enumerate().take(self.groups * lanes) {
                    let value = &mut block.as_mut()[self.value.clone()];
                    let within = lane & (lanes - 1);
                    let word = |w| after[(lane - within) * words + w * lanes + within];
                    if value.len().is_multiple_of(W::BYTES) {
                        write_words_of(value, big_endian, word);
                    } else {
                        let mut digest = Wiped([0; 64]);
                        write_words_of(&mut digest[..words * W::BYTES], big_endian, word);
                        value.copy_from_slice(&digest[..value.len()]);
                    }
                }
            }
            if self.place.is_counted {
                for block in &mut blocks[..self.groups * lanes] {
                    let count = &mut block.as_mut()[self.value.start - 1];
                    *count = count.wrapping_add(1);
                }
            }
            if self.has_sums {
                for (sum, word) in self.sums[..self.groups * size].iter_mut().zip(after.iter()) {
                    *sum = sum.xor(*word);
                }
            }
        }
        for (lane, block) in blocks.iter().enumerate().take(self.lanes()) {
            self.put_block(lane, block.as_ref());
        }
    }
}

impl<W: MdWord> InLanes for LaneBlocks<'_, W> {
    fn begin(&mut self, lane: usize, input: &[u8]) {
        let mut block = Wiped(W::Block::ZERO);
        block.as_mut().copy_from_slice(self.block);
        block.as_mut()[self.start..][..input.len()].copy_from_slice(input);
        self.put_block(lane, block.as_ref());
    }

    fn end(&self, lane: usize, input: &mut [u8]) {
        let block = self.block(lane);
        input.copy_from_slice(&AsRef::<[u8]>::as_ref(&*block)[self.start..][..input.len()]);
    }

    fn advance(&mut self, links: u64) {
        if self.kernel.links() { self.link(links) } else { self.hash(links) }
    }
}
