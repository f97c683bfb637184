//! Many messages that are all there, by number.

use core::ops::Range;

use super::groups::Groups;
use crate::algorithm::{Family, State};
use crate::kernel::{Kernel, Kernels};

/// A message, and the state after which it comes if not all come after the same one.
pub(crate) type Entry<'a, F> = (&'a [u8], Option<&'a State<F>>);

/// Messages `0..count`.
///
/// A caller's `AsRef` may answer differently each time it is asked. The digest of such a message
/// means nothing, but all reads stay within what one answer said.
pub(crate) trait Messages<'a, F: Family>: Copy {
    fn count(self) -> usize;

    /// Message number `i`.
    fn message(self, i: usize) -> &'a [u8];

    /// The state after which message number `i` comes, if not all come after the same one. It
    /// stands for as many bytes as the others'.
    #[inline(always)]
    fn state(self, _i: usize) -> Option<&'a State<F>> {
        None
    }

    /// Message number `i` with its state.
    #[inline(always)]
    fn entry(self, i: usize) -> Entry<'a, F> {
        (self.message(i), self.state(i))
    }

    /// Bytes of the shortest and of the longest message, of at least one.
    fn lengths(self) -> (usize, usize) {
        (0..self.count()).fold((usize::MAX, 0), |(shortest, longest), i| {
            let length = self.message(i).len();
            (shortest.min(length), longest.max(length))
        })
    }

    /// Some of the messages.
    fn range(self, range: Range<usize>) -> Self;

    /// Hashes the messages with [`Groups::hash`].
    fn hash_in_groups<const G: usize>(
        self,
        groups: &mut Groups<'_, F, G>,
        kernel: &Kernel<F::Word>,
        done: impl FnMut(usize, &State<F>),
    ) -> usize
    where
        F: Kernels,
    {
        let entries = (0..self.count()).map(|i| self.entry(i));
        groups.hash(kernel, entries, done)
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

impl<'a, F: Family, T: AsRef<[u8]>> Messages<'a, F> for Slices<'a, T> {
    fn count(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.0[i].as_ref()
    }

    fn range(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }
}

/// The consecutive chunks of one buffer. All have the same length, but the last may be shorter.
#[derive(Clone, Copy)]
pub(crate) struct Chunks<'a> {
    data: &'a [u8],
    /// Not 0.
    length: usize,
}

impl<'a> Chunks<'a> {
    /// # Panics
    /// If `length` is 0.
    pub(crate) fn new(data: &'a [u8], length: usize) -> Self {
        assert!(length > 0, "a chunk has at least one byte: the chunk length is 0");
        Self { data, length }
    }
    /// How many there are.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.data.len().div_ceil(self.length)
    }

    /// Chunk number `i`.
    #[inline(always)]
    pub(super) fn chunk(self, i: usize) -> &'a [u8] {
        let rest = &self.data[i * self.length..];
        &rest[..rest.len().min(self.length)]
    }
}

impl<'a, F: Family> Messages<'a, F> for Chunks<'a> {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'a [u8] {
        self.chunk(i)
    }

    fn lengths(self) -> (usize, usize) {
        let longest = self.data.len().min(self.length);
        match self.data.len() % self.length {
            0 => (longest, longest),
            rest => (rest, longest),
        }
    }

    #[inline(always)]
    fn range(self, range: Range<usize>) -> Self {
        let at = |chunk: usize| self.data.len().min(chunk.saturating_mul(self.length));
        Self { data: &self.data[at(range.start)..at(range.end)], ..self }
    }

    #[inline(always)]
    fn hash_in_groups<const G: usize>(
        self,
        groups: &mut Groups<'_, F, G>,
        kernel: &Kernel<F::Word>,
        done: impl FnMut(usize, &State<F>),
    ) -> usize
    where
        F: Kernels,
    {
        groups.hash_members(kernel, self, done)
    }
}
