//! The objects of stores: S3 and what speaks its protocol, Google Cloud Storage, Azure, and plain
//! HTTP.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod location;
pub mod stored;

pub use location::{Location, Scheme, is_url};
