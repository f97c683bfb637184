//! Locks, atomics and threads: those of the standard library, or loom's in the models.
//!
//! Every other file of the server uses those of this file, so that a model checks the code that
//! ships.

#[cfg(not(all(loom, test)))]
mod imp {
    pub(in crate::server) use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    pub(in crate::server) use std::sync::{Arc, Condvar, Mutex, MutexGuard};

    use std::sync::{OnceLock, PoisonError, TryLockError};
    use std::time::{Duration, Instant};

    /// Locks, even if a thread panicked while it held the lock. No critical section of the server
    /// leaves its data half changed: only a kernel can panic in one, and the message that it was
    /// hashing is then marked as lost.
    pub(in crate::server) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks, unless somebody else holds the lock.
    pub(in crate::server) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
        match mutex.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Sleeps until notified. The lock is released meanwhile.
    pub(in crate::server) fn wait<'a, T>(
        condvar: &Condvar,
        guard: MutexGuard<'a, T>,
    ) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::server) use std::thread::yield_now;

    /// The time since the first call, or 0 if there is no clock.
    pub(in crate::server) fn now() -> Duration {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        if cfg!(target_family = "wasm") {
            return Duration::ZERO;
        }
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

#[cfg(all(loom, test, feature = "all"))]
mod imp {
    //! Loom's `try_lock` waits if another thread locks between the decision to try and the attempt,
    //! so it reports deadlocks that cannot happen. This mutex is built from other parts of loom: a
    //! flag under a lock that is held only for a moment.

    pub(in crate::server) use loom::sync::Arc;
    pub(in crate::server) use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use std::ops::{Deref, DerefMut};

    pub(in crate::server) struct Mutex<T> {
        locked: loom::sync::Mutex<bool>,
        unlocked: loom::sync::Condvar,
        /// Never contended, because only the thread that set the flag locks it.
        value: std::sync::Mutex<T>,
    }

    pub(in crate::server) struct MutexGuard<'a, T> {
        mutex: &'a Mutex<T>,
        /// `None` only during the drop.
        value: Option<std::sync::MutexGuard<'a, T>>,
    }

    pub(in crate::server) struct Condvar(loom::sync::Condvar);

    type Flag<'a> = loom::sync::MutexGuard<'a, bool>;

    impl<T> Mutex<T> {
        pub(in crate::server) fn new(value: T) -> Self {
            Self {
                locked: loom::sync::Mutex::new(false),
                unlocked: loom::sync::Condvar::new(),
                value: std::sync::Mutex::new(value),
            }
        }

        fn flag(&self) -> Flag<'_> {
            self.locked.lock().expect("nobody panics while holding the flag's lock")
        }

        fn set<'a>(&'a self, mut flag: Flag<'a>) -> MutexGuard<'a, T> {
            while *flag {
                flag = self.unlocked.wait(flag).expect("as above");
            }
            *flag = true;
            MutexGuard {
                mutex: self,
                value: Some(self.value.try_lock().expect("the flag keeps others out")),
            }
        }
    }

    impl<'a, T> MutexGuard<'a, T> {
        fn clear(&mut self) -> Flag<'a> {
            self.value = None;
            let mut flag = self.mutex.flag();
            *flag = false;
            self.mutex.unlocked.notify_all();
            flag
        }
    }

    impl<T> Drop for MutexGuard<'_, T> {
        fn drop(&mut self) {
            if self.value.is_some() {
                self.clear();
            }
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.value.as_ref().expect("until dropped")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.value.as_mut().expect("until dropped")
        }
    }

    impl Condvar {
        pub(in crate::server) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(in crate::server) fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    pub(in crate::server) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.set(mutex.flag())
    }

    pub(in crate::server) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
        let flag = mutex.flag();
        (!*flag).then(|| mutex.set(flag))
    }

    pub(in crate::server) fn wait<'a, T>(
        condvar: &Condvar,
        mut guard: MutexGuard<'a, T>,
    ) -> MutexGuard<'a, T> {
        let mutex = guard.mutex;
        let flag = condvar.0.wait(guard.clear()).expect("as above");
        mutex.set(flag)
    }

    pub(in crate::server) use loom::thread::yield_now;

    /// A model has no clock.
    pub(in crate::server) fn now() -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

/// A number of which any recent value is good enough: correctness does not depend on it. Models do
/// not use loom's type for it, which would explore all of its values.
pub(super) use std::sync::atomic::AtomicUsize as Hint;

pub(super) use imp::*;
