//! The buffers that producers fill and consumers hash.

use super::plan::Failure;

/// A buffer that its producer fills and a consumer hashes. Only one of them owns it at a time.
pub(super) struct Chunk {
    pub(super) number: u64,
    memory: Vec<u8>,
    /// Offset of the chunk in `memory`.
    start: usize,
    pub(super) length: usize,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Chunks begin at this number of different offsets, in cache lines. A first-level cache has as
/// many sets.
const STAGGER: usize = 64;

/// Extra bytes of a chunk's memory, so that it can begin at any of these offsets.
pub(super) const BEFORE: usize = (STAGGER + 1) * LINE;

impl Chunk {
    /// Chunk number `index` of all, for up to `longest` bytes.
    ///
    /// Lanes read all chunks at the same offset. If all chunks began at the same offset of a page,
    /// these reads would map to the same cache set, and lanes would evict each other's lines. So
    /// each chunk begins one line further than the one before.
    pub(super) fn new(index: usize, longest: usize) -> Result<Self, Failure> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(longest + BEFORE).map_err(|_| Failure::Memory(longest))?;
        // Non-zero, so that the system commits the pages.
        memory.resize(longest + BEFORE, 0xff);
        let start = memory.as_ptr().align_offset(LINE).min(LINE) + index % STAGGER * LINE;
        Ok(Self { number: 0, memory, start, length: 0 })
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.length]
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.start..][..self.length]
    }
}
