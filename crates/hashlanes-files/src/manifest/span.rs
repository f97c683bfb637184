//! Where the parts of a line are that speak of the content of its file.

use std::ops::Range;

use super::HashName;

/// What a part of a line says of the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Size,
    Modified,
    Version,
    Digest(HashName),
}

/// Where the parts of a line are.
pub(super) type Spans = Vec<(Range<usize>, Part)>;

/// Where a slice of a line is in it.
pub(super) fn range_in(line: &[u8], slice: &[u8]) -> Range<usize> {
    let start = slice.as_ptr().addr() - line.as_ptr().addr();
    start..start + slice.len()
}
