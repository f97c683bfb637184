//! Content-defined chunks (FastCDC 2020) of files, with their digests, and how much of a tree is
//! there more than once.
//!
//! A chunk ends where the bytes before its end say so. So equal stretches of files have equal
//! chunks, wherever they begin. [`chunk_files`] cuts files and hashes the chunks, in order, on all
//! cores. [`Census`] counts chunks by their digests.
//!
//! To cut a large file on several cores, each begins somewhere in it, and is right from the first
//! cut on that it shares with the cutter before it. That is found within a few chunks as a rule.
//! The result is always that of a single cutter.

mod census;
mod chunker;
mod files;
mod jobs;
mod segment;
mod stitch;

pub use census::{Census, Counts, Repeated};
pub use chunker::{BadSizes, Sizes};
pub use files::{Report, chunk_files};

use hashlanes::AnyDigest;

/// A chunk of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its first byte in the file.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u32,
    /// The digest of these.
    pub digest: AnyDigest,
}

impl Chunk {
    /// The offset of the first byte behind it.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }
}
