//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.

mod algorithm;
mod digest;
mod engine;
#[cfg(feature = "alloc")]
mod hashers;

#[cfg(feature = "std")]
pub(crate) use crate::function::with_function;
pub use digest::AnyDigest;
pub use engine::AnyEngine;
#[cfg(feature = "alloc")]
pub use hashers::AnyHashers;
