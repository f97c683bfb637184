//! Messages of about the same number of blocks, in groups: one in each lane, started together and
//! run in step.
//!
//! For a message of a few blocks, scheduling takes longer than hashing. In a group, there is
//! nothing to decide. All whole blocks that every message has form one span for the kernel. One or
//! a few more spans follow. The spans of several groups go to the kernel in one call.
//!
//! | file | what it owns |
//! |---|---|
//! | `slots.rs` | the memory in which tails are assembled |
//! | `memory.rs` | the memory of states, and of the addresses from which lanes read |
//! | `plan.rs` | the spans of the groups |

mod memory;
mod plan;
mod slots;

use self::memory::{SpanMemory, Spans};
use self::plan::Plan;
use self::slots::SlotMemory;
use crate::family::{Rules, padding::tail_blocks};
use crate::kernel::Kernel;
use crate::schedule::batch::members::{MOST, Members};
use crate::schedule::batch::messages::Numbers;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::padding_sums::PaddingSums;
use crate::schedule::batch::states::{EachState, States};
use crate::schedule::batch::tails::Tails;
use crate::schedule::choose::policy::SIMILAR;
use crate::schedule::list::List;
use crate::schedule::rules::{Md, MdWord};
use crate::schedule::stream::midstate::Midstate;

/// The number of groups in a call of a kernel, if there are many messages.
pub(crate) const GROUPS: usize = 4;

/// The most lanes of a kernel that does not take whole messages, if lanes are words of 32 bits.
const LANES: usize = 16;

/// The most spans of a group: one for the blocks that all bodies have, then one for each further
/// block. The shortest body is at most two blocks (of the tail) shorter than its message, which is
/// at most `SIMILAR` blocks shorter than the longest.
const SPANS: usize = 1 + 2 + SIMILAR;

/// The number of states kept for each lane of a group: after the last block of the shortest
/// messages, and after each of up to `SIMILAR` more blocks of others.
const ENDS: usize = 1 + SIMILAR;

/// Sentinel: no shared tail yet.
const NO_LENGTH: usize = usize::MAX;

/// The number of blocks of a message: in its body, and including its tail.
#[derive(Clone, Copy)]
struct Blocks {
    body: usize,
    all: usize,
}

impl Blocks {
    #[inline(always)]
    fn of<W: MdWord>(length: usize) -> Self {
        let (body, rest) = (length / Md::<W>::BLOCK, length % Md::<W>::BLOCK);
        Self { body, all: body + tail_blocks::<W>(rest) }
    }
}

/// The reusable memory of `G` groups.
///
/// Clearing all of it would take longer than hashing two short messages. Even touching a page of it
/// takes longer than hashing one, and every page of a large stack frame is touched. So a few
/// messages use memory for one group.
pub(crate) struct Groups<'s, W: MdWord, const G: usize> {
    rules: Md<W>,
    /// The state that messages continue, and the number of bytes before it, a multiple of the block
    /// length.
    initial: &'s [W; 8],
    before: u64,
    /// The number of lanes of the last kernel. Lane `l` of group `g` has slot `g * lanes + l`.
    lanes: usize,
    slots: SlotMemory<G>,
    /// For each group, the length of the messages whose tail is the shared one in `spans`.
    shared_lengths: [usize; G],
    spans: SpanMemory<G>,
    sums: PaddingSums<W>,
}

impl<'s, W: MdWord, const G: usize> Groups<'s, W, G> {
    /// Memory for messages that continue `before`, which consists of whole blocks.
    pub(crate) fn new(before: &Midstate<'s, Md<W>>) -> Self {
        assert!(before.is_whole_blocks());
        Self {
            rules: before.rules,
            initial: before.state,
            before: before.length as u64,
            lanes: 0,
            slots: SlotMemory::new(),
            shared_lengths: [NO_LENGTH; G],
            spans: SpanMemory::new(),
            sums: PaddingSums::new(before.rules),
        }
    }
}

impl<W: MdWord, const G: usize> Tails<Md<W>> for Groups<'_, W, G> {
    const PREFETCHES: bool = false;

    fn most(lanes: usize) -> usize {
        G * lanes
    }

    fn suits(kernel: &Kernel<W>) -> bool {
        // The others leave nothing to groups.
        kernel.lanes > 1 && kernel.hash_whole.is_none()
    }

    /// Hashes `members`, at most `G * kernel.lanes`. If there are `states`, each message continues
    /// its own. Writes each digest to the position of its message's number. Stops before the first
    /// group whose messages differ by more than `SIMILAR` blocks. Returns the number of messages
    /// that were hashed.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    fn hash(
        &mut self,
        kernel: &Kernel<W>,
        members: &mut Members<'_>,
        states: EachState<'_, Md<W>>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let (lanes, count) = (kernel.lanes, members.count());
        assert!(kernel.available() && count == numbers.count && count <= G * lanes);
        if count & (lanes - 1) > 0 {
            members.fill_lanes(count, lanes);
        }
        let spans = self.spans.open::<W>(self.rules.state_words(), lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            self.slots.regroup();
            spans.put_initial(self.initial);
        }
        if let Some(states) = states {
            put_beginnings(spans, states, numbers);
        }
        let before = self.before;
        let slots = self.slots.open(self.rules, before);
        if G > 1 && count == G * lanes {
            self.sums.compute(before + members.lengths()[0] as u64);
        }
        let each = states.is_some();
        let mut plan =
            Plan::new(self.rules, before, slots, spans, each, &self.sums, &mut self.shared_lengths);
        let mut taken = 0;
        while taken < count {
            let group = lanes.min(count - taken);
            if !plan.add(members, taken, group) {
                break;
            }
            taken += group;
        }
        // SAFETY: the kernel is available, as asserted. `spans` is opened for its number of lanes.
        // The common initial state was written when `lanes` was set, and the members' own states,
        // if any, above. The members and the memory of `slots` and `spans` are borrowed.
        unsafe { kernel.run_spans(plan.spans()) };

        for (g, first) in (0..taken).step_by(lanes).enumerate() {
            for l in 0..lanes.min(taken - first) {
                let end = plan.end(g, || members.lengths()[first + l]);
                let (digests, size) = output.bytes_from(numbers.number(first + l));
                let (digest, at) = (&mut digests[..size], (end, g, l));
                // SAFETY: a span of the group has written the states of this end.
                unsafe { spans.put_digest(at, self.rules.big_endian(), digest) };
            }
        }
        taken
    }
}

/// Writes the states that the messages with these numbers continue.
#[inline(never)]
fn put_beginnings<W: MdWord, const G: usize>(
    spans: Spans<'_, W, G>,
    states: &dyn States<'_, Md<W>>,
    numbers: Numbers<'_>,
) {
    let mut list = List::<_, MOST>::new();
    states.put(numbers, &mut list);
    let states = list.as_slice();
    assert!(states.len() == numbers.count);
    for (i, state) in states.iter().enumerate() {
        spans.put_beginning(i, state);
    }
    spans.fill_beginnings(numbers.count);
}

#[cfg(all(test, feature = "all", feature = "alloc"))]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::family::{md5::Md5Family, sha512::Sha512Family};
    use crate::schedule::rules::{Ruled, Tabled};
    use crate::schedule::stream::Stream;

    /// Messages after blocks that are the same for all, or different.
    struct Test<W: MdWord> {
        rules: Md<W>,
        before: Vec<Stream<Md<W>>>,
        each: bool,
    }

    impl<W: MdWord> Test<W> {
        fn new(rules: Md<W>, blocks: usize, each: bool) -> Self {
            let before = (0..MOST).map(|i| {
                let mut stream = Stream::new(rules, [W::default(); 8]);
                let byte = if each { i as u8 } else { 7 };
                stream.update_alone(&vec![byte; blocks * Md::<W>::BLOCK], None);
                stream
            });
            Self { rules, before: before.collect(), each }
        }

        /// Hashes messages of these lengths in one call. What was hashed is compared with one
        /// message at a time. Returns how many were.
        fn hash<const G: usize>(
            &self,
            groups: &mut Groups<'_, W, G>,
            kernel: &Kernel<W>,
            lengths: &[usize],
        ) -> usize {
            let size = self.rules.state_words() * size_of::<W>();
            let bytes: Vec<u8> = (0..2000_usize).map(|i| (i * i % 251) as u8).collect();
            let message = |i: usize| &bytes[i..][..lengths[i]];
            let states: Vec<_> = self.before.iter().map(Stream::state).collect();
            let of_each = |i: usize| &states[i];
            let of_each: EachState<'_, Md<W>> = if self.each { Some(&of_each) } else { None };

            let mut members = Members::new();
            members.fill((0..lengths.len()).map(message));
            let numbers = Numbers { first: 0, count: lengths.len(), places: None };
            let mut digests = vec![0; size * lengths.len()];
            let mut output = Output::new(&mut digests, size, lengths.len());
            let taken = groups.hash(kernel, &mut members, of_each, numbers, &mut output);
            for (i, digest) in digests.chunks(size).enumerate().take(taken) {
                let mut stream = self.before[i].clone();
                stream.update_alone(message(i), None);
                let mut right = vec![0; size];
                self.rules.write_digest(&stream.finish_alone(None), &mut right);
                assert_eq!(digest, right, "{}, message {i} of {lengths:?}", kernel.name);
            }
            taken
        }
    }

    /// The kernels that groups use and the CPU can run.
    fn kernels<W: MdWord>(rules: Md<W>) -> impl Iterator<Item = &'static Kernel<W>> + Clone {
        let suits = |kernel: &&Kernel<W>| kernel.available() && Groups::<W, 1>::suits(kernel);
        rules.table().rows.iter().filter(suits)
    }

    /// In the same memory: equal lengths in full and in partly filled groups, then others.
    fn check<W: MdWord, const G: usize>(rules: Md<W>, blocks: usize, each: bool) {
        let test = Test::new(rules, blocks, each);
        let first = test.before[0].state();
        let (state, length) = (&first, (blocks * Md::<W>::BLOCK) as u128);
        for kernel in kernels(rules) {
            let lanes = kernel.lanes;
            let mut groups = Groups::<W, G>::new(&Midstate { rules, state, carry: &[], length });
            let mut hash = |lengths: &[usize]| test.hash(&mut groups, kernel, lengths);
            for length in [
                0,
                3,
                16,
                Md::<W>::BLOCK - 9,
                Md::<W>::BLOCK,
                5 * Md::<W>::BLOCK,
                5 * Md::<W>::BLOCK - 3,
            ] {
                for count in [1, lanes - 1, lanes, G * lanes, 1, G * lanes - 1] {
                    assert_eq!(hash(&vec![length; count]), count);
                }
                // All that differ by no more than two blocks are taken.
                let lengths: Vec<_> =
                    (0..G * lanes).map(|i| length + i * 37 % Md::<W>::BLOCK).collect();
                assert_eq!(hash(&lengths), G * lanes);
                let mut lengths = vec![length; lanes];
                lengths[lanes - 1] += 2 * Md::<W>::BLOCK;
                assert_eq!(hash(&lengths), lanes);
                // The first group that differs by more is refused, and so are all after it.
                lengths[lanes - 1] += Md::<W>::BLOCK;
                assert_eq!(hash(&lengths), 0);
                if G > 2 {
                    let equal = vec![length; lanes];
                    assert_eq!(hash(&[&*equal, &*lengths, &*equal].concat()), lanes);
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes hours; `tests/suite/every_way.rs` is smaller")]
    fn groups_give_the_digests_of_single_messages() {
        for (blocks, each) in [(0, false), (1, false), (1, true), (5, false)] {
            check::<_, 1>(Md5Family::RULES, blocks, each);
            check::<_, GROUPS>(Md5Family::RULES, blocks, each);
            check::<_, 1>(Sha512Family::RULES, blocks, each);
        }
        check::<_, GROUPS>(Sha512Family::RULES, 1, true);
    }

    #[test]
    fn memory_that_another_kernel_used_does_not_matter() {
        let rules = Md5Family::RULES;
        let (test, state) = (Test::new(rules, 0, false), [0; 8]);
        for wide in kernels(rules) {
            for narrow in kernels(rules).filter(|narrow| narrow.lanes < wide.lanes) {
                let mut groups = Groups::<_, GROUPS>::new(&Midstate::beginning(rules, &state));
                for (kernel, length) in [(wide, 3), (narrow, 9)] {
                    let lengths = [vec![length; kernel.lanes], vec![5; kernel.lanes]].concat();
                    assert_eq!(test.hash(&mut groups, kernel, &lengths), lengths.len());
                }
            }
        }
    }

    #[test]
    fn only_kernels_with_lanes_are_used_and_for_as_many_messages_as_groups_have() {
        for kernel in Md5Family::RULES.table().rows {
            type Some = Groups<'static, u32, GROUPS>;
            let takes_whole = kernel.hash_whole.is_some();
            assert_eq!(Some::suits(kernel), kernel.lanes > 1 && !takes_whole);
            assert!(takes_whole || kernel.lanes <= LANES);
            assert_eq!(Some::most(kernel.lanes), GROUPS * kernel.lanes);
        }
    }
}
