//! AES keys, expanded once and shared by all buffers that they encrypt.

#[cfg(target_arch = "x86_64")]
mod expand;
mod key;

pub use key::{AesKey, KeyLengthError};
pub(crate) use key::{KeySize, MAX_ROUND_KEYS, Schedule};

/// 16 bytes, in the order of the memory.
pub(crate) type Block = u128;
