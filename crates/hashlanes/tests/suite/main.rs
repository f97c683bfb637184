//! What the library promises, in one executable: all its tests share the code that they make of
//! generic functions, which takes long to compile.
//!
//! Two others are apart: the kernels, which emulators run, and what searches all memory.

#[path = "../common/mod.rs"]
mod common;

mod allocation;
mod any_digest;
mod chunks;
mod competing_lines;
mod every_way;
mod examples;
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
mod server;
mod server_async;
mod server_digest;
mod stack;
mod states;
mod strange_buffers;
mod threads;
mod vectors;
