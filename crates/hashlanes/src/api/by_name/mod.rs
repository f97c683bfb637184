//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.
//!
//! | file | what |
//! |---|---|
//! | `algorithm.rs` | hashing with an algorithm, without making an engine |
//! | `engine.rs` | the choice of kernels |
//! | `hasher.rs` | one message in pieces |
//! | `hmac.rs` | HMAC keys and hashers |
//! | `prefix.rs` | messages with a common prefix |
//! | `hashers.rs` | many messages in pieces, in step |
//! | `xof.rs` | output of any length |
//! | `digest.rs`, `hex.rs` | digests, and their hexadecimal form |
//! | `serde.rs` | serde's traits for digests and algorithms |

mod algorithm;
mod digest;
mod engine;
mod hasher;
#[cfg(feature = "alloc")]
mod hashers;
mod hex;
mod hmac;
mod prefix;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "sha3")]
mod xof;

#[cfg(feature = "std")]
pub(crate) use digest::LONGEST;
pub use digest::{AnyDigest, InvalidDigest};
pub use engine::AnyEngine;
pub use hasher::AnyHasher;
#[cfg(feature = "alloc")]
pub use hashers::AnyHashers;
pub use hmac::{AnyHmacHasher, AnyHmacKey};
pub use prefix::AnyPrefix;
#[cfg(feature = "sha3")]
pub use xof::{AnyXof, XofAlgorithm, XofParams, XofParamsError};
