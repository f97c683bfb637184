//! AES keys, expanded once and shared by all buffers that they encrypt.

#[cfg(target_arch = "x86_64")]
mod expand;
mod key;
#[forbid(unsafe_code)]
mod portable;
#[forbid(unsafe_code)]
mod schedule;

pub use key::{AesKey, KeyLengthError};
pub(crate) use schedule::{Block, KeySize, MAX_ROUND_KEYS, Schedule};
