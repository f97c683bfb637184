//! The buffers of all cursors of a worker.
//!
//! The lanes of a kernel read all buffers at the same offset at the same time. So buffers are
//! aligned to cache lines, and the distance between neighbours is not a multiple of 4 KiB:
//! otherwise they would share one set of the first-level cache, which cannot hold a line of every
//! lane.

/// Bytes of a cache line.
const LINE: usize = 64;

pub(super) struct Buffers {
    memory: Vec<u8>,
    /// The offset of the first line.
    first: usize,
    /// Bytes of a buffer.
    size: usize,
}

impl Buffers {
    /// Pages that are never touched cost nothing.
    pub(super) fn new(count: usize, size: usize) -> Self {
        let size = size.next_multiple_of(LINE);
        let memory = vec![0; count * (size + LINE) + LINE];
        let first = memory.as_ptr().align_offset(LINE).min(LINE);
        Self { memory, first, size }
    }

    /// Bytes of a buffer.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn get(&self, number: usize) -> &[u8] {
        &self.memory[self.first + number * (self.size + LINE)..][..self.size]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.memory[self.first + number * (self.size + LINE)..][..self.size]
    }
}
