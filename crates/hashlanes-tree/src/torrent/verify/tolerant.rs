//! Content that continues after a file that cannot be read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::{Content, Joined, ReadError};

/// Concatenated files. Unreadable bytes count as zeros, and the file is recorded.
pub(super) struct Tolerant {
    joined: Joined,
    /// The range of bytes of each part that belongs to a file, in order, with the file's number.
    parts: Vec<(Range<u64>, usize)>,
    failed: Mutex<BTreeMap<usize, ReadError>>,
}

impl Tolerant {
    pub(super) fn new(joined: Joined, parts: Vec<(Range<u64>, usize)>) -> Self {
        Self { joined, parts, failed: Mutex::default() }
    }

    /// The files that could not be read, with their errors.
    pub(super) fn failed(self) -> BTreeMap<usize, ReadError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads file by file after an error in the buffer.
    fn read_parts(&self, buffer: &mut [u8], offset: u64) {
        let end = offset + buffer.len() as u64;
        let first = self.parts.partition_point(|(part, _)| part.end <= offset);
        buffer.fill(0);
        for (part, file) in self.parts[first..].iter().take_while(|(part, _)| part.start < end) {
            let range = part.start.max(offset)..part.end.min(end);
            let bytes = &mut buffer[(range.start - offset) as usize..(range.end - offset) as usize];
            if let Err(error) = self.joined.read_exact_at(bytes, range.start) {
                bytes.fill(0);
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.entry(*file).or_insert(error);
            }
        }
    }
}

impl Content for Tolerant {
    fn length(&self) -> u64 {
        self.joined.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        if self.joined.read_exact_at(buffer, offset).is_err() {
            self.read_parts(buffer, offset);
        }
        Ok(())
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        self.joined.is_hole(range)
    }
}
