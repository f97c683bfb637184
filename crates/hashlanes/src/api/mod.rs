//! The public interface of the library.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | the choice of kernels as a value |
//! | `kernel_error.rs` | the error of choosing a kernel by name |
//! | `self_test.rs`, `known_answers.rs` | known digests, computed in every kernel |
//! | `batch.rs` | many messages in memory, and the consecutive chunks of one buffer |
//! | `joined.rs` | many messages in memory, each in parts |
//! | `chains.rs` | hash chains side by side |
//! | `prefix.rs` | messages with a common prefix |
//! | `keyed.rs` | parameters of BLAKE2 and keys of BLAKE3, as prefixes |
//! | `hasher.rs` | one message in pieces, under a key or none |
//! | `saved.rs` | a message in pieces, written down and continued |
//! | `reader.rs` | bytes from a reader |
//! | `hmac/` | MACs of many messages, under one key or many |
//! | `xof.rs`, `kangaroo.rs`, `kmac.rs` | output of any length, KangarooTwelve, and KMAC |
//! | `leaves.rs` | the chunks of many messages of KangarooTwelve in one queue |
//! | `parts.rs` | parts of one message, hashed on several threads |
//! | `equal.rs` | comparison in constant time |
//! | `update.rs` | many messages in pieces, side by side |
//! | `states.rs` | the compression function, on states that the caller keeps |
//! | `lanes.rs` | the manager: messages, whole or in pieces, each at its own pace |
//! | `pieces.rs` | messages in pieces whose states the caller keeps |
//! | `by_name/` | an algorithm as the function, digests of any, and output of any length |
//! | `rustcrypto.rs` | the traits of the crate `digest` |

#![forbid(unsafe_code)]

mod batch;
pub(crate) mod by_name;
mod chains;
#[cfg(all(test, feature = "all"))]
mod counts_tests;
#[cfg(any(feature = "sha3", feature = "blake3"))]
mod ending;
pub(crate) mod engine;
pub(crate) mod equal;
pub(crate) mod hasher;
pub(crate) mod hmac;
#[cfg(feature = "alloc")]
mod joined;
#[cfg(feature = "sha3")]
pub(crate) mod kangaroo;
pub(crate) mod kernel_error;
#[cfg(any(feature = "blake2", feature = "blake3"))]
pub(crate) mod keyed;
#[cfg(feature = "sha3")]
pub(crate) mod kmac;
mod known_answers;
#[cfg(feature = "alloc")]
pub(crate) mod lanes;
#[cfg(feature = "sha3")]
mod leaves;
#[cfg(all(feature = "alloc", any(feature = "sha3", feature = "blake3")))]
pub(crate) mod parts;
pub(crate) mod pieces;
pub(crate) mod prefix;
#[cfg(feature = "std")]
pub(crate) mod reader;
#[cfg(feature = "digest")]
pub(crate) mod rustcrypto;
#[cfg(feature = "alloc")]
pub(crate) mod saved;
#[cfg(all(feature = "alloc", any(feature = "sha3", feature = "blake3")))]
mod saved_xof;
pub(crate) mod self_test;
mod states;
pub(crate) mod update;
#[cfg(any(feature = "sha3", feature = "blake3"))]
pub(crate) mod xof;
