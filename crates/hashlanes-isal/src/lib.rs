//! ISA-L crypto's multi-buffer hashing interface for C, as declared in `include/hashlanes-isal`.
//! Rust programs use the crate [`hashlanes`].
//!
//! A program submits *contexts*, one per message, to a *manager*. It gets them back in any order
//! when they are hashed. Both are in the caller's memory. Nothing is allocated, and nothing has to
//! be freed.
//!
//! | file | contents |
//! |---|---|
//! | `function.rs` | the five hash functions, with the constants of their headers |
//! | `context.rs` | a context, and the effect of submitting a piece |
//! | `manager.rs` | the manager: which contexts it holds, which are finished, and when it hashes |
//! | `codes.rs` | the numbers of flags, states and errors |
//! | `exports.rs` | the functions that C calls |
//!
//! The structures are public so that the functions can be tested from Rust.
//!
//! # Where `unsafe` is
//! C owns managers, contexts and buffers, and lends each until its context comes back. `manager.rs`
//! and `context.rs` therefore access them through pointers, and never keep a reference from one
//! call to the next. The promises that C must make are documented in the headers and at
//! `Manager::submit`.

#![deny(missing_docs)]

mod codes;
mod context;
mod exports;
mod function;
mod manager;

pub use context::{Context, Job};
pub use exports::*;
pub use function::{Function, Md5, Sha1, Sha256, Sha512, Sm3};
pub use manager::Manager;
