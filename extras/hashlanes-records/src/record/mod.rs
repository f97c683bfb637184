//! TLS records with CBC suites, sealed side by side.
//!
//! `sealer.rs` takes writes (`write.rs`), cuts them into fragments (`cut.rs`), and groups these
//! into windows. `window.rs` lays out the records of a window (`layout.rs`), MACs them (`mac.rs`)
//! and encrypts them (`crate::cbc`). `state.rs` is what a connection keeps: keys and a sequence
//! number.

#![forbid(unsafe_code)]

mod cut;
mod error;
mod iv;
mod layout;
mod mac;
mod report;
mod sealer;
mod state;
mod suite;
mod window;
mod write;

pub use error::SealError;
pub use iv::{IvError, IvSource, NonceIvs};
pub use report::SealReport;
pub use sealer::RecordSealer;
pub use state::{WriteState, WriteStateError};
pub use suite::{CipherSuite, ContentType, MacOrder, Version};
pub use write::Write;
