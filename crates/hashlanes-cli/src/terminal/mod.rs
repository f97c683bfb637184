//! What the program writes, and where: its output, messages on the standard error, a bar, a
//! summary.

pub(crate) mod message;
pub(crate) mod output;
pub(crate) mod progress;
mod rate;
pub(crate) mod summary;
