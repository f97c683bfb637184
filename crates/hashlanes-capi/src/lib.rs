//! The C interface of [`hashlanes`], declared in `include/hashlanes.h`. Rust programs use the
//! library itself.
//!
//! The doc comments address C programmers, because cbindgen copies them to the header. The rules
//! that hold for all functions are at the top of the header; their text is in `cbindgen.toml`.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | error codes and their texts |
//! | `border.rs` | checks of pointers, lengths and names from C; creation of objects |
//! | `memory.rs` | the allocator, and its reserve |
//! | `algorithm.rs` | algorithms as numbers, with or without a kernel |
//! | `info.rs` | the version, the CPU, the kernels |
//! | `messages.rs`, `output.rs` | arrays of messages, and the memory for digests |
//! | `digest.rs` | one message, many, chunks |
//! | `parts.rs` | many messages, each in parts |
//! | `xof.rs` | output of any length for many messages |
//! | `prefix.rs`, `hmac.rs` | messages with a common prefix, HMAC |
//! | `chains.rs` | hash chains |
//! | `derivation.rs` | keys from passwords and secrets |
//! | `hasher.rs` | one message, in pieces |
//! | `manager.rs`, `jobs.rs` | many messages in pieces, finished in any order |
//! | `states.rs` | the compression function, on states that the caller keeps |
//! | `server.rs` | hashers on many threads that share lanes |
//! | `signatures.rs` | signatures by SLH-DSA |
//!
//! # Where `unsafe` is
//! Nearly every exported function is `unsafe`, because it takes pointers. `border.rs`,
//! `messages.rs` and `output.rs` check what can be checked. For the rest, C must keep the rules at
//! the top of the header and each function's "Threads" rule. The `SAFETY` comments refer to these
//! rules by name:
//!
//! * **Memory**: a non-null pointer points to the number of values that the function asks for, or
//!   to memory for them. Values that are read are initialised.
//! * **Life**: an object was made by its create function and has not been destroyed.
//! * **Threads**: during the call, no other thread writes what the function reads or accesses what
//!   it writes.
//!
//! `memory.rs` calls C's allocator.

#![deny(missing_docs)]
// C's names for C's types: cbindgen copies them.
#![allow(non_camel_case_types)]
// The top of the header states the rules once; cbindgen would copy a section in each function.
#![allow(clippy::missing_safety_doc)]

mod algorithm;
mod border;
mod chains;
mod derivation;
mod digest;
mod error;
mod hasher;
mod hmac;
mod info;
#[forbid(unsafe_code)]
mod jobs;
mod manager;
mod memory;
mod messages;
mod output;
mod parts;
mod prefix;
mod saved;
mod server;
mod signatures;
mod states;
mod xof;

pub use algorithm::*;
pub use chains::*;
pub use derivation::*;
pub use digest::*;
pub use error::*;
pub use hasher::*;
pub use hmac::*;
pub use info::*;
pub use manager::*;
pub use parts::*;
pub use prefix::*;
pub use saved::*;
pub use server::*;
pub use signatures::*;
pub use states::*;
pub use xof::*;
