//! The chunks of one buffer.

use core::ops::Range;

/// The consecutive chunks of one buffer. All have the same length, except that the last may be
/// shorter.
#[derive(Clone, Copy)]
pub(crate) struct Chunks<'a> {
    data: &'a [u8],
    /// Not 0.
    length: usize,
    /// The number of chunks.
    count: usize,
}

impl<'a> Chunks<'a> {
    /// # Panics
    /// If `length` is 0.
    #[inline]
    pub(crate) fn new(data: &'a [u8], length: usize) -> Self {
        assert!(length > 0, "the chunk length must not be 0");
        Self { data, length, count: data.len().div_ceil(length) }
    }

    /// The number of chunks.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.count
    }

    /// Chunk number `i`.
    #[inline(always)]
    pub(crate) fn chunk(self, i: usize) -> &'a [u8] {
        let rest = &self.data[i * self.length..];
        &rest[..rest.len().min(self.length)]
    }

    /// All bytes, and the bytes of each chunk but the last.
    pub(crate) fn parts(self) -> (&'a [u8], usize) {
        (self.data, self.length)
    }

    /// The lengths in bytes of the shortest and the longest chunk. There must be at least one.
    pub(crate) fn lengths(self) -> (usize, usize) {
        let longest = self.data.len().min(self.length);
        match self.data.len() % self.length {
            0 => (longest, longest),
            rest => (rest, longest),
        }
    }

    /// Some of the chunks.
    #[inline(always)]
    pub(crate) fn range(self, range: Range<usize>) -> Self {
        let at = |chunk: usize| self.data.len().min(chunk.saturating_mul(self.length));
        Self { data: &self.data[at(range.start)..at(range.end)], count: range.len(), ..self }
    }
}
