//! Scheduling: assigns messages to the lanes of a kernel.
//!
//! | room | what |
//! |---|---|
//! | `scheduled.rs` | the entry points, compiled once for each type of rules |
//! | `families.rs` | the rules of each family, and the digest of one message |
//! | `rules.rs` | what the schedule is told of a family, as a value |
//! | `choose/` | the choice of a way to hash many messages |
//! | `batch/` | many messages in one call, in lanes that begin together |
//! | `refill/` | the scheduler: messages of any length, in lanes that are refilled |
//! | `stream/` | a message in pieces, and output in pieces |
//! | `tree/` | BLAKE3: the chunks and parents of messages |
//! | `list.rs` | a short list on the stack |

mod batch;
#[forbid(unsafe_code)]
mod choose;
#[forbid(unsafe_code)]
mod families;
mod list;
mod refill;
#[forbid(unsafe_code)]
mod rules;
#[forbid(unsafe_code)]
mod scheduled;
mod stream;
#[cfg(feature = "blake3")]
mod tree;

pub(crate) use batch::Batch;
pub(crate) use batch::chunks::Chunks;
pub(crate) use batch::messages::{ByNumber, Messages, Slices};
pub(crate) use batch::output::Output;
pub(crate) use batch::places::Apart;
#[cfg(feature = "alloc")]
pub(crate) use batch::rounds::{KeyStates, Rounds};
#[cfg(feature = "sha2")]
pub(crate) use batch::twice::Sha256dFamily;
pub(crate) use choose::order::{Order, WINDOW};
pub(crate) use refill::When;
pub(crate) use refill::source::{LaneState, Source, Work};
#[cfg(feature = "sha3")]
pub(crate) use rules::Sponge;
#[cfg(test)]
pub(crate) use rules::Tabled;
pub(crate) use rules::{Md, MdRules, Ruled};
pub(crate) use scheduled::Scheduled;
pub(crate) use stream::Stream;
pub(crate) use stream::midstate::Midstate;
pub(crate) use stream::squeeze::{Reading, Sponges, Squeeze};
