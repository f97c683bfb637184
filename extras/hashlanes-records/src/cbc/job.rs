//! A buffer as the kernels see it.

use crate::aes::{AesKey, Block};

/// The rest of a buffer: one or more whole blocks.
pub(super) struct Job<'a> {
    pub(super) key: &'a AesKey,
    /// The IV.
    pub(super) chain: Block,
    pub(super) data: &'a mut [u8],
}

impl Job<'_> {
    pub(super) fn blocks(&self) -> usize {
        self.data.len() / size_of::<Block>()
    }

    pub(super) fn reborrow(&mut self) -> Job<'_> {
        Job { key: self.key, chain: self.chain, data: self.data }
    }

    pub(super) fn has_key_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.key, other.key)
    }
}
