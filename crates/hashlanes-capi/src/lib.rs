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
//! A function that C calls gets pointers. `border.rs` and `output.rs` turn each into a reference or
//! an error. What they cannot check is that a pointer that is not null leads to as much memory as
//! the header asks for. That is what each function requires of its caller, so all of them are
//! `unsafe` for this one reason. `memory.rs` is on the border to C's allocator.

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
