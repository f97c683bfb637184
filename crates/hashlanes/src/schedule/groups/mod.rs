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
