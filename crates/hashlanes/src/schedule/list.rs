//! A list of bounded length whose memory is not cleared.

use core::mem::MaybeUninit;
use core::slice;

/// At most `G * N` values. The first `length` are initialised.
pub(crate) struct List<T, const N: usize, const G: usize = 1> {
    values: MaybeUninit<[[T; N]; G]>,
    length: usize,
}

impl<T: Copy, const N: usize, const G: usize> List<T, N, G> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let mut list = MaybeUninit::<Self>::uninit();
        // Not by an expression, for which the compiler fills all memory with zeros.
        // SAFETY: the write is to a field of `list`. The other field needs no value.
        unsafe {
            (&raw mut (*list.as_mut_ptr()).length).write(0);
            list.assume_init()
        }
    }

    /// # Panics
    /// If the list is full.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        assert!(self.length < G * N);
        // SAFETY: there are G * N values one after another, more than `length`.
        unsafe { self.values.as_mut_ptr().cast::<T>().add(self.length).write(value) };
        self.length += 1;
    }

    /// Takes the last value out.
    pub(super) fn pop(&mut self) -> Option<T> {
        let last = *self.as_slice().last()?;
        self.length -= 1;
        Some(last)
    }

    /// Keeps the first `length` values, which must not be more than there are.
    pub(super) fn truncate(&mut self, length: usize) {
        assert!(length <= self.length);
        self.length = length;
    }

    /// Drops the values for which `keep`, which may change them, returns false.
    #[inline(always)]
    pub(super) fn retain_mut(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let values = self.as_mut_slice();
        let mut kept = 0;
        for i in 0..values.len() {
            if keep(&mut values[i]) {
                values[kept] = values[i];
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Takes value number `i` out, and puts the last one in its place.
    pub(super) fn swap_remove(&mut self, i: usize) {
        if let Some(last) = self.pop()
            && let Some(place) = self.as_mut_slice().get_mut(i)
        {
            *place = last;
        }
    }

    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `push` initialised values 0..length, one by one.
        unsafe { slice::from_raw_parts_mut(self.values.as_mut_ptr().cast(), self.length) }
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `push` initialised values 0..length, one by one.
        unsafe { slice::from_raw_parts(self.values.as_ptr().cast(), self.length) }
    }
}
