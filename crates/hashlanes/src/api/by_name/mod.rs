//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.
//!
//! | file | what |
//! |---|---|
//! | `algorithm.rs` | what can be done with an algorithm at once |
//! | `engine.rs` | the choice of kernels |
//! | `hasher.rs` | one message that comes in pieces |
//! | `hmac.rs` | keys, and messages under a key |
//! | `prefix.rs` | messages that begin alike |
//! | `hashers.rs` | many such messages, in step |
//! | `digest.rs`, `hex.rs` | a digest; in hexadecimal |
//! | `serde.rs` | digests and algorithms in files and messages |

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

pub use digest::{AnyDigest, InvalidDigest};
pub use engine::AnyEngine;
pub use hasher::AnyHasher;
#[cfg(feature = "alloc")]
pub use hashers::AnyHashers;
pub use hmac::{AnyHmacHasher, AnyHmacKey};
pub use prefix::AnyPrefix;
