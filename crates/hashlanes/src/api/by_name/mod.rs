//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.
//!
//! | file | what |
//! |---|---|
//! | `algorithm.rs` | hashing with an algorithm, without making an engine |
//! | `choice.rs` | an algorithm as a function: the choice between the types of rules |
//! | `xof.rs` | output of any length |
//! | `digest.rs`, `hex.rs` | digests, and their hexadecimal form |
//! | `serde.rs` | serde's traits for digests and algorithms |

mod algorithm;
mod choice;
mod digest;
mod hex;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "sha3")]
mod xof;

#[cfg(feature = "alloc")]
pub(crate) use digest::LONGEST;
pub use digest::{AnyDigest, InvalidDigest};
#[cfg(feature = "sha3")]
pub use xof::{AnyXof, AnyXofMessage, AnyXofReader, XofAlgorithm, XofParams, XofParamsError};
