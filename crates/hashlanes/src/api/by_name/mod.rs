//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.

mod algorithm;
mod digest;
mod dispatch;
mod engine;
mod hashers;

pub use algorithm::{KernelInfo, cpu_features};
pub use digest::AnyDigest;
#[cfg(feature = "std")]
pub(crate) use dispatch::with_function;
pub use engine::AnyEngine;
pub use hashers::AnyHashers;
