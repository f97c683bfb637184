//! A key for the crate `aes`, whose AES takes the same time for all keys and data.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};

use super::schedule::KeySize;

/// A key as the crate `aes` expands it, and wipes it on drop.
#[derive(Clone)]
pub(crate) enum PortableKey {
    Aes128(Aes128Enc),
    Aes192(Aes192Enc),
    Aes256(Aes256Enc),
}

impl PortableKey {
    /// Expands a key, whose length is that of `size`.
    pub(super) fn new(bytes: &[u8], size: KeySize) -> Self {
        match size {
            KeySize::Aes128 => Self::Aes128(from_slice(bytes)),
            KeySize::Aes192 => Self::Aes192(from_slice(bytes)),
            KeySize::Aes256 => Self::Aes256(from_slice(bytes)),
        }
    }

    pub(crate) fn encrypt(&self, blocks: &mut [aes::Block]) {
        match self {
            Self::Aes128(key) => key.encrypt_blocks(blocks),
            Self::Aes192(key) => key.encrypt_blocks(blocks),
            Self::Aes256(key) => key.encrypt_blocks(blocks),
        }
    }
}

fn from_slice<K: KeyInit>(bytes: &[u8]) -> K {
    K::new_from_slice(bytes).expect("as many bytes as the key size says")
}
