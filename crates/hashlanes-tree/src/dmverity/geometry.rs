//! The positions of the blocks of a tree.

use super::{Parameters, SUPERBLOCK, Type};
use crate::fold::Layout;

/// The positions of a tree's blocks, in units of digest blocks from the beginning of the file.
///
/// The superblock may be at an offset. The tree begins at the next block after it.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) layout: Layout,
    pub(super) data_blocks: u64,
    /// The offset of the superblock in bytes.
    pub(super) begin: u64,
    /// The first block of the tree.
    pub(super) first: u64,
    /// The first block of each level. Level 0 has the digests of the data.
    pub(super) levels: Vec<u64>,
    /// The number of blocks in the file.
    pub(super) blocks: u64,
}

impl Geometry {
    pub(super) fn new(parameters: &Parameters, data_blocks: u64) -> Self {
        let block = parameters.hash_block as usize;
        let digest = parameters.engine.algorithm().digest_len();
        let slot = match parameters.hash_type {
            Type::Normal => digest.next_power_of_two(),
            Type::ChromeOs => digest,
        };
        // A power of two, so that shifts give the position of a digest.
        let per_block = match block / digest {
            0 => 0,
            most => 1 << most.ilog2(),
        };
        let layout = Layout { block, per_block, slot };
        let mut counts = Vec::new();
        let mut count = data_blocks;
        while count > 1 && per_block > 1 {
            count = count.div_ceil(per_block as u64);
            counts.push(count);
        }
        // The superblock, then the levels from the root downwards.
        let first = (SUPERBLOCK as u64).div_ceil(block as u64);
        let mut next = first;
        let mut levels = vec![0; counts.len()];
        for level in (0..counts.len()).rev() {
            levels[level] = next;
            next += counts[level];
        }
        Self { layout, data_blocks, begin: 0, first, levels, blocks: next }
    }

    /// The same geometry at an offset. `None` if no file can be that long.
    pub(super) fn behind(mut self, offset: u64) -> Option<Self> {
        let block = self.layout.block as u64;
        let first = offset.checked_add(SUPERBLOCK as u64)?.div_ceil(block);
        let moved = first - self.first;
        self.levels.iter_mut().for_each(|level| *level += moved);
        self.blocks += moved;
        (self.begin, self.first) = (offset, first);
        let end = self.blocks.checked_mul(block)?;
        i64::try_from(end).is_ok().then_some(self)
    }

    /// The offset of a block of a level in bytes.
    pub(super) fn offset(&self, level: usize, number: u64) -> u64 {
        (self.levels[level] + number) * self.layout.block as u64
    }
}
