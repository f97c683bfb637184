//! A value that threads use in turn, without a lock as long as the interpreter lets them run in
//! turn anyway.
//!
//! To lock and unlock a mutex takes 5 ns, a sixth of an `update` of few bytes. With a GIL nobody
//! needs it but threads that hash much and let others run meanwhile. Those are counted.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

pub(crate) struct Turns<T> {
    value: UnsafeCell<T>,
    turn: Mutex<()>,
    /// Threads that use the value detached from the interpreter, or wait for their turn to.
    detached: AtomicUsize,
}

// SAFETY: one thread uses the value at a time. It has locked `turn`, or it is attached to an
// interpreter with a GIL and `detached` is 0. In the second case no other thread begins meanwhile:
// it must be attached to begin, in both functions.
unsafe impl<T: Send> Sync for Turns<T> {}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: UnsafeCell::new(value), turn: Mutex::new(()), detached: AtomicUsize::new(0) }
    }

    /// Calls `f` with the value. If another thread is using it, others run until it is free.
    ///
    /// # Safety
    /// `f` neither detaches the thread from the interpreter nor calls Python code.
    #[inline]
    pub(crate) unsafe fn attached<R>(&self, py: Python<'_>, f: impl FnOnce(&mut T) -> R) -> R {
        // The count is read by a thread that is attached, so it grows not before `f` returns. It
        // shrinks after the last use by a thread that was counted.
        let alone = cfg!(not(Py_GIL_DISABLED)) && self.detached.load(Ordering::Acquire) == 0;
        let _turn = if alone { None } else { Some(self.wait(py)) };
        // SAFETY: no other thread uses the value, as said at `Sync`.
        f(unsafe { &mut *self.value.get() })
    }

    #[cold]
    fn wait(&self, py: Python<'_>) -> MutexGuard<'_, ()> {
        match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.turn.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    /// Calls `f` with the value when it is free, while others run.
    pub(crate) fn detached(&self, py: Python<'_>, f: impl FnOnce(&mut T) + Send)
    where
        T: Send,
    {
        self.detached.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(&self.detached);
        py.detach(move || {
            let _counted = counted;
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: `turn` is locked, and threads that do not lock it see the count.
            f(unsafe { &mut *self.value.get() });
        });
    }
}

/// A thread that is counted until this is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
