//! Wiping what the library makes of MAC keys.
//!
//! The library wipes by itself with its feature `zeroize`. That would slow down every other use of
//! the library in the same build, so this crate wipes where it needs it.

use std::mem::MaybeUninit;
use std::ops::Deref;

use zeroize::Zeroize;

/// A value in memory that is overwritten when the value is dropped.
pub(crate) struct Wiped<T>(Box<MaybeUninit<T>>);

impl<T> Wiped<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Box::new(MaybeUninit::new(value)))
    }

    /// Drops the value and overwrites its memory.
    ///
    /// # Safety
    /// Nobody uses the value afterwards.
    unsafe fn end(&mut self) {
        // SAFETY: `new` initialised the value, and the caller promises that it is dropped once.
        unsafe { self.0.assume_init_drop() };
        self.0.zeroize();
    }
}

impl<T> Deref for Wiped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `new` initialised the value, and only `end` drops it, after which it is not used.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<T: Clone> Clone for Wiped<T> {
    fn clone(&self) -> Self {
        Self::new(T::clone(self))
    }
}

impl<T> Drop for Wiped<T> {
    fn drop(&mut self) {
        // SAFETY: a value that is being dropped is not used afterwards.
        unsafe { self.end() };
    }
}

/// Bytes of the stack that a call of the library takes for one message, twice over.
pub(crate) const ONE: usize = 8 << 10;

/// Bytes of the stack that the library promises not to exceed, whatever the number of messages.
pub(crate) const MANY: usize = 64 << 10;

/// Makes a call, and then overwrites the `N` bytes of the stack below the caller's frame, in which
/// the call left copies.
pub(crate) fn with_wiped_stack<const N: usize, R>(call: impl FnOnce() -> R) -> R {
    // Neither is inlined, so both begin at the same place of the stack.
    #[inline(never)]
    fn run<R>(call: impl FnOnce() -> R) -> R {
        call()
    }
    #[inline(never)]
    fn overwrite<const N: usize>() {
        zeroize::optimization_barrier(&[0_u8; N]);
    }
    let result = run(call);
    overwrite::<N>();
    result
}

#[cfg(test)]
mod tests {
    use std::mem::ManuallyDrop;
    use std::ptr;

    use super::*;

    #[test]
    fn a_dropped_value_leaves_zeros() {
        let mut wiped = ManuallyDrop::new(Wiped::new([7_u8; 100]));
        // SAFETY: the value is not used any more, and nobody else drops its box.
        let memory = unsafe {
            wiped.end();
            ptr::read(&wiped.0)
        };
        // SAFETY: any bytes are an array of bytes, and all were written.
        assert_eq!(unsafe { *memory.assume_init() }, [0; 100]);
    }

    #[test]
    fn a_clone_is_another_value() {
        let first = Wiped::new(String::from("a key"));
        let second = first.clone();
        drop(first);
        assert_eq!(*second, "a key");
    }
}
