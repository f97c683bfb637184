//! HMAC (RFC 2104, FIPS 198-1): the keyed hash of many messages.
//!
//! A key determines two blocks. The inner one precedes the message, the outer one the inner digest.
//! Both are compressed once, when the key is made, so a MAC costs one block more than a digest. All
//! inner hashes run side by side, then all outer ones. Each message continues from its own state
//! (`Choice::hash_each`).
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | a prepared key |
//! | `many.rs` | many pairs of a key and a message |
//! | `hkdf.rs` | keys from secrets |
//! | `pbkdf2.rs` | keys from passwords |

#[cfg(feature = "alloc")]
mod hkdf;
pub(crate) mod key;
pub(crate) mod many;
#[cfg(feature = "alloc")]
mod pbkdf2;
