//! What is overwritten when it is not needed any more, with the feature `zeroize`.
//!
//! States and bytes of messages live in a [`Wiped`]. Copies that the compiler makes, in registers
//! and spilled to the stack, are out of reach of a type; [`stack`] overwrites the part of the stack
//! in which they were. Without the feature both do nothing and cost nothing.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// A type whose values can be overwritten.
pub trait Wipe: Copy {
    /// What it is overwritten with.
    const ZERO: Self;

    /// Overwrites the value with zeros, by a write that the compiler does not leave out. Does
    /// nothing without the feature.
    ///
    /// The write is an ordinary one, which the compiler makes of whole vectors. Volatile writes of
    /// single bytes, as `Zeroize` makes them, took 38,000 cycles for the stack of one call.
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

/// A vector that leaves nothing behind in its memory when a value is taken out, or when it grows.
#[cfg(feature = "alloc")]
pub(crate) struct WipedVec<T>(Vec<T>);

#[cfg(feature = "alloc")]
impl<T> WipedVec<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Makes room for the first `count` values.
    pub(crate) fn try_reserve_first(
        &mut self,
        count: usize,
    ) -> Result<(), alloc::collections::TryReserveError> {
        debug_assert!(self.0.is_empty(), "values that are moved would stay where they were");
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

    /// As [`Vec::swap_remove`].
    pub(crate) fn swap_remove(&mut self, index: usize) -> T {
        let value = self.0.swap_remove(index);
        memory(&mut self.0.spare_capacity_mut()[..1]);
        value
    }
}

/// Overwrites memory that may be uninitialised, as [`Wipe::wipe`] does.
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

/// Bytes of stack that a call uses which hashes one message.
pub(crate) const ALONE: usize = 4 << 10;

/// Bytes of stack that a call uses which hashes many messages.
pub(crate) const MANY: usize = 56 << 10;

/// Overwrites the `N` bytes of the stack below the caller's frame, which calls that have returned
/// used.
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
