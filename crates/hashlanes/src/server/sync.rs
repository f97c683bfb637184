//! Locks, atomics and threads: those of the standard library, or loom's in its models.
//!
//! Every other file of the server takes them from here, so that a model checks the code that ships.

#[cfg(not(all(loom, test)))]
pub(super) use std::{
    sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

#[cfg(all(loom, test))]
pub(super) use loom::{
    sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

use std::sync::{PoisonError, TryLockError};
use std::time::Duration;

/// Locks, whether a thread panicked with the lock held or not: no critical section of the server leaves its data half
/// changed, as none runs foreign code.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks if nobody else has the lock.
pub(super) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Sleeps until notified; the lock is released meanwhile.
pub(super) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Gives the processor to other threads that want it; returns for how long.
#[cfg(not(all(loom, test)))]
pub(super) fn yield_now() -> Duration {
    let begin = std::time::Instant::now();
    std::thread::yield_now();
    begin.elapsed()
}

/// In a model time does not pass.
#[cfg(all(loom, test))]
pub(super) fn yield_now() -> Duration {
    loom::thread::yield_now();
    Duration::ZERO
}
