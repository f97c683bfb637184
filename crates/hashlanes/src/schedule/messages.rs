//! Many messages that are all there, by number.

use core::ops::Range;

use super::chunks::Chunks;
use super::members::Members;

/// Some of many messages: `count` from number `first` on, or, if there are places, those whose
/// numbers are so much higher than `first`.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'n> {
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// As many as `count`.
    pub(crate) places: Option<&'n [u16]>,
}

impl Numbers<'_> {
    /// The number of the one at place `i`.
    #[inline(always)]
    pub(super) fn number(&self, i: usize) -> usize {
        self.first + self.places.map_or(i, |places| usize::from(places[i]))
    }

    /// `count` of them from the one at place `i` on.
    pub(super) fn part(&self, i: usize, count: usize) -> Self {
        match self.places {
            None => Self { first: self.first + i, count, places: None },
            Some(places) => Self { places: Some(&places[i..i + count]), count, ..*self },
        }
    }
}

/// Messages `0..count`, as an object: what hashes them is compiled once for each family, whatever
/// the caller's type. So it asks for all messages of a call of a kernel at a time.
pub(crate) trait Messages<'a> {
    fn count(&self) -> usize;

    /// Message number `i`. A caller's `AsRef` may answer differently each time it is asked. The
    /// digest of such a message means nothing, but all reads stay within what one answer said.
    fn message(&self, i: usize) -> &'a [u8];

    /// Puts the messages with these numbers into `members`.
    fn fill(&self, numbers: Numbers<'_>, members: &mut Members<'a>);

    /// The lengths in bytes of the first two of at least two messages, and of the middle one.
    fn samples(&self) -> [usize; 3];

    /// Writes the lengths in bytes of the messages from number `first` on.
    fn put_lengths(&self, first: usize, lengths: &mut [usize]);

    /// Bytes of the shortest and of the longest of the messages from number `first` on, of at
    /// least one.
    fn bounds(&self, first: usize) -> (usize, usize);
}

/// What a kind of messages says of itself.
pub(crate) trait ByNumber<'a>: Copy {
    fn count(self) -> usize;

    /// Message number `i`.
    fn message(self, i: usize) -> &'a [u8];

    /// Some of the messages.
    fn range(self, range: Range<usize>) -> Self;

    /// Bytes of the shortest and of the longest message, of at least one.
    #[inline(always)]
    fn bounds(self) -> (usize, usize) {
        (0..self.count()).fold((usize::MAX, 0), |(shortest, longest), i| {
            let length = self.message(i).len();
            (shortest.min(length), longest.max(length))
        })
    }
}

impl<'a, M: ByNumber<'a>> Messages<'a> for M {
    fn count(&self) -> usize {
        M::count(*self)
    }

    fn message(&self, i: usize) -> &'a [u8] {
        M::message(*self, i)
    }

    fn fill(&self, numbers: Numbers<'_>, members: &mut Members<'a>) {
        match numbers.places {
            None => {
                let some = self.range(numbers.first..numbers.first + numbers.count);
                members.fill((0..numbers.count).map(|i| some.message(i)));
            }
            Some(places) => {
                let some = self.range(numbers.first..M::count(*self));
                members.fill(places.iter().map(|&i| some.message(usize::from(i))));
            }
        }
    }

    fn samples(&self) -> [usize; 3] {
        [0, 1, M::count(*self) / 2].map(|i| M::message(*self, i).len())
    }

    fn put_lengths(&self, first: usize, lengths: &mut [usize]) {
        let some = self.range(first..first + lengths.len());
        for (i, length) in lengths.iter_mut().enumerate() {
            *length = some.message(i).len();
        }
    }

    fn bounds(&self, first: usize) -> (usize, usize) {
        M::bounds(self.range(first..M::count(*self)))
    }
}

/// The messages of a caller's slice.
pub(crate) struct Slices<'a, T>(pub(crate) &'a [T]);

impl<T> Clone for Slices<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slices<'_, T> {}

impl<'a, T: AsRef<[u8]>> ByNumber<'a> for Slices<'a, T> {
    #[inline(always)]
    fn count(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.0[i].as_ref()
    }

    #[inline(always)]
    fn range(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }
}

impl<'a> ByNumber<'a> for Chunks<'a> {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.chunk(i)
    }

    #[inline(always)]
    fn range(self, range: Range<usize>) -> Self {
        Chunks::range(self, range)
    }

    fn bounds(self) -> (usize, usize) {
        self.lengths()
    }
}
