//! Many messages in memory, accessed by number.

use core::ops::Range;

use crate::schedule::batch::chunks::Chunks;
use crate::schedule::batch::members::Members;

/// A selection of messages: `count` from number `first` on, or, if there are `places`, those whose
/// numbers are `first` plus each place.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'n> {
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// If present, there are `count` of them.
    pub(crate) places: Option<&'n [u16]>,
}

impl Numbers<'_> {
    /// The number of message `i` of the selection.
    #[inline(always)]
    pub(crate) fn number(&self, i: usize) -> usize {
        self.first + self.places.map_or(i, |places| usize::from(places[i]))
    }

    /// `count` messages of the selection from message `i` on.
    pub(crate) fn part(&self, i: usize, count: usize) -> Self {
        match self.places {
            None => Self { first: self.first + i, count, places: None },
            Some(places) => Self { places: Some(&places[i..i + count]), count, ..*self },
        }
    }
}

/// Messages `0..count` as a trait object, so that the code that hashes them is compiled once for
/// each family, whatever the caller's type. To save dynamic calls, it reads all messages of a call
/// of a kernel at once.
pub(crate) trait Messages<'a> {
    fn count(&self) -> usize;

    /// Message number `i`. A caller's `AsRef` may return a different slice on each call. The digest
    /// of such a message is meaningless, but all reads stay within one of these slices.
    fn message(&self, i: usize) -> &'a [u8];

    /// Stores the messages with these numbers in `members`.
    fn fill(&self, numbers: Numbers<'_>, members: &mut Members<'a>);

    /// The lengths in bytes of the first two messages and of the middle one. There must be at least
    /// two.
    fn samples(&self) -> [usize; 3];

    /// Writes the lengths in bytes of the messages from number `first` on.
    fn put_lengths(&self, first: usize, lengths: &mut [usize]);

    /// The lengths in bytes of the shortest and the longest message from number `first` on. There
    /// must be at least one.
    fn bounds(&self, first: usize) -> (usize, usize);
}

/// What a type of messages implements to be [`Messages`].
pub(crate) trait ByNumber<'a>: Copy {
    fn count(self) -> usize;

    /// Message number `i`.
    fn message(self, i: usize) -> &'a [u8];

    /// Some of the messages.
    fn range(self, range: Range<usize>) -> Self;

    /// Stores all messages in `members`.
    #[inline(always)]
    fn put(self, members: &mut Members<'a>) {
        members.fill((0..self.count()).map(|i| self.message(i)));
    }

    /// The lengths in bytes of the shortest and the longest message. There must be at least one.
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
                self.range(numbers.first..numbers.first + numbers.count).put(members);
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

    fn put(self, members: &mut Members<'a>) {
        members.fill_chunks(self);
    }

    fn bounds(self) -> (usize, usize) {
        self.lengths()
    }
}
