//! A lock that costs one atomic exchange: for values that are nearly always free, and are used for
//! as short as it takes to hash 16 bytes.
//!
//! The standard library's mutex needs a second exchange to unlock, as it wakes those who sleep on
//! it. Here those who wait look again from time to time. Only large updates keep them waiting.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often a thread that waits only lets others run, before it sleeps.
const YIELDS: usize = 64;

/// How long it sleeps: as long as it takes to hash some 32 KiB.
const NAP: Duration = Duration::from_micros(50);

/// A value for one thread at a time.
pub(crate) struct Lock<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: a reference to the value is had through a guard only, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// The value, if no other thread has it.
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        // Sees what was written before the last guard was dropped.
        if self.locked.swap(true, Ordering::Acquire) { None } else { Some(Guard(self)) }
    }

    /// The value. Waits until it is free.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        let mut tries = 0;
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            if tries < YIELDS {
                thread::yield_now();
                tries += 1;
            } else {
                thread::sleep(NAP);
            }
        }
    }
}

/// The right to use the value.
pub(crate) struct Guard<'a, T>(&'a Lock<T>);

// SAFETY: it is used as a reference to the value, `&mut T`, which can be given to another thread.
unsafe impl<T: Send> Send for Guard<'_, T> {}
// SAFETY: as above; shared, it is used as `&T`.
unsafe impl<T: Sync> Sync for Guard<'_, T> {}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only guard of the lock, which only its drop unlocks.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and it is borrowed for itself alone.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}
