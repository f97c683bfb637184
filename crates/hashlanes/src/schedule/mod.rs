//! Scheduling: messages into the lanes of a kernel.
//!
//! | file | what |
//! |---|---|
//! | `run.rs` | messages of any length through the lanes, which are refilled as they end |
//! | `groups.rs` | messages of about one length, in groups that run in step |
//! | `source.rs` | where messages come from and their states go |
//! | `order.rs` | the order in which a window of messages is hashed |
//! | `stages.rs` | the memory in which a lane's first and last blocks are put together |
//! | `padding.rs` | the end of a message |
//! | `stream.rs` | a message that comes in pieces |
//! | `alone.rs` | a single message |

mod alone;
mod groups;
mod order;
mod padding;
mod run;
mod source;
mod stages;
mod stream;

pub(crate) use alone::hash_alone;
pub(crate) use groups::{GROUPS, Groups, UNEVEN};
pub(crate) use order::{Order, SHORT, WINDOW};
#[cfg(test)]
pub(crate) use padding::pad;
pub(crate) use padding::padded_blocks;
pub(crate) use run::run;
pub(crate) use source::{Source, When, Work};
pub(crate) use stream::Stream;
