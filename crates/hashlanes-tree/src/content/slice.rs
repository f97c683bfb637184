//! A part of other content.

use std::ops::Range;

use super::{Content, Medium, ReadError};

/// A part of other content: one leaf, or the data that a tree covers.
///
/// ```
/// use hashlanes_tree::{Content, Slice};
///
/// let slice = Slice::new(b"some bytes".as_slice(), 5..8);
/// let mut bytes = [0; 2];
/// slice.read_exact_at(&mut bytes, 1)?;
/// assert_eq!((slice.length(), &bytes), (3, b"yt"));
/// # Ok::<(), hashlanes_tree::ReadError>(())
/// ```
pub struct Slice<C> {
    content: C,
    bytes: Range<u64>,
}

impl<C: Content> Slice<C> {
    /// The bytes of this range, as far as they exist.
    pub fn new(content: C, bytes: Range<u64>) -> Self {
        let length = content.length();
        let begin = bytes.start.min(length);
        let end = bytes.end.clamp(begin, length);
        Self { content, bytes: begin..end }
    }
}

impl<C: Content> Content for Slice<C> {
    fn length(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.content.read_exact_at(buffer, self.bytes.start + offset)
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        let start = self.bytes.start;
        self.content.is_hole(start + range.start..start + range.end)
    }

    fn medium(&self) -> Medium {
        self.content.medium()
    }
}
