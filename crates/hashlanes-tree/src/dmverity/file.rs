//! Writes a tree to a file.

use std::io::{self, Seek, SeekFrom, Write};

use super::geometry::Geometry;
use super::{Blocks, SUPERBLOCK, Verity};

/// Writes the superblock and the blocks of a tree.
pub struct TreeFile<W> {
    geometry: Geometry,
    file: W,
}

impl<W: Write + Seek + Send> TreeFile<W> {
    /// Writes the superblock. The rest of the file is written as the tree grows. The bytes between
    /// the superblock and the tree are kept, or zeros if the file was shorter.
    ///
    /// # Errors
    /// Any error from the file.
    pub fn write(verity: &Verity, mut file: W) -> io::Result<Self> {
        let geometry = verity.geometry.clone();
        let tree = geometry.first * geometry.layout.block as u64;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(geometry.begin))?;
        file.write_all(&verity.superblock())?;
        let behind = geometry.begin + SUPERBLOCK as u64;
        // The tree may have no blocks. Then this is the end of the file.
        let zeros = tree.saturating_sub(end.max(behind)) as usize;
        file.seek(SeekFrom::Start(tree - zeros as u64))?;
        file.write_all(&vec![0; zeros])?;
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
