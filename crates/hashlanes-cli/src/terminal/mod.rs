//! What the program writes to its streams: its output, messages, a progress bar, a summary.

mod bar;
pub(crate) mod made;
pub(crate) mod message;
pub(crate) mod output;
pub(crate) mod progress;
mod rate;
pub(crate) mod summary;
pub(crate) mod usage;
