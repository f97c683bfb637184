//! HMAC (RFC 2104, FIPS 198-1): the keyed hash of many messages.
//!
//! A key makes two blocks. The inner one comes before the message, the outer one before the digest
//! of that. Both are compressed once, when the key is made, so a message costs one block more than
//! its hash. All inner hashes run side by side, then all outer ones: each message goes on from a
//! state of its own (`Messages::state`).
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | a key that is prepared |
//! | `many.rs` | many pairs of a key and a message |
//! | `hasher.rs` | one message that comes in pieces |

pub(crate) mod hasher;
pub(crate) mod key;
pub(crate) mod many;
