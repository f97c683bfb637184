//! Where digests go.

use crate::family::{Family, State, write_digest};

/// Digests of `size` bytes, one after the other.
pub struct Output<'d> {
    bytes: &'d mut [u8],
    size: usize,
    count: usize,
}

impl<'d> Output<'d> {
    /// Room for `count` digests.
    ///
    /// # Panics
    /// If `bytes` has not the bytes of all of them.
    pub(crate) fn new(bytes: &'d mut [u8], size: usize, count: usize) -> Self {
        assert!(bytes.len() == size * count, "all digests have room");
        Self { bytes, size, count }
    }

    /// The number of digests.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Bytes of a digest.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The bytes of the digests from number `first` on.
    pub(super) fn bytes_from(&mut self, first: usize) -> &mut [u8] {
        &mut self.bytes[first * self.size..]
    }

    /// Writes digest number `i`, for which `state` stands.
    #[inline(always)]
    pub(super) fn put<F: Family>(&mut self, i: usize, state: &State<F>) {
        let digest = &mut self.bytes[i * self.size..][..self.size];
        // Of most functions it is the whole state. The compiler knows how long that is, and keeps
        // the words in registers.
        let whole = F::STATE_WORDS * size_of::<F::Word>();
        match digest.split_at_mut_checked(whole) {
            Some((digest, [])) => write_digest::<F>(state, digest),
            _ => put_part::<F>(*state, digest),
        }
    }
}

/// Writes a digest that is a part of the state. A state whose address is taken is in memory.
#[inline(never)]
fn put_part<F: Family>(state: State<F>, digest: &mut [u8]) {
    write_digest::<F>(&state, digest);
}
