//! The layout in memory of files that are hashed together.
//!
//! The lanes of a kernel read their files at the same offset at the same time. Two rules make that
//! fast:
//! * Files are aligned to cache lines. Otherwise each load of 64 bytes touches two lines.
//! * The distance between two files is not a multiple of 4 KiB. Otherwise files of equal length
//!   would share one set of the first-level cache, which cannot hold a line of every lane.

use std::ops::Range;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The distance at which two addresses share a set of the first-level cache, which has 64 sets on
/// all common CPUs.
const ALIAS: usize = 4 << 10;

/// Memory aligned to a cache line. Pages that are never touched cost nothing.
pub(super) struct Buffer {
    memory: Vec<u8>,
    /// The offset of the first line.
    first: usize,
}

impl Buffer {
    pub(super) fn new(length: usize) -> Self {
        let memory = vec![0; length + LINE];
        let first = memory.as_ptr().align_offset(LINE).min(LINE);
        Self { memory, first }
    }

    pub(super) fn get(&self, range: Range<usize>) -> &[u8] {
        &self.memory[self.first..][range]
    }

    pub(super) fn get_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.memory[self.first..][range]
    }
}

/// Where the file after one of `length` bytes at `start` begins.
pub(super) fn after(start: usize, length: usize) -> usize {
    let distance = length.next_multiple_of(LINE);
    start + if distance.is_multiple_of(ALIAS) { distance + LINE } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_begin_at_lines_and_not_at_aliases() {
        let mut buffer = Buffer::new(1 << 20);
        for length in [0, 1, 63, 64, 4032, 4033, 4096, 16 << 10] {
            let mut start = 0;
            for _ in 0..5 {
                let next = after(start, length);
                assert_eq!(buffer.get_mut(next..next + length).as_ptr().addr() % LINE, 0);
                assert!(next >= start + length, "{length}: they overlap");
                assert_ne!((next - start) % ALIAS, 0, "{length}");
                start = next;
            }
        }
    }
}
