//! Many messages that are all there, by number.

use core::ops::Range;

use super::chunks::Chunks;
use super::groups::Groups;
use super::members::Entry;
use crate::family::{Family, State};
use crate::kernel::{Kernel, Kernels};

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
        Chunks::lengths(self)
    }

    #[inline(always)]
    fn range(self, range: Range<usize>) -> Self {
        Chunks::range(self, range)
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
