//! Messages of about the same number of blocks, in groups: one in each lane, begun together and run
//! in step.
//!
//! A message of a few blocks takes less time to hash than to decide about: which lane ends when,
//! what comes next. In a group there is nothing to decide. All blocks that every message has in
//! full are one span for the kernel. What follows is one span more, or a few. The spans of several
//! groups go to the kernel in one call.
//!
//! | file | what it owns |
//! |---|---|
//! | `slots.rs` | the memory in which tails are put together |
//! | `memory.rs` | the memory of states, and of the pointers by which lanes read |
//! | `plan.rs` | the spans of the groups |

mod memory;
mod plan;
mod slots;

use self::memory::{SpanMemory, Spans};
use self::plan::Plan;
use self::slots::SlotMemory;
use super::list::List;
use super::members::{MOST, Members};
use super::messages::Numbers;
use super::midstate::Midstate;
use super::output::Output;
use super::padding::padded_blocks;
use super::padding_sums::PaddingSums;
use super::policy::UNEVEN;
use super::states::{EachState, States};
use crate::family::{Family, State};
use crate::kernel::{Kernel, Kernels};

/// Groups in a call of the kernel, if there are many messages.
pub(super) const GROUPS: usize = 4;

/// Spans of a group: what is common to the bodies, and then block by block. The shortest body is at
/// most two blocks (a tail's) shorter than its message, and that at most `UNEVEN` blocks shorter
/// than the longest.
const SPANS: usize = 1 + 2 + UNEVEN;

/// States that are kept of a group: after the last block of its shortest messages, and after each
/// of the `UNEVEN` ones that others have more.
const ENDS: usize = 1 + UNEVEN;

/// Sentinel: no shared tail yet.
const NO_LENGTH: usize = usize::MAX;

/// Blocks of a message: in its body, and with its tail.
#[derive(Clone, Copy)]
struct Blocks {
    body: usize,
    all: usize,
}

impl Blocks {
    #[inline(always)]
    fn of<F: Family>(length: usize) -> Self {
        Self { body: length / F::BLOCK, all: padded_blocks::<F>(length) }
    }
}

/// The memory of `G` groups, to be used again and again.
///
/// To clear all of it would take longer than to hash two short messages. Even to touch a page of it
/// takes longer than to hash one, and that is done for every page of a large frame on the stack. So
/// few messages have memory for one group.
pub(super) struct Groups<'s, F: Kernels, const G: usize> {
    /// The state in which messages begin, and the bytes that it stands for: whole blocks.
    initial: &'s State<F>,
    before: u64,
    /// The lanes of the kernel that ran last. Lane `l` of group `g` has slot `g * lanes + l`.
    lanes: usize,
    slots: SlotMemory<G>,
    /// For each group, the length of the messages whose tail `spans` has as the shared one.
    shared_lengths: [usize; G],
    spans: SpanMemory<G>,
    sums: PaddingSums<F>,
}

impl<'s, F: Kernels, const G: usize> Groups<'s, F, G> {
    /// Memory for messages that come after `before`, whole blocks.
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

    /// Hashes `members`, at most `G * kernel.lanes`, as many at a time as the kernel has lanes. If
    /// there are `states`, each message comes after its own. Writes each digest to the place of its
    /// number. Ends before the first group whose messages differ by more than `UNEVEN` blocks.
    /// Returns the number of messages that were hashed.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    pub(super) fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: &Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let (lanes, count) = (kernel.lanes, members.count());
        assert!(kernel.available() && count == numbers.count && count <= G * lanes);
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
        // SAFETY: the kernel is available, as asserted. `spans` is opened for its lanes. Its
        // initial states were written when `lanes` was, and those of each member, if it has one,
        // above. The members are borrowed, and so is the memory of `slots` and `spans`.
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

/// Writes the states in which the messages with these numbers begin.
#[inline(never)]
fn put_beginnings<F: Kernels, const G: usize>(
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
