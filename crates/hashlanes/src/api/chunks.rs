//! The consecutive chunks of one buffer: Merkle leaves, pieces, parts.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use crate::function::HashFunction;
use crate::schedule::Chunks;

impl<A: HashFunction> Engine<A> {
    /// The digests of the consecutive chunks of `data`. See
    /// [`digest_chunks`](crate::digest_chunks).
    ///
    /// # Panics
    /// If `chunk_length` is 0.
    #[cfg(feature = "alloc")]
    pub fn digest_chunks(&self, data: &[u8], chunk_length: usize) -> Vec<A::Digest> {
        let chunks = Chunks::new(data, chunk_length);
        let mut digests = alloc::vec![A::ZERO; chunks.len()];
        self.digest_all_after(A::BEGINNING, &chunks, &mut digests);
        digests
    }

    /// Writes the digests of the consecutive chunks of `data` to `digests`. Allocates nothing. See
    /// [`digest_chunks_into`](crate::digest_chunks_into).
    ///
    /// # Panics
    /// If `chunk_length` is 0, or the length of `digests` is not the number of chunks.
    #[inline]
    pub fn digest_chunks_into(&self, data: &[u8], chunk_length: usize, digests: &mut [A::Digest]) {
        let chunks = Chunks::new(data, chunk_length);
        match (chunks.len(), &mut *digests) {
            (1, [digest]) => *digest = self.digest(data),
            _ => self.digest_all_after(A::BEGINNING, &chunks, digests),
        }
    }

    /// Writes the digests of pairs of digests to `digests`. Allocates nothing. See
    /// [`digest_pairs`](crate::digest_pairs).
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[inline]
    pub fn digest_pairs(&self, pairs: &[[A::Digest; 2]], digests: &mut [A::Digest]) {
        let data = A::bytes_of(pairs.as_flattened());
        self.digest_chunks_into(data, 2 * size_of::<A::Digest>(), digests);
    }
}
