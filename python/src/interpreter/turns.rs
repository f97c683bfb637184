//! A value that threads use in turn. While the GIL already serialises them, it takes no lock.
//!
//! Locking and unlocking a mutex takes 5 ns, a sixth of an `update` with few bytes. With a GIL,
//! only threads that detach while they hash need it, and those are counted.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

use super::turn::{Taken, Turn};

pub(crate) struct Turns<T> {
    value: UnsafeCell<T>,
    turn: Turn,
    /// Threads that hold the turn and may be detached from the interpreter, or that wait for the
    /// turn.
    counted: AtomicUsize,
}

// SAFETY: only one thread uses the value at a time. Either it holds `turn`, or it is attached to an
// interpreter with a GIL while `counted` is 0. In the second case no other thread can start using
// the value, because every function here requires the thread to be attached first.
unsafe impl<T: Send> Sync for Turns<T> {}

impl<T: Send> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: UnsafeCell::new(value), turn: Turn::default(), counted: AtomicUsize::new(0) }
    }

    /// Calls `f` with the value. While another thread uses the value, other threads may run.
    ///
    /// # Errors
    /// If the value will never become free, and exceptions of signal handlers.
    ///
    /// # Safety
    /// `f` must not detach the thread from the interpreter or call Python code.
    #[inline]
    pub(crate) unsafe fn attached<R>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut T) -> R,
    ) -> PyResult<R> {
        // Only attached threads increase the count, so it stays 0 until `f` returns. A counted
        // thread decreases it after its last use of the value.
        let is_exclusive = cfg!(not(Py_GIL_DISABLED)) && self.counted.load(Ordering::Acquire) == 0;
        let _turn = if is_exclusive { None } else { Some(self.wait(py)?) };
        // SAFETY: no other thread uses the value: this one holds the turn, or the GIL while
        // `counted` is 0.
        Ok(f(unsafe { &mut *self.value.get() }))
    }

    #[cold]
    fn wait(&self, py: Python<'_>) -> PyResult<Taken<'_>> {
        self.turn.take(py)
    }

    /// Waits until the value is free, then calls `f` with it, detached from the interpreter.
    ///
    /// # Errors
    /// As for [`attached`](Self::attached).
    pub(crate) fn detached<R: Send>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut T) -> R + Send,
    ) -> PyResult<R> {
        let counted = Counted::new(&self.counted);
        let turn = self.turn.take(py)?;
        Ok(py.detach(move || {
            let (_counted, _turn) = (counted, turn);
            // SAFETY: this thread holds the turn. Threads that skip the turn do so only while
            // `counted` is 0.
            f(unsafe { &mut *self.value.get() })
        }))
    }

    /// Waits until the value is free, and replaces it with a copy that `f` has changed. If `f`
    /// fails, the value is unchanged. `f` may detach the thread and call Python code.
    ///
    /// # Errors
    /// As for [`attached`](Self::attached), and those of `f`.
    pub(crate) fn replace(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut T) -> PyResult<()>,
    ) -> PyResult<()>
    where
        T: Clone,
    {
        let _counted = Counted::new(&self.counted);
        let _turn = self.turn.take(py)?;
        // SAFETY: this thread holds the turn until the end of the function, `counted` is not 0, and
        // the reference does not leave the function.
        let value = unsafe { &mut *self.value.get() };
        // Detached, because cloning or dropping a value may wait for other threads.
        let (mut copy, value) = py.detach(move || (value.clone(), value));
        f(&mut copy)?;
        py.detach(move || *value = copy);
        Ok(())
    }
}

/// Counts a thread until dropped.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
