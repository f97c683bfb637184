//! With the feature `zeroize`, overwrites data that is no longer needed.
//!
//! States and bytes of messages live in a [`Wiped`], and those that come and go in a [`WipedVec`].
//! A type cannot reach the copies that the compiler makes in registers and on the stack when it
//! moves a value or spills one. [`call`] runs code below its caller's frame, and then overwrites
//! that part of the stack; [`stack`] does so after code that is below anyway. Without the feature,
//! nothing is overwritten.

#[cfg(feature = "alloc")]
use alloc::collections::TryReserveError;
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
pub struct WipedVec<T>(Vec<T>);

#[cfg(feature = "alloc")]
impl<T> Default for WipedVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
impl<T> WipedVec<T> {
    /// No values.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Allocates memory for `count` values altogether.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn try_reserve_all(&mut self, count: usize) -> Result<(), TryReserveError> {
        if count <= self.0.capacity() {
            return Ok(());
        }
        let mut larger = Vec::new();
        larger.try_reserve_exact(count)?;
        larger.append(&mut self.0);
        memory(self.0.spare_capacity_mut());
        self.0 = larger;
        Ok(())
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        // Without memory, `Vec::push` says so.
        if self.0.len() == self.0.capacity() {
            let _ = self.try_reserve_all(2 * self.0.len().max(2));
        }
        self.0.push(value);
    }

    /// Like [`Vec::swap_remove`].
    pub fn swap_remove(&mut self, index: usize) -> T {
        let value = self.0.swap_remove(index);
        memory(&mut self.0.spare_capacity_mut()[..1]);
        value
    }
}

/// Like `Wipe::wipe`, for memory that may be uninitialised.
#[inline(always)]
pub fn memory<T>(_places: &mut [MaybeUninit<T>]) {
    #[cfg(feature = "zeroize")]
    {
        for place in &mut *_places {
            *place = MaybeUninit::zeroed();
        }
        zeroize::optimization_barrier(_places);
    }
}

/// Empties a vector, and overwrites its memory.
#[cfg(feature = "alloc")]
pub fn clear(bytes: &mut Vec<u8>) {
    bytes.clear();
    memory(bytes.spare_capacity_mut());
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
pub(crate) const ALONE: usize = 8 << 10;

/// Bytes of stack that one message uses if it is a tree.
pub(crate) const TREE: usize = 40 << 10;

/// Bytes of stack that a call for many messages uses.
pub(crate) const MANY: usize = 77 << 10;

/// Runs `work` below the caller's frame, and then overwrites the `N` bytes of stack there. What it
/// returns may stay in the caller's frame, so code that is called from outside, and makes or moves
/// what is secret, belongs in such a call as a whole.
#[inline(always)]
pub fn call<const N: usize, R>(work: impl FnOnce() -> R) -> R {
    #[inline(never)]
    fn below<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    let result = below(work);
    // A result of this size has states of trees, and so have the frames that made it.
    if size_of::<R>() > 1 << 10 {
        stack::<TREE>()
    } else {
        stack::<N>()
    }
    result
}

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
