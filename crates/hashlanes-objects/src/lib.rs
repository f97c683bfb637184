//! Objects in stores: S3 and stores that speak its protocol, Google Cloud Storage, Azure, and plain
//! HTTP.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod annotate;
mod ask;
mod below;
mod buffers;
mod client;
mod endpoint;
mod error;
mod listing;
mod location;
mod object;
mod on_drop;
mod options;
mod pace;
mod remote;
#[cfg(test)]
mod served;
mod store;
pub mod stored;
mod stores;

pub use annotate::Annotation;
pub use listing::{Listed, Listing};
pub use location::{Location, Scheme};
pub use object::Object;
pub use options::Options;
pub use store::Meta;
pub use stores::Stores;
