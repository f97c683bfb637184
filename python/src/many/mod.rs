//! Many messages at a time, many keys and many chains.

pub(crate) mod chains;
pub(crate) mod chunks;
pub(crate) mod derivation;
pub(crate) mod digest_many;
pub(crate) mod outputs;
mod parts;
mod pipeline;
mod prefetch;
mod window;
