//! The memory of a caller's outputs, each of which is its own.

/// Memory for outputs that are not together.
///
/// # Safety
/// The memory of another number is other memory. It may be written through pointers as long as the
/// value is borrowed, whatever is called for other numbers meanwhile.
pub(crate) unsafe trait Places {
    /// The memory of output number `i`. A caller's `AsMut` may return a different slice on each
    /// call.
    fn place(&mut self, i: usize) -> &mut [u8];
}

/// The outputs of a caller's slice.
pub(crate) struct Apart<'o, O>(pub(crate) &'o mut [O]);

// SAFETY: places are borrowed from different values of a slice, which could be borrowed all at
// once.
unsafe impl<O: AsMut<[u8]>> Places for Apart<'_, O> {
    fn place(&mut self, i: usize) -> &mut [u8] {
        self.0[i].as_mut()
    }
}
