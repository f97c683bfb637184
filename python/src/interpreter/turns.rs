//! A value that threads use in turn, without a lock as long as the interpreter lets them run in
//! turn anyway.
//!
//! To lock and unlock a mutex takes 5 ns, a sixth of an `update` of few bytes. With a GIL nobody
//! needs it but threads that hash much and let others run meanwhile. Those are counted.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

use super::turn::{Taken, Turn};

pub(crate) struct Turns<T> {
    value: UnsafeCell<T>,
    turn: Turn,
    /// Threads that have the turn and may be detached from the interpreter, or wait for it.
    counted: AtomicUsize,
}

// SAFETY: one thread uses the value at a time. It has `turn`, or it is attached to an interpreter
// with a GIL and `counted` is 0. In the second case no other thread begins meanwhile: it must be
// attached to begin, in all functions.
unsafe impl<T: Send> Sync for Turns<T> {}

impl<T: Send> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: UnsafeCell::new(value), turn: Turn::default(), counted: AtomicUsize::new(0) }
    }

    /// Calls `f` with the value. If another thread is using it, others run until it is free.
    ///
    /// # Errors
    /// If it will not become free, and those of signal handlers.
    ///
    /// # Safety
    /// `f` neither detaches the thread from the interpreter nor calls Python code.
    #[inline]
    pub(crate) unsafe fn attached<R>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut T) -> R,
    ) -> PyResult<R> {
        // The count is read by a thread that is attached, so it grows not before `f` returns. It
        // shrinks after the last use by a thread that was counted.
        let alone = cfg!(not(Py_GIL_DISABLED)) && self.counted.load(Ordering::Acquire) == 0;
        let _turn = if alone { None } else { Some(self.wait(py)?) };
        // SAFETY: no other thread uses the value, as said at `Sync`.
        Ok(f(unsafe { &mut *self.value.get() }))
    }

    #[cold]
    fn wait(&self, py: Python<'_>) -> PyResult<Taken<'_>> {
        self.turn.take(py)
    }

    /// Calls `f` with the value when it is free, while others run.
    ///
    /// # Errors
    /// As [`attached`](Self::attached).
    pub(crate) fn detached<R: Send>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut T) -> R + Send,
    ) -> PyResult<R> {
        let counted = Counted::new(&self.counted);
        let turn = self.turn.take(py)?;
        Ok(py.detach(move || {
            let (_counted, _turn) = (counted, turn);
            // SAFETY: this thread has the turn, and threads that do not ask for it see the count.
            f(unsafe { &mut *self.value.get() })
        }))
    }

    /// Replaces the value, when it is free, with what `f` makes of a copy. If `f` fails, the value
    /// stays as it was. `f` may detach the thread and call Python code.
    ///
    /// # Errors
    /// As [`attached`](Self::attached), and those of `f`.
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
        // SAFETY: as in `detached`: this thread has the turn until the end, and keeps the reference
        // to itself.
        let value = unsafe { &mut *self.value.get() };
        // To copy a value and to drop one may mean to wait for other threads.
        let (mut copy, value) = py.detach(move || (value.clone(), value));
        f(&mut copy)?;
        py.detach(move || *value = copy);
        Ok(())
    }
}

/// A thread that is counted until this is dropped.
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
