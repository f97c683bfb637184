//! Code that runs on every way out of a scope.

/// Runs this when a task ends, also if it panics or is dropped before it began.
pub(crate) struct OnDrop<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
