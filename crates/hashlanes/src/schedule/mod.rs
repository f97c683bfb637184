//! Scheduling: messages into the lanes of a kernel.
//!
//! | file | what |
//! |---|---|
//! | `scheduled.rs` | the ways in, compiled once for each family |
//! | `batch.rs` | many messages that are hashed in one call |
//! | `messages.rs`, `states.rs` | what the caller has of each, by number |
//! | `chunks.rs` | the chunks of one buffer |
//! | `output.rs` | where their digests go |
//! | `policy.rs` | which way they go: a pure function of lengths, number and kernels |
//! | `ways/` | the ways |
//! | `members.rs` | the messages of one call of a kernel |
//! | `order.rs` | the order in which a window of messages is hashed |
//! | `whole.rs` | messages of about one length, for kernels that take whole messages |
//! | `groups/` | the same for other kernels, in groups that run in step |
//! | `run.rs` | the scheduler: messages of any length through lanes that are refilled as they end |
//! | `source.rs` | where the scheduler gets messages from, and where their states go |
//! | `active.rs` | its lanes, and how far each of them is |
//! | `stages.rs` | the memory in which a lane's first and last blocks are put together |
//! | `stream.rs` | a message that comes in pieces |
//! | `midstate.rs` | how a piece continues it |
//! | `padding.rs` | the end of a message |
//! | `padding_sums.rs` | a last block that is padding alone |
//! | `alone.rs` | a single message |
//! | `compress.rs` | whole blocks of a single message |
//! | `list.rs` | a short list on the stack |

mod active;
#[forbid(unsafe_code)]
mod alone;
#[forbid(unsafe_code)]
mod batch;
#[forbid(unsafe_code)]
mod chunks;
mod compress;
mod groups;
mod list;
mod members;
#[forbid(unsafe_code)]
mod messages;
#[forbid(unsafe_code)]
mod midstate;
#[forbid(unsafe_code)]
mod order;
#[forbid(unsafe_code)]
mod output;
#[forbid(unsafe_code)]
mod padding;
mod padding_sums;
#[forbid(unsafe_code)]
mod policy;
mod run;
#[forbid(unsafe_code)]
mod scheduled;
#[forbid(unsafe_code)]
mod source;
mod stages;
#[forbid(unsafe_code)]
mod states;
#[forbid(unsafe_code)]
mod stream;
#[forbid(unsafe_code)]
mod ways;
mod whole;

pub(crate) use batch::Batch;
pub(crate) use chunks::Chunks;
pub(crate) use messages::{ByNumber, Messages, Slices};
pub(crate) use midstate::Midstate;
pub(crate) use order::{Order, WINDOW};
pub(crate) use output::Output;
#[cfg(test)]
pub(crate) use padding::pad;
pub(crate) use padding::padded_blocks;
pub(crate) use run::When;
pub(crate) use scheduled::Scheduled;
pub(crate) use source::{LaneState, Source, Work};
pub(crate) use states::States;
pub(crate) use stream::Stream;
