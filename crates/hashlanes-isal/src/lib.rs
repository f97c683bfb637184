//! ISA-L crypto's multi-buffer hashing interface for C: what `include/hashlanes-isal` declares.
//! Programs in Rust use the crate [`hashlanes`] itself.
//!
//! A program submits *contexts*, one for each message, to a *manager*, and gets them back in any
//! order when they are hashed. Both are the caller's memory, and nothing else is: there is no heap,
//! and nothing to be freed.
//!
//! | file | what |
//! |---|---|
//! | `function.rs` | the five hash functions, with the numbers that the headers have |
//! | `context.rs` | a context, and what a submitted piece makes of it |
//! | `manager.rs` | the manager: what is held, what is finished, when to hash |
//! | `codes.rs` | flags, states and errors as numbers |
//! | `exports.rs` | the functions that C calls |
//!
//! The structures are public for those who test the functions from Rust.
//!
//! # Where `unsafe` is
//! C owns managers, contexts and buffers, and lends them until a context comes back. So
//! `manager.rs` and `context.rs` reach them through pointers, and never keep a reference from one
//! call to the next. What C promises is said at each function that it calls: in the headers, and
//! at `Manager::submit`.

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
