//! The library's tests are in one executable, so that they share the instances of generic
//! functions, which take long to compile.
//!
//! Three others are separate: the tests of the kernels, which emulators run, those that search
//! freed memory, and those that run with any of the functions.
#![cfg(feature = "all")]

#[path = "../common/mod.rs"]
mod common;

mod acvp;
mod allocation;
mod any_digest;
mod blake;
mod by_name;
mod chains;
mod chunks;
mod competing_lines;
mod derived;
mod differential;
mod every_way;
mod examples;
mod guard_pages;
mod hasher;
mod hkdf;
mod hmac;
mod joined;
mod large;
mod manager;
mod one_block_tails;
mod parts;
mod pbkdf2;
mod pieces;
mod prefix;
mod reader;
mod rustcrypto;
mod saved;
mod self_test;
mod serde;
mod server;
mod server_async;
mod server_digest;
mod small;
mod stack;
mod states;
mod strange_buffers;
mod threads;
mod vectors;
mod xof;
