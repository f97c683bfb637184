//! Scheduling: assigns messages to the lanes of a kernel.
//!
//! | file | what |
//! |---|---|
//! | `rules.rs` | what the schedule is told of a family, as a value |
//! | `scheduled.rs` | the entry points, compiled once for each type of rules |
//! | `batch.rs` | many messages to hash in one call |
//! | `messages.rs`, `states.rs` | the caller's messages and states, by number |
//! | `chains.rs` | hash chains |
//! | `rounds.rs` | rounds of PBKDF2 |
//! | `chunks.rs` | the chunks of one buffer |
//! | `output.rs`, `places.rs` | the memory for digests, and for outputs |
//! | `policy.rs` | the choice of a way to hash, from lengths, number and kernels |
//! | `ways/` | the ways to hash many messages |
//! | `caller.rs` | what calls a kernel for many messages |
//! | `members.rs` | the messages of one call of a kernel |
//! | `order.rs` | the order in which a window of messages is hashed |
//! | `whole.rs` | messages of about one length, for kernels that take whole messages |
//! | `few.rs` | a few messages, for such kernels of few lanes |
//! | `whole_blocks.rs` | messages of whole blocks with precomputed padding, and one such message |
//! | `groups/` | messages of about one length, for other kernels |
//! | `lockstep.rs` | messages of any lengths whose tail is one block, for all kernels of lanes |
//! | `rest.rs` | copies of the last bytes of messages |
//! | `run.rs` | the scheduler: messages of any length, in lanes that are refilled |
//! | `source.rs` | the scheduler's interface to its source of messages |
//! | `active.rs` | the lanes of a run and their progress |
//! | `squeeze.rs` | output of any length of sponges |
//! | `stages.rs` | the memory in which a lane's first and last blocks are assembled |
//! | `stream.rs` | a message in pieces |
//! | `midstate.rs` | how a piece continues a message |
//! | `padding_sums.rs` | last blocks that consist only of padding |
//! | `alone.rs` | a single message |
//! | `twice.rs` | SHA-256 twice |
//! | `tree/` | BLAKE3: the chunks and parents of messages |
//! | `compress.rs` | whole blocks of a single message |
//! | `list.rs` | a short list on the stack |

mod active;
#[forbid(unsafe_code)]
mod alone;
#[forbid(unsafe_code)]
mod batch;
#[forbid(unsafe_code)]
mod caller;
mod chains;
#[forbid(unsafe_code)]
mod chunks;
mod compress;
mod few;
mod groups;
mod list;
mod lockstep;
mod members;
#[forbid(unsafe_code)]
mod messages;
#[forbid(unsafe_code)]
mod midstate;
#[forbid(unsafe_code)]
mod order;
#[forbid(unsafe_code)]
mod output;
mod padding_sums;
mod places;
#[forbid(unsafe_code)]
mod policy;
mod rest;
#[cfg(feature = "alloc")]
mod rounds;
#[forbid(unsafe_code)]
mod rules;
mod run;
#[forbid(unsafe_code)]
mod scheduled;
#[forbid(unsafe_code)]
mod source;
mod squeeze;
mod stages;
#[forbid(unsafe_code)]
mod states;
#[forbid(unsafe_code)]
mod stream;
#[cfg(feature = "blake3")]
mod tree;
#[cfg(feature = "sha2")]
#[forbid(unsafe_code)]
mod twice;
#[forbid(unsafe_code)]
mod ways;
mod whole;
mod whole_blocks;

pub(crate) use batch::Batch;
pub(crate) use chunks::Chunks;
pub(crate) use messages::{ByNumber, Messages, Slices};
pub(crate) use midstate::Midstate;
pub(crate) use order::{Order, WINDOW};
pub(crate) use output::Output;
pub(crate) use places::Apart;
#[cfg(feature = "alloc")]
pub(crate) use rounds::{KeyStates, Rounds};
pub(crate) use rules::{MdRules, Ruled, Tabled};
pub(crate) use run::When;
pub(crate) use scheduled::Scheduled;
pub(crate) use source::{LaneState, Source, Work};
pub(crate) use squeeze::{Reading, Sponges, Squeeze};
pub(crate) use states::States;
pub(crate) use stream::Stream;
#[cfg(feature = "sha2")]
pub(crate) use twice::Sha256dFamily;
