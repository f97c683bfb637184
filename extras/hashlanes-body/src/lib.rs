#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod body;
mod checksum;
mod digester;
mod digests;
mod expected;
mod hasher;
mod layer;
mod metrics;
mod pools;

pub use body::{BoxError, DigestBody};
pub use checksum::Checksum;
pub use digester::Digester;
pub use digests::Digests;
pub use expected::WrongDigest;
pub use hashlanes::Algorithm;
pub use layer::{DigestLayer, DigestService};
