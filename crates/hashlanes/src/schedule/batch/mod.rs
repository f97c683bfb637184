//! Many messages to hash in one call, and one.
//!
//! | file | what |
//! |---|---|
//! | `messages.rs`, `states.rs` | the caller's messages and states, by number |
//! | `chunks.rs` | the chunks of one buffer |
//! | `output.rs`, `places.rs` | the memory for digests, and for outputs |
//! | `queue.rs` | messages that wait for a call of a kernel |
//! | `members.rs` | the messages of one call |
//! | `tails.rs`, `driver.rs` | the loop over calls, whatever the tails of messages are in |
//! | `groups/` | tails in slots: messages of about one length, for kernels of lanes |
//! | `one_block.rs` | tails of one block: messages of any lengths, for kernels of lanes |
//! | `whole.rs` | no tails in memory: for kernels that take whole messages |
//! | `prefixed.rs` | messages behind copies of the bytes before them |
//! | `narrow.rs` | a few messages, for kernels of few lanes that take whole messages |
//! | `alone.rs` | a single message |
//! | `padding_sums.rs` | last blocks that consist only of padding |
//! | `rest.rs` | copies of the last bytes of messages |
//! | `chains.rs`, `rounds.rs` | hash chains, rounds of PBKDF2 |
//! | `links.rs` | the blocks of both in the lanes of a kernel |
//! | `twice.rs` | SHA-256 twice |

#[forbid(unsafe_code)]
pub(super) mod alone;
pub(super) mod chains;
#[forbid(unsafe_code)]
pub(super) mod chunks;
#[forbid(unsafe_code)]
pub(super) mod driver;
pub(super) mod groups;
mod links;
pub(super) mod members;
#[forbid(unsafe_code)]
pub(super) mod messages;
pub(super) mod narrow;
pub(super) mod one_block;
#[forbid(unsafe_code)]
pub(super) mod output;
mod padding_sums;
pub(super) mod places;
#[forbid(unsafe_code)]
mod prefixed;
#[forbid(unsafe_code)]
pub(super) mod queue;
mod rest;
#[cfg(feature = "alloc")]
pub(super) mod rounds;
#[forbid(unsafe_code)]
pub(super) mod states;
#[forbid(unsafe_code)]
pub(super) mod tails;
#[cfg(feature = "sha2")]
#[forbid(unsafe_code)]
pub(super) mod twice;
pub(super) mod whole;

use crate::family::{Rules, State};
use crate::kernel::Kernel;
use crate::schedule::batch::alone::hash_alone;
use crate::schedule::batch::messages::Messages;
use crate::schedule::batch::queue::Queue;
use crate::schedule::batch::states::EachState;
use crate::schedule::choose::policy::{self, Before, Lengths};
use crate::schedule::refill::source::Work;
use crate::schedule::rules::Tabled;
use crate::schedule::stream::midstate::Midstate;

/// Many messages and the options for hashing them.
#[derive(Clone, Copy)]
pub struct Batch<'s, 'a, R: Rules> {
    pub(crate) messages: &'s dyn Messages<'a>,
    /// The state that every message continues.
    pub(crate) before: Midstate<'s, R>,
    /// The state that each message continues, if they differ. All of them have the length of
    /// `before`.
    pub(crate) states: EachState<'s, R>,
    /// The bytes before each message, fewer than a block, if they differ. Nothing else precedes it.
    pub(crate) carries: Option<&'s dyn Fn(usize) -> &'s [u8]>,
    /// The row of the kernel that was chosen by name. The CPU can run it.
    pub(crate) forced: Option<usize>,
    /// Whether the caller declares that the messages are not in the caches.
    pub(crate) uncached: bool,
}

impl<'a, R: Tabled> Batch<'_, 'a, R> {
    pub(crate) fn rules(&self) -> R {
        self.before.rules
    }

    pub(crate) fn count(&self) -> usize {
        self.messages.count()
    }

    pub(crate) fn kind_of_before(&self) -> Before {
        if self.carries.is_some() {
            Before::Much
        } else if self.before.is_whole_blocks() {
            Before::Blocks
        } else if self.before.without_carry().is_whole_blocks() {
            Before::Bytes
        } else {
            Before::Much
        }
    }

    /// The lengths of the messages from number `first` on. There must be at least one.
    pub(crate) fn lengths(&self, first: usize) -> Lengths {
        let (shortest, longest) = self.messages.bounds(first);
        Lengths {
            equal: shortest == longest,
            fewest: self.blocks(shortest),
            most: self.blocks(longest),
        }
    }

    /// The number of blocks of a message of `length` bytes, with the carry before it and the
    /// padding.
    pub(crate) fn blocks(&self, length: usize) -> usize {
        self.rules().padded_blocks(self.before.carry.len() + length)
    }

    /// Writes the sizes of the messages from number `first` on, in half blocks: the number of their
    /// blocks, with the padding, plus that of full ones. Lanes that agree in both have only one
    /// block in which their messages end at different bytes, and such a block takes longer to load.
    pub(crate) fn put_sizes(&self, first: usize, sizes: &mut [usize]) {
        self.messages.put_lengths(first, sizes);
        for size in sizes {
            *size = self.blocks(*size) + self.rules().full_blocks(self.before.carry.len() + *size);
        }
    }

    /// The total bytes from which messages are prefetched: `bytes`, or 0 if the caller declares
    /// that they are not in the caches.
    pub(crate) fn prefetched_from(&self, bytes: usize) -> usize {
        if self.uncached { 0 } else { bytes }
    }

    /// The kernel for this number of messages.
    pub(crate) fn kernel(&self, messages: usize) -> &'static Kernel<R::Word> {
        self.rules().kernel(self.row(messages))
    }

    /// The row of that kernel.
    fn row(&self, messages: usize) -> usize {
        self.rules().row(messages, self.forced)
    }

    /// The number of messages whose kernel more messages take, too: [`SOME`](policy::SOME) if those
    /// in the queue have at most `few` blocks.
    pub(crate) fn widest(&self, few: usize, queue: &Queue<'_>) -> usize {
        if few == 0 || queue.left() <= policy::SOME {
            return usize::MAX;
        }
        if self.blocks(self.middle(queue)) <= few { policy::SOME } else { usize::MAX }
    }

    /// The length of the middle message that waits, which stands for all.
    pub(crate) fn middle(&self, queue: &Queue<'_>) -> usize {
        self.messages.message(queue.next(queue.left() / 2, 1).number(0)).len()
    }

    /// How many of `left` messages to pass to the next call of the kernel for them, or for `widest`
    /// of them, which has `lanes` lanes and takes `most` messages.
    pub(crate) fn next_call(&self, left: usize, widest: usize, most: usize, lanes: usize) -> usize {
        let row = |count: usize| self.row(count.min(widest));
        policy::next_call(left, most, lanes, |rest| row(rest) != row(left))
    }

    /// The state that message number `i` continues.
    pub(crate) fn before(&self, i: usize) -> Midstate<'_, R> {
        let state = self.states.map_or(self.before.state, |states| states.state(i));
        let carry = self.carries.map_or(self.before.carry, |carries| carries(i));
        let length = if self.carries.is_some() { carry.len() as u128 } else { self.before.length };
        Midstate { state, carry, length, ..self.before }
    }

    /// The final state of message number `i`, in single-message code.
    #[inline(never)]
    pub(crate) fn hash_alone(&self, i: usize) -> State<R> {
        let message = self.messages.message(i);
        match (self.states, self.carries) {
            // This makes no copy, which would have to wait for the caller's stores.
            (None, None) => hash_alone(&self.before, message, self.forced),
            _ => hash_alone(&self.before(i), message, self.forced),
        }
    }

    /// Message number `i` as work for a lane.
    pub(crate) fn work(&self, i: usize, stage: &mut [u8]) -> Work<'a, R> {
        self.before(i).work(i, self.messages.message(i), true, 0, stage)
    }
}
