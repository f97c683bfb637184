//! Compares a tree with one in a file.

use std::io;

use super::geometry::Geometry;
use super::{Blocks, Verity};
use crate::Content;

/// The maximum number of differences kept.
const KEPT: usize = 1000;

/// A place where the data and the tree differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The digest of this block of data.
    Data(u64),
    /// A block of digests of level 1 or higher, or the padding of a block of level 0.
    Tree {
        /// The level. Level 0 has the digests of the data.
        level: usize,
        /// The number of the block in the level.
        block: u64,
    },
}

/// Compares the blocks of a tree with those in a file.
///
/// If data has changed, the blocks of the levels above differ, too.
pub struct Verifier<C> {
    geometry: Geometry,
    digest: usize,
    file: C,
    differences: Vec<Difference>,
    count: u64,
}

impl<C: Content + Send> Verifier<C> {
    /// Compares with this file.
    pub fn new(verity: &Verity, file: C) -> Self {
        let digest = verity.parameters.engine.algorithm().digest_len();
        let geometry = verity.geometry.clone();
        Self { geometry, digest, file, differences: Vec::new(), count: 0 }
    }

    /// The first thousand differences found, and the total number.
    pub fn differences(&self) -> (&[Difference], u64) {
        (&self.differences, self.count)
    }

    fn add(&mut self, difference: Difference) {
        self.count += 1;
        if self.differences.len() < KEPT {
            self.differences.push(difference);
        }
    }

    /// Compares the digests of data in a block.
    fn compare_data(&mut self, number: u64, expected: &[u8], block: &[u8]) {
        let before = self.count;
        let layout = self.geometry.layout;
        let first = number * layout.per_block as u64;
        for i in 0..layout.per_block {
            let digest = |bytes: &[u8]| bytes[i * layout.slot..][..self.digest].to_vec();
            if digest(block) == digest(expected) {
                continue;
            }
            let data = first + i as u64;
            if data < self.geometry.data_blocks {
                self.add(Difference::Data(data));
            }
        }
        if self.count == before {
            self.add(Difference::Tree { level: 0, block: number });
        }
    }
}

impl<C: Content + Send> Blocks for Verifier<C> {
    fn blocks(&mut self, level: usize, first: u64, blocks: &[u8]) -> io::Result<()> {
        let size = self.geometry.layout.block;
        let mut expected = vec![0; blocks.len()];
        let read = self.file.read_exact_at(&mut expected, self.geometry.offset(level, first));
        read.map_err(|error| error.error)?;
        if expected == blocks {
            return Ok(());
        }
        let pairs = expected.chunks_exact(size).zip(blocks.chunks_exact(size));
        for (number, (expected, block)) in (first..).zip(pairs) {
            if expected == block {
                continue;
            }
            match level {
                0 => self.compare_data(number, expected, block),
                _ => self.add(Difference::Tree { level, block: number }),
            }
        }
        Ok(())
    }
}
