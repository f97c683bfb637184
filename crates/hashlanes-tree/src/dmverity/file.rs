//! The tree in a file.

use std::io::{self, Seek, SeekFrom, Write};

use super::geometry::Geometry;
use super::{Blocks, Verity};

/// Writes the superblock and the blocks of a tree.
pub struct TreeFile<W> {
    geometry: Geometry,
    file: W,
}

impl<W: Write + Seek + Send> TreeFile<W> {
    /// Writes the superblock. All else of the file is written as the tree grows.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(verity: &Verity, mut file: W) -> io::Result<Self> {
        let geometry = verity.geometry.clone();
        let mut first = verity.superblock().to_vec();
        first.resize(first.len().next_multiple_of(geometry.layout.block), 0);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&first)?;
        Ok(Self { geometry, file })
    }

    /// The file.
    pub fn into_inner(self) -> W {
        self.file
    }
}

impl<W: Write + Seek + Send> Blocks for TreeFile<W> {
    fn blocks(&mut self, level: usize, first: u64, blocks: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.geometry.offset(level, first)))?;
        self.file.write_all(blocks)
    }
}
