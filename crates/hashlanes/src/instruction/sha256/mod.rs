//! SHA-256 in the SHA extensions: from one message to four, side by side.
//!
//! A row of the table combines who compresses blocks ([`Streams`]) with what is done with them.
//!
//! | row | streams | spans | whole messages | chains |
//! |---|---|---|---|---|
//! | `sha-ni` | [`InTurn`], one message | [`sha256`] | [`whole`] | [`chains`] |
//! | `sha-ni-x2` | [`InTurn`], two | [`sha256`] | [`whole`] | [`four`] if it suits, else [`chains`] |
//! | `sha-ni-x4` | [`ahead`] in instructions, four | [`ahead`] | [`whole`]; short ones as `sha-ni-x2` | as `sha-ni-x2` |
//! | `sha-ni-avx512-x4` | [`ahead`] in vectors, four | [`ahead`] | [`whole`] | [`chains`] |
//!
//! All of them keep their states as `states.rs` does, where a block is compressed. The last blocks
//! of messages get into memory by a function of `put.rs`, or under masks.

pub(crate) mod ahead;
pub(crate) mod chains;
pub(crate) mod four;
mod put;
mod states;
mod streams;
pub(crate) mod whole;

pub(crate) use self::streams::{InTurn, sha256};
#[cfg(doc)]
use self::streams::Streams;
