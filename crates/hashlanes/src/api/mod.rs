//! The ways in: what users of the library call.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | the choice of kernels as a value |
//! | `kernel_info.rs`, `kernel_error.rs` | the kernels there are; why one cannot be had |
//! | `batch.rs` | many messages that are all there |
//! | `chunks.rs` | the consecutive chunks of one buffer |
//! | `prefix.rs` | messages that begin alike |
//! | `hasher.rs` | one message that comes in pieces |
//! | `reader.rs` | its bytes from a reader |
//! | `hmac/` | MACs of many messages, under one key or many |
//! | `equal.rs` | comparison in constant time |
//! | `update.rs` | many such messages, side by side |
//! | `states.rs` | states and whole blocks, for those who keep the rest of a message themselves |
//! | `lanes.rs` | the manager: messages that come one by one or in pieces, each at its own pace |
//! | `pieces.rs` | the same for those who keep states in memory of their own |
//! | `by_name/` | the same with the algorithm chosen at run time |
//! | `rustcrypto.rs` | the traits of the crate `digest` |

#![forbid(unsafe_code)]

mod batch;
pub(crate) mod by_name;
mod chunks;
#[cfg(test)]
mod counts_tests;
pub(crate) mod engine;
pub(crate) mod equal;
pub(crate) mod hasher;
pub(crate) mod hmac;
pub(crate) mod kernel_error;
pub(crate) mod kernel_info;
#[cfg(feature = "alloc")]
pub(crate) mod lanes;
pub(crate) mod pieces;
pub(crate) mod prefix;
#[cfg(feature = "std")]
pub(crate) mod reader;
#[cfg(feature = "digest")]
mod rustcrypto;
mod states;
pub(crate) mod update;
