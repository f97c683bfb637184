//! Many messages to hash in one call.

use super::alone::hash_alone;
use super::messages::Messages;
use super::midstate::Midstate;
use super::policy::{self, Before, Lengths};
use super::rules::Tabled;
use super::source::Work;
use super::states::EachState;
use crate::family::{Rules, State};
use crate::kernel::Kernel;

/// Many messages and the options for hashing them.
#[derive(Clone, Copy)]
pub struct Batch<'s, 'a, R: Rules> {
    pub(crate) messages: &'s dyn Messages<'a>,
    /// The state that every message continues.
    pub(crate) before: Midstate<'s, R>,
    /// The state that each message continues, if they differ. All of them have the length of
    /// `before`.
    pub(crate) states: EachState<'s, R>,
    /// The row of the kernel that was chosen by name. The CPU can run it.
    pub(crate) forced: Option<usize>,
    /// Whether the caller declares that the messages are not in the caches.
    pub(crate) uncached: bool,
}

impl<'a, R: Tabled> Batch<'_, 'a, R> {
    pub(super) fn rules(&self) -> R {
        self.before.rules
    }

    pub(super) fn count(&self) -> usize {
        self.messages.count()
    }

    pub(super) fn kind_of_before(&self) -> Before {
        if self.before.is_whole_blocks() {
            Before::Blocks
        } else if self.before.without_carry().is_whole_blocks() {
            Before::Bytes
        } else {
            Before::Much
        }
    }

    /// The lengths of the messages from number `first` on. There must be at least one.
    pub(super) fn lengths(&self, first: usize) -> Lengths {
        let (shortest, longest) = self.messages.bounds(first);
        Lengths {
            equal: shortest == longest,
            fewest: self.blocks(shortest),
            most: self.blocks(longest),
        }
    }

    /// The number of blocks of a message of `length` bytes, with the carry before it and the
    /// padding.
    pub(super) fn blocks(&self, length: usize) -> usize {
        self.rules().padded_blocks(self.before.carry.len() + length)
    }

    /// Writes the sizes of the messages from number `first` on, in half blocks: the number of their
    /// blocks, with the padding, plus that of full ones. Lanes that agree in both have only one
    /// block in which their messages end at different bytes, and such a block takes longer to load.
    pub(super) fn put_sizes(&self, first: usize, sizes: &mut [usize]) {
        self.messages.put_lengths(first, sizes);
        for size in sizes {
            *size = self.blocks(*size) + (self.before.carry.len() + *size) / self.rules().block();
        }
    }

    /// The total bytes from which messages are prefetched: `bytes`, or 0 if the caller declares
    /// that they are not in the caches.
    pub(super) fn prefetched_from(&self, bytes: usize) -> usize {
        if self.uncached { 0 } else { bytes }
    }

    /// The kernel for this number of messages.
    pub(super) fn kernel(&self, messages: usize) -> &'static Kernel<R::Word> {
        self.rules().kernel(self.row(messages))
    }

    fn row(&self, messages: usize) -> usize {
        self.rules().row(messages, self.forced)
    }

    /// How many of `left` messages to pass to the next call of their kernel, which has `lanes`
    /// lanes and takes `most` messages.
    pub(super) fn next_call(&self, left: usize, most: usize, lanes: usize) -> usize {
        policy::next_call(left, most, lanes, |rest| self.row(rest) != self.row(left))
    }

    /// The state that message number `i` continues.
    pub(super) fn before(&self, i: usize) -> Midstate<'_, R> {
        let state = self.states.map_or(self.before.state, |states| states.state(i));
        Midstate { state, ..self.before }
    }

    /// The final state of message number `i`, in single-message code.
    #[inline(never)]
    pub(super) fn hash_alone(&self, i: usize) -> State<R> {
        let message = self.messages.message(i);
        match self.states {
            // This makes no copy, which would have to wait for the caller's stores.
            None => hash_alone(&self.before, message, self.forced),
            Some(_) => hash_alone(&self.before(i), message, self.forced),
        }
    }

    /// Message number `i` as work for a lane.
    pub(super) fn work(&self, i: usize, stage: &mut [u8]) -> Work<'a, R> {
        self.before(i).work(i, self.messages.message(i), true, 0, stage)
    }
}
