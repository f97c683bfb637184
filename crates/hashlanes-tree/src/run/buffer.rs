//! The buffers of all cursors of a worker.
//!
//! The lanes of a kernel read all buffers at the same offset at the same time. So each buffer
//! begins at a cache line, and neighbours do not lie a multiple of 4 KiB apart: those would share
//! one set of the first-level cache, which has no room for a line of every lane.

/// Bytes of a cache line.
const LINE: usize = 64;

pub(super) struct Buffers {
    memory: Vec<u8>,
    /// Where the first line begins.
    first: usize,
    /// Bytes of a buffer.
    size: usize,
}

impl Buffers {
    /// Pages that nobody touches cost nothing.
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
