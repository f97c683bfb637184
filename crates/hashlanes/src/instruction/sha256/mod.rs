//! SHA-256 in the SHA extensions: from one message to four, side by side.
//!
//! A row of the table combines who compresses blocks ([`Streams`]) with what is done with them.
//!
//! | row | messages | streams | spans | whole messages | chains |
//! |---|---|---|---|---|---|
//! | `sha-ni` | 1 | [`InTurn`] | [`sha256`] | [`whole`] | [`chains`] |
//! | `sha-ni-x2` | 2 | [`InTurn`] | [`sha256`] | [`whole`] | [`four`], else [`chains`] |
//! | `sha-ni-x4` | 4 | `InInstructions` | [`ahead`] | [`whole`] | as `sha-ni-x2` |
//! | `sha-ni-turns-x4` | 4 | [`InTurn`] | [`sha256`] | [`whole`] | as `sha-ni-x2` |
//! | `sha-ni-avx512-x4` | 4 | `InVectors` | [`ahead`] | [`whole`] | [`chains`] |
//!
//! [`four`] continues three or more chains whose values are where it can put them. `sha-ni-x4`
//! leaves short messages to `sha-ni-x2`.
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

#[cfg(doc)]
use self::streams::Streams;
pub(crate) use self::streams::{InTurn, sha256};
