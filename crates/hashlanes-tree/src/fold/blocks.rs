//! Trees of blocks, for fs-verity and dm-verity: as many digests as fit in a block are hashed
//! together.

use std::io;

use hashlanes::Engine;

use crate::affixed::Affixed;

/// Receives the blocks of a tree when they are full.
pub trait Blocks: Send {
    /// Consecutive full blocks of a level. `first` is the number of the first. Level 0 has the
    /// digests of the data.
    ///
    /// # Errors
    /// Any error ends the run.
    fn blocks(&mut self, level: usize, first: u64, blocks: &[u8]) -> io::Result<()>;
}

/// Discards the blocks.
impl Blocks for () {
    fn blocks(&mut self, _: usize, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

impl<B: Blocks + ?Sized> Blocks for Box<B> {
    fn blocks(&mut self, level: usize, first: u64, blocks: &[u8]) -> io::Result<()> {
        (**self).blocks(level, first, blocks)
    }
}

/// The layout of digests in blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bytes of a block.
    pub(crate) block: usize,
    /// Digests per block.
    pub(crate) per_block: usize,
    /// The distance between digests in bytes. The gaps are zeros.
    pub(crate) slot: usize,
}

/// Folds digests of data to the root of a tree of blocks, as they come. Only one block of each
/// level is held.
pub(crate) struct BlockFold<W> {
    hasher: Affixed,
    layout: Layout,
    levels: Vec<Level>,
    writer: W,
}

#[derive(Default)]
struct Level {
    /// The number of digests so far.
    count: u64,
    /// The number of finished blocks.
    blocks: u64,
    /// The block that is not full yet. While digests are added, full ones come before it.
    open: Vec<u8>,
    /// The number of digests in `open`.
    held: usize,
}

/// The result of a [`BlockFold`].
pub(crate) struct BlockRoot<W> {
    /// `None` if there was no data.
    pub(crate) digest: Option<Vec<u8>>,
    pub(crate) writer: W,
}

impl<W: Blocks> BlockFold<W> {
    /// Blocks are hashed as `digest(prefix, block, suffix)`.
    pub(crate) fn new(
        engine: Engine,
        layout: Layout,
        prefix: &[u8],
        suffix: &[u8],
        writer: W,
    ) -> Self {
        let hasher = Affixed::new(engine, prefix, suffix);
        Self { hasher, layout, levels: vec![], writer }
    }

    /// Adds concatenated digests of data.
    pub(crate) fn push(&mut self, digests: &[u8]) -> io::Result<()> {
        self.push_at(0, digests.to_vec())
    }

    /// Adds digests to a level, and the digests of full blocks to the levels above.
    fn push_at(&mut self, mut level: usize, mut digests: Vec<u8>) -> io::Result<()> {
        while !digests.is_empty() {
            digests = self.fill(level, &digests)?;
            level += 1;
        }
        Ok(())
    }

    /// Adds digests to a level. Returns the digests of the blocks that are now full.
    fn fill(&mut self, number: usize, digests: &[u8]) -> io::Result<Vec<u8>> {
        if number == self.levels.len() {
            self.levels.push(Level::default());
        }
        let Layout { block, per_block, slot } = self.layout;
        let level = &mut self.levels[number];
        for digest in digests.chunks_exact(self.hasher.digest_len()) {
            level.count += 1;
            level.held += 1;
            level.open.extend_from_slice(digest);
            let place = level.held % per_block;
            let whole = level.held / per_block * block;
            level.open.resize(whole + place * slot, 0);
        }
        let full = level.held / per_block;
        self.finish_blocks(number, full)
    }

    /// Hashes the first blocks of a level, and passes them to the writer.
    fn finish_blocks(&mut self, number: usize, count: usize) -> io::Result<Vec<u8>> {
        let level = &mut self.levels[number];
        let end = count * self.layout.block;
        let blocks = &level.open[..end];
        if count > 0 {
            self.writer.blocks(number, level.blocks, blocks)?;
        }
        let each: Vec<&[u8]> = blocks.chunks_exact(self.layout.block).collect();
        let digests = self.hasher.digest_many(&each);
        level.open.drain(..end);
        level.blocks += count as u64;
        level.held -= level.held.min(count * self.layout.per_block);
        Ok(digests)
    }

    /// The root: the digest of a level's only block. Incomplete blocks are padded with zeros.
    pub(crate) fn finish(mut self) -> io::Result<BlockRoot<W>> {
        let mut number = 0;
        while number < self.levels.len() {
            let level = &mut self.levels[number];
            if level.count == 1 {
                level.open.truncate(self.hasher.digest_len());
                let digest = Some(std::mem::take(&mut level.open));
                return Ok(BlockRoot { digest, writer: self.writer });
            }
            if level.held > 0 {
                level.open.resize(self.layout.block, 0);
                let digests = self.finish_blocks(number, 1)?;
                // It may complete a block of the next level.
                self.push_at(number + 1, digests)?;
            }
            number += 1;
        }
        Ok(BlockRoot { digest: None, writer: self.writer })
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::{Algorithm, Md5};

    use super::*;

    /// Keeps the blocks of each level.
    impl Blocks for Vec<Vec<u8>> {
        fn blocks(&mut self, level: usize, first: u64, blocks: &[u8]) -> io::Result<()> {
            self.resize(self.len().max(level + 1), Vec::new());
            assert_eq!(first as usize * 100, self[level].len(), "blocks come in order");
            self[level].extend(blocks);
            Ok(())
        }
    }

    /// Blocks of 100 bytes with four digests, each at a multiple of 20 bytes.
    const LAYOUT: Layout = Layout { block: 100, per_block: 4, slot: 20 };

    fn reference(mut digests: Vec<[u8; 16]>) -> (Option<Vec<u8>>, Vec<Vec<u8>>) {
        let mut levels = Vec::new();
        while digests.len() > 1 {
            let mut level = Vec::new();
            for block in digests.chunks(4) {
                let begin = level.len();
                for (i, digest) in block.iter().enumerate() {
                    level.resize(begin + 20 * i, 0);
                    level.extend(digest);
                }
                level.resize(begin + 100, 0);
            }
            let salted = |block: &[u8]| Md5::digest([b"salt", block, b"more"].concat());
            digests = level.chunks(100).map(salted).collect();
            levels.push(level);
        }
        (digests.first().map(|root| root.to_vec()), levels)
    }

    #[test]
    fn every_number_of_blocks_gives_the_tree_of_the_definition() {
        for count in 0..280_u32 {
            let digests: Vec<[u8; 16]> = (0..count).map(|i| Md5::digest(i.to_le_bytes())).collect();
            let (root, levels) = reference(digests.clone());
            for step in [1, 3, 64, 1000] {
                let engine = Engine::of(Algorithm::Md5);
                let mut fold = BlockFold::new(engine, LAYOUT, b"salt", b"more", Vec::new());
                digests.chunks(step).for_each(|some| fold.push(some.as_flattened()).unwrap());
                let tree = fold.finish().unwrap();
                assert_eq!(tree.digest, root, "{count} by {step}");
                assert_eq!(tree.writer, levels, "{count} by {step}");
            }
        }
    }
}
