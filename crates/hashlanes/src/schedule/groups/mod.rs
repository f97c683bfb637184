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
use super::caller::Caller;
use super::list::List;
use super::members::{MOST, Members};
use super::messages::Numbers;
use super::midstate::Midstate;
use super::output::Output;
use super::padding_sums::PaddingSums;
use super::policy::SIMILAR;
use super::states::{EachState, States};
use crate::family::{MerkleDamgard, State};
use crate::kernel::{Kernel, Kernels};

/// The number of groups in a call of a kernel, if there are many messages.
pub(super) const GROUPS: usize = 4;

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
    fn of<F: MerkleDamgard>(length: usize) -> Self {
        Self { body: length / F::BLOCK, all: F::padded_blocks(length) }
    }
}

/// The reusable memory of `G` groups.
///
/// Clearing all of it would take longer than hashing two short messages. Even touching a page of it
/// takes longer than hashing one, and every page of a large stack frame is touched. So a few
/// messages use memory for one group.
pub(super) struct Groups<'s, F: Kernels + MerkleDamgard, const G: usize> {
    /// The state that messages continue, and the number of bytes before it, a multiple of the block
    /// length.
    initial: &'s State<F>,
    before: u64,
    /// The number of lanes of the last kernel. Lane `l` of group `g` has slot `g * lanes + l`.
    lanes: usize,
    slots: SlotMemory<G>,
    /// For each group, the length of the messages whose tail is the shared one in `spans`.
    shared_lengths: [usize; G],
    spans: SpanMemory<G>,
    sums: PaddingSums<F>,
}

impl<'s, F: Kernels + MerkleDamgard, const G: usize> Groups<'s, F, G> {
    /// Memory for messages that continue `before`, which consists of whole blocks.
    pub(super) fn new(before: &Midstate<'s, F>) -> Self {
        assert!(before.is_whole_blocks());
        Self {
            initial: before.state,
            before: before.length as u64,
            lanes: 0,
            slots: SlotMemory::new(),
            shared_lengths: [NO_LENGTH; G],
            spans: SpanMemory::new(),
            sums: PaddingSums::new(),
        }
    }
}

impl<F: Kernels + MerkleDamgard, const G: usize> Caller<F> for Groups<'_, F, G> {
    const PREFETCHES: bool = false;

    fn most(lanes: usize) -> usize {
        G * lanes
    }

    fn suits(kernel: &Kernel<F::Word>) -> bool {
        kernel.lanes > 1
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
        kernel: &Kernel<F::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let (lanes, count) = (kernel.lanes, members.count());
        assert!(kernel.available() && count == numbers.count && count <= G * lanes);
        if count & (lanes - 1) > 0 {
            members.fill_lanes(count, lanes);
        }
        let spans = self.spans.open::<F>(lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            self.slots.regroup();
            spans.put_initial(self.initial);
        }
        if let Some(states) = states {
            put_beginnings(spans, states, numbers);
        }
        let before = self.before;
        let slots = self.slots.open::<F>(before);
        if G > 1 && count == G * lanes {
            self.sums.compute(before + members.lengths()[0] as u64);
        }
        let each = states.is_some();
        let mut plan = Plan::new(before, slots, spans, each, &self.sums, &mut self.shared_lengths);
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
                // SAFETY: a span of the group has written the states of this end.
                let state = unsafe { spans.state(end, g, l) };
                output.put::<F>(numbers.number(first + l), &state);
            }
        }
        taken
    }
}

/// Writes the states that the messages with these numbers continue.
#[inline(never)]
fn put_beginnings<F: Kernels + MerkleDamgard, const G: usize>(
    spans: Spans<'_, F, G>,
    states: &dyn States<'_, F>,
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
    use crate::schedule::stream::Stream;

    /// Messages after blocks that are the same for all, or different.
    struct Test<F: MerkleDamgard> {
        before: Vec<Stream<F>>,
        each: bool,
    }

    impl<F: Kernels + MerkleDamgard> Test<F> {
        fn new(blocks: usize, each: bool) -> Self {
            let before = (0..MOST).map(|i| {
                let mut stream = Stream::new([F::Word::default(); 8]);
                let byte = if each { i as u8 } else { 7 };
                stream.update_alone(&vec![byte; blocks * F::BLOCK], None);
                stream
            });
            Self { before: before.collect(), each }
        }

        /// Hashes messages of these lengths in one call. What was hashed is compared with one
        /// message at a time. Returns how many were.
        fn hash<const G: usize>(
            &self,
            groups: &mut Groups<'_, F, G>,
            kernel: &Kernel<F::Word>,
            lengths: &[usize],
        ) -> usize {
            let size = F::STATE_WORDS * size_of::<F::Word>();
            let bytes: Vec<u8> = (0..2000_usize).map(|i| (i * i % 251) as u8).collect();
            let message = |i: usize| &bytes[i..][..lengths[i]];
            let states: Vec<_> = self.before.iter().map(Stream::state).collect();
            let of_each = |i: usize| &states[i];
            let of_each: EachState<'_, F> = if self.each { Some(&of_each) } else { None };

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
                F::write_digest(&stream.finish_alone(None), &mut right);
                assert_eq!(digest, right, "{}, message {i} of {lengths:?}", kernel.name);
            }
            taken
        }
    }

    /// The kernels with lanes that the CPU can run.
    fn kernels<F: Kernels>() -> impl Iterator<Item = &'static Kernel<F::Word>> + Clone {
        F::TABLE.iter().filter(|kernel| kernel.available() && kernel.lanes > 1)
    }

    /// In the same memory: equal lengths in full and in partly filled groups, then others.
    fn check<F: Kernels + MerkleDamgard, const G: usize>(blocks: usize, each: bool) {
        let test = Test::<F>::new(blocks, each);
        let first = test.before[0].state();
        let (state, length) = (&first, (blocks * F::BLOCK) as u128);
        for kernel in kernels::<F>() {
            let lanes = kernel.lanes;
            let mut groups = Groups::<F, G>::new(&Midstate { state, carry: &[], length });
            let mut hash = |lengths: &[usize]| test.hash(&mut groups, kernel, lengths);
            for length in [0, 3, 16, F::BLOCK - 9, F::BLOCK, 5 * F::BLOCK, 5 * F::BLOCK - 3] {
                for count in [1, lanes - 1, lanes, G * lanes, 1, G * lanes - 1] {
                    assert_eq!(hash(&vec![length; count]), count);
                }
                // All that differ by no more than two blocks are taken.
                let lengths: Vec<_> = (0..G * lanes).map(|i| length + i * 37 % F::BLOCK).collect();
                assert_eq!(hash(&lengths), G * lanes);
                let mut lengths = vec![length; lanes];
                lengths[lanes - 1] += 2 * F::BLOCK;
                assert_eq!(hash(&lengths), lanes);
                // The first group that differs by more is refused, and so are all after it.
                lengths[lanes - 1] += F::BLOCK;
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
            check::<Md5Family, 1>(blocks, each);
            check::<Md5Family, GROUPS>(blocks, each);
            check::<Sha512Family, 1>(blocks, each);
        }
        check::<Sha512Family, GROUPS>(1, true);
    }

    #[test]
    fn memory_that_another_kernel_used_does_not_matter() {
        let (test, state) = (Test::<Md5Family>::new(0, false), [0; 8]);
        for wide in kernels::<Md5Family>() {
            for narrow in kernels::<Md5Family>().filter(|narrow| narrow.lanes < wide.lanes) {
                let mut groups = Groups::<_, GROUPS>::new(&Midstate::beginning(&state));
                for (kernel, length) in [(wide, 3), (narrow, 9)] {
                    let lengths = [vec![length; kernel.lanes], vec![5; kernel.lanes]].concat();
                    assert_eq!(test.hash(&mut groups, kernel, &lengths), lengths.len());
                }
            }
        }
    }

    #[test]
    fn only_kernels_with_lanes_are_used_and_for_as_many_messages_as_groups_have() {
        for kernel in Md5Family::TABLE {
            type Some = Groups<'static, Md5Family, GROUPS>;
            assert_eq!(Some::suits(kernel), kernel.lanes > 1);
            assert_eq!(Some::most(kernel.lanes), GROUPS * kernel.lanes);
        }
    }
}
