//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.

mod algorithm;
mod digest;
mod engine;
mod hasher;
#[cfg(feature = "alloc")]
mod hashers;
mod hex;
#[cfg(feature = "serde")]
mod serde;

#[cfg(feature = "std")]
pub(crate) use crate::function::with_function;
pub use digest::{AnyDigest, InvalidDigest};
pub use engine::AnyEngine;
pub use hasher::AnyHasher;
#[cfg(feature = "alloc")]
pub use hashers::AnyHashers;
