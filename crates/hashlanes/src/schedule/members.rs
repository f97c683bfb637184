//! Messages that answer the same each time they are asked.

use super::chunks::Chunks;
use crate::family::State;

/// A message, and the state after which it comes if not all come after the same one.
pub(crate) type Entry<'a, F> = (&'a [u8], Option<&'a State<F>>);

/// The messages that groups take.
///
/// # Safety
/// `member` answers the same each time, and `equal_length` tells the truth: lanes read as many
/// bytes of a member as these two say.
pub(crate) unsafe trait Members: Copy {
    /// How many there are.
    fn count(self) -> usize;

    /// Member number `i`, the same each time.
    fn member<'s>(self, i: usize) -> &'s [u8]
    where
        Self: 's;

    /// The length of members `first..first + count`, if it is the same for all.
    fn equal_length(self, first: usize, count: usize) -> Option<usize>;
}

// SAFETY: the answers are read from memory that is borrowed.
unsafe impl Members for &[&[u8]] {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn member<'s>(self, i: usize) -> &'s [u8]
    where
        Self: 's,
    {
        self[i]
    }

    #[inline(always)]
    fn equal_length(self, first: usize, count: usize) -> Option<usize> {
        let length = self[first].len();
        self[first..first + count].iter().all(|member| member.len() == length).then_some(length)
    }
}

// SAFETY: the answers are computed from a length and a borrowed slice. All chunks but the last one
// of the buffer have the same length, so equal lengths of two say that of those between.
unsafe impl Members for Chunks<'_> {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn member<'s>(self, i: usize) -> &'s [u8]
    where
        Self: 's,
    {
        self.chunk(i)
    }

    #[inline(always)]
    fn equal_length(self, first: usize, count: usize) -> Option<usize> {
        // Only the last chunk may differ.
        let (length, last) = (self.member(first).len(), self.member(first + count - 1).len());
        (length == last).then_some(length)
    }
}
