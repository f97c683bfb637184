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
//! | `list.rs` | a short list on the stack |

mod list;
mod memory;
mod plan;
mod slots;

use self::list::List;
use self::memory::SpanMemory;
use self::plan::Plan;
use self::slots::SlotMemory;
use super::members::{Entry, Members};
use super::midstate::Midstate;
use super::padding::padded_blocks;
use super::padding_sums::PaddingSums;
use crate::family::{Family, State};
use crate::kernel::{Kernel, Kernels, MAX_LANES};

/// Messages of a group may differ by this many blocks.
pub(crate) const UNEVEN: usize = 2;

/// Groups in a call of the kernel, if there are many messages.
pub(crate) const GROUPS: usize = 4;

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
pub(crate) struct Groups<'s, F: Kernels, const G: usize> {
    /// What comes before every message: whole blocks.
    before: Midstate<'s, F>,
    /// The lanes of the kernel that ran last. Lane `l` of group `g` has slot `g * lanes + l`.
    lanes: usize,
    slots: SlotMemory<G>,
    /// For each group, the length of the messages whose tail `spans` has as the shared one.
    shared_lengths: [usize; G],
    spans: SpanMemory<G>,
    sums: PaddingSums<F>,
}

impl<'s, F: Kernels, const G: usize> Groups<'s, F, G> {
    /// Memory for messages that come after `before`, which [`suits`](Self::suits).
    pub(crate) fn new(before: Midstate<'s, F>) -> Self {
        assert!(Self::suits(before));
        Self {
            before,
            lanes: 0,
            slots: SlotMemory::new(),
            shared_lengths: [NO_LENGTH; G],
            spans: SpanMemory::new(),
            sums: PaddingSums::new(),
        }
    }

    /// Whether messages that come after `before` can be hashed in groups: it is whole blocks, and
    /// its length and that of any message fit together into 61 bits.
    pub(crate) fn suits(before: Midstate<'_, F>) -> bool {
        before.carry.is_empty() && before.length < 1 << 60
    }

    /// [`hash_members`](Self::hash_members) for messages from an iterator. Either none of them or
    /// all of them come after a state of their own.
    #[inline]
    pub(crate) fn hash<'a>(
        &mut self,
        kernel: &Kernel<F::Word>,
        entries: impl Iterator<Item = Entry<'a, F>>,
        done: impl FnMut(usize, &State<F>),
    ) -> usize {
        // A caller's `AsRef` may answer differently each time, so it is asked once.
        let mut members = List::<&[u8], MAX_LANES, G>::new();
        let spans = self.spans.open::<F>(kernel.lanes);
        let mut count = 0;
        entries.for_each(|(message, state)| {
            members.push(message);
            if let Some(state) = state {
                spans.put_beginning(count, state);
                count += 1;
            }
        });
        if count > 0 {
            assert!(count == members.as_slice().len(), "all messages have a state, or none has");
            spans.fill_beginnings(count);
        }
        self.hash_after(kernel, members.as_slice(), count > 0, done)
    }

    /// Hashes `members`, at most `G * kernel.lanes`, as many at a time as the kernel has lanes.
    /// Calls `done` with each one's number and its state. Ends before the first group whose
    /// messages differ by more than `UNEVEN` blocks. Returns the number of messages that were
    /// hashed.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    #[inline(always)]
    pub(crate) fn hash_members<M: Members>(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: M,
        done: impl FnMut(usize, &State<F>),
    ) -> usize {
        self.hash_after(kernel, members, false, done)
    }

    /// [`hash_members`](Self::hash_members). `each` says that each of them comes after a state of
    /// its own, which was put to `spans`.
    #[inline(always)]
    fn hash_after<M: Members>(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: M,
        each: bool,
        mut done: impl FnMut(usize, &State<F>),
    ) -> usize {
        let (lanes, count) = (kernel.lanes, members.count());
        assert!(kernel.available() && count <= G * lanes);
        let spans = self.spans.open::<F>(lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            self.slots.regroup();
            spans.put_initial(self.before.state);
        }
        let before = self.before.length as u64;
        let slots = self.slots.open::<F>(before);
        if G > 1 && count == GROUPS * lanes {
            self.sums.compute(before + members.member(0).len() as u64);
        }
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
        // initial states were written when `lanes` was, and those of each member, if it has one, by
        // `hash`. The members are borrowed, and so is the memory of `slots` and `spans`.
        unsafe { kernel.run_spans(plan.spans()) };

        for (g, first) in (0..taken).step_by(lanes).enumerate() {
            for l in 0..lanes.min(taken - first) {
                let end = plan.end(g, || members.member(first + l).len());
                // SAFETY: a span of the group has written the states of this end.
                let state = unsafe { spans.state(end, g, l) };
                done(first + l, &state);
            }
        }
        taken
    }
}
