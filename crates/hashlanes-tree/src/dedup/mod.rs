//! Content-defined chunks (FastCDC 2020) of files with their digests, and the amount of repeated
//! data in a tree.
//!
//! The bytes before a position determine whether a chunk ends there. So equal parts of files have
//! equal chunks, wherever they begin. [`chunk_files`] cuts files and hashes the chunks, in order,
//! on all cores. [`Census`] counts chunks by their digests.
//!
//! To cut a large file on several cores, each core begins somewhere in it. Its cuts are correct
//! from the first cut on that it shares with the previous core, usually after a few chunks. The
//! result is always that of cutting the file sequentially.

mod census;
mod chunker;
mod files;
mod jobs;
mod segment;
mod stitch;

pub use census::{Census, Counts, Repeated};
pub use chunker::{BadSizes, Sizes};
pub use files::{Report, chunk_contents, chunk_files};
pub use jobs::Opened;

use hashlanes::AnyDigest;

/// A chunk of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The offset in the file.
    pub offset: u64,
    /// The number of bytes.
    pub length: u32,
    /// The digest of the bytes.
    pub digest: AnyDigest,
}

impl Chunk {
    /// The offset of the first byte after the chunk.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }
}
