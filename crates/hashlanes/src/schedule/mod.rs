//! Scheduling: messages into the lanes of a kernel.
//!
//! | file | what |
//! |---|---|
//! | `messages.rs` | many messages that are all there, by number |
//! | `chunks.rs` | the chunks of one buffer |
//! | `members.rs` | messages that answer the same each time they are asked |
//! | `order.rs` | the order in which a window of them is hashed |
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

mod active;
#[forbid(unsafe_code)]
mod alone;
#[forbid(unsafe_code)]
mod chunks;
mod compress;
mod groups;
mod members;
#[forbid(unsafe_code)]
mod messages;
#[forbid(unsafe_code)]
mod midstate;
#[forbid(unsafe_code)]
mod order;
#[forbid(unsafe_code)]
mod padding;
mod padding_sums;
mod run;
#[forbid(unsafe_code)]
mod source;
mod stages;
#[forbid(unsafe_code)]
mod stream;
mod whole;

pub(crate) use alone::hash_alone;
pub(crate) use chunks::Chunks;
pub(crate) use compress::compress_alone;
pub(crate) use groups::{GROUPS, Groups, UNEVEN};
pub(crate) use messages::{Messages, Slices};
pub(crate) use midstate::Midstate;
pub(crate) use order::{Order, WINDOW};
#[cfg(test)]
pub(crate) use padding::pad;
pub(crate) use padding::padded_blocks;
pub(crate) use run::{Scheduler, When, run};
pub(crate) use source::{Source, Work};
pub(crate) use stages::StageMemory;
pub(crate) use stream::Stream;
pub(crate) use whole::{Take, WHOLE, Wholes};
