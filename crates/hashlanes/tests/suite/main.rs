//! What the library promises, in one executable: all its tests share the code that they make of
//! generic functions, which takes long to compile.
//!
//! Tests that need a process of their own have other executables: those that count or search
//! memory, that start themselves again, or that are run alone (by Miri, in emulators, under
//! ThreadSanitizer).

#[path = "../common/mod.rs"]
mod common;

mod any_digest;
mod chunks;
mod competing_lines;
mod guard_pages;
mod hasher;
mod hmac;
mod large;
mod manager;
mod pieces;
mod prefix;
mod properties;
mod reader;
mod rustcrypto;
mod serde;
mod server_digest;
mod states;
mod strange_buffers;
mod vectors;
