//! The C face of [`hashlanes`]: what `include/hashlanes.h` declares. Programs in Rust use the
//! library itself.
//!
//! The documentation of the functions is written for C, since the header is made of it. What holds
//! for all of them is at the header's top; it comes from `cbindgen.toml`.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | the codes that functions return, and their texts |
//! | `border.rs` | what comes from C, checked: pointers, lengths, names; objects |
//! | `memory.rs` | the allocator, and memory that is set aside |
//! | `algorithm.rs` | algorithms as numbers, with a kernel or without |
//! | `info.rs` | the version, the CPU, the kernels |
//! | `messages.rs`, `output.rs` | arrays of messages, and where digests go |
//! | `digest.rs` | one message, many, chunks |
//! | `prefix.rs`, `hmac.rs` | messages that begin alike, messages under keys |
//! | `hasher.rs` | one message in pieces |
//! | `manager.rs`, `jobs.rs` | many messages in pieces, which finish in any order |
//! | `states.rs` | states continued by whole blocks |
//! | `server.rs` | hashers of many threads that share lanes |
//!
//! # Where `unsafe` is
//! Every function that C calls gets pointers, so nearly all of them are `unsafe`. `border.rs`,
//! `messages.rs` and `output.rs` check what can be checked. The rest is what the header's top and
//! each function's "Threads" ask of C. The `SAFETY` comments name these rules:
//!
//! * **Memory**: a pointer that is not null leads to as many values as the function asks for, or to
//!   memory for them. Values that are read are initialised.
//! * **Life**: an object was made by its create function and has not been destroyed.
//! * **Threads**: during the call no other thread changes what the function reads, or uses what it
//!   changes.
//!
//! `memory.rs` is on the border to C's allocator.

#![deny(missing_docs)]
// C's names for C's types: cbindgen copies them.
#![allow(non_camel_case_types)]
// The header's top says it once for all functions; a section in each would be copied there.
#![allow(clippy::missing_safety_doc)]

mod algorithm;
mod border;
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
mod prefix;
mod server;
mod states;

pub use algorithm::*;
pub use digest::*;
pub use error::*;
pub use hasher::*;
pub use hmac::*;
pub use info::*;
pub use manager::*;
pub use prefix::*;
pub use server::*;
pub use states::*;
