//! With the feature `zeroize`, overwrites data that is no longer needed.
//!
//! States and bytes of messages live in a [`Wiped`]. A type cannot reach the copies that the
//! compiler makes in registers and spills to the stack; [`stack`] overwrites the part of the stack
//! in which they were. Without the feature, both do nothing and cost nothing.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// A type whose values can be overwritten.
pub trait Wipe: Copy {
    /// The value with which it is overwritten.
    const ZERO: Self;

    /// Overwrites the value with zeros in a way that the compiler does not optimise away. Does
    /// nothing without the feature.
    ///
    /// It is an ordinary write, for which the compiler uses whole vectors. Volatile writes of
    /// single bytes, as in `Zeroize`, took 38,000 cycles for the stack of one call.
    #[inline(always)]
    fn wipe(&mut self) {
        #[cfg(feature = "zeroize")]
        {
            *self = Self::ZERO;
            zeroize::optimization_barrier(self);
        }
    }
}

macro_rules! wipe {
    ($($word:ty)*) => {
        $(impl Wipe for $word {
            const ZERO: Self = 0;
        })*
    };
}

wipe!(u8 u32 u64);

impl<T: Wipe, const N: usize> Wipe for [T; N] {
    const ZERO: Self = [T::ZERO; N];
}

/// A value that is overwritten with zeros when it is dropped.
#[derive(Clone)]
pub(crate) struct Wiped<T: Wipe>(pub(crate) T);

impl<T: Wipe> Deref for Wiped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Wipe> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(feature = "zeroize")]
impl<T: Wipe> Drop for Wiped<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

/// A vector that leaves no copy of a value in memory when the value is removed or the vector grows.
#[cfg(feature = "alloc")]
pub(crate) struct WipedVec<T>(Vec<T>);

#[cfg(feature = "alloc")]
impl<T> WipedVec<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Allocates memory for the first `count` values.
    pub(crate) fn try_reserve_first(
        &mut self,
        count: usize,
    ) -> Result<(), alloc::collections::TryReserveError> {
        debug_assert!(self.0.is_empty(), "the old memory would not be wiped");
        self.0.try_reserve_exact(count)
    }

    pub(crate) fn push(&mut self, value: T) {
        if cfg!(feature = "zeroize") && self.0.len() == self.0.capacity() {
            let mut larger = Vec::with_capacity(2 * self.0.len().max(2));
            larger.append(&mut self.0);
            memory(self.0.spare_capacity_mut());
            self.0 = larger;
        }
        self.0.push(value);
    }

    /// Like [`Vec::swap_remove`].
    pub(crate) fn swap_remove(&mut self, index: usize) -> T {
        let value = self.0.swap_remove(index);
        memory(&mut self.0.spare_capacity_mut()[..1]);
        value
    }
}

/// Like [`Wipe::wipe`], for memory that may be uninitialised.
#[cfg_attr(
    not(any(feature = "alloc", feature = "zeroize")),
    allow(dead_code, reason = "some architectures have nothing to wipe")
)]
#[inline(always)]
pub(crate) fn memory<T>(_places: &mut [MaybeUninit<T>]) {
    #[cfg(feature = "zeroize")]
    {
        for place in &mut *_places {
            *place = MaybeUninit::zeroed();
        }
        zeroize::optimization_barrier(_places);
    }
}

#[cfg(feature = "alloc")]
impl<T> Deref for WipedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

#[cfg(feature = "alloc")]
impl<T> DerefMut for WipedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// Bytes of stack that a call for one message uses.
pub(crate) const ALONE: usize = 4 << 10;

/// Bytes of stack that one message uses if it is a tree.
pub(crate) const TREE: usize = 32 << 10;

/// Bytes of stack that a call for many messages uses.
pub(crate) const MANY: usize = 56 << 10;

/// Overwrites the `N` bytes of stack below the caller's frame, which earlier calls used.
#[inline(always)]
pub(crate) fn stack<const N: usize>() {
    #[cfg(feature = "zeroize")]
    {
        #[inline(never)]
        fn overwrite<const N: usize>() {
            let below = [0_u8; N];
            zeroize::optimization_barrier(&below);
        }
        overwrite::<N>();
    }
}
