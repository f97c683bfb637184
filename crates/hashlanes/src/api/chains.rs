//! Hash chains: the digest of a digest, many times, of many chains side by side.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::prefix::Prefix;
use crate::function::Function;
use crate::function::choice::Before;
use crate::input::Chains;
use crate::wipe;

impl<A: Function> Prefix<A> {
    /// Continues hash chains side by side: replaces `values[i]` by the digest of the prefix
    /// followed by `values[i]`, `lengths[i]` times. Allocates nothing.
    ///
    /// With an empty prefix, these are plain chains.
    ///
    /// A chain is serial, but different chains are independent. A chain that ends leaves its lane
    /// to the next one. To get the values in between, continue the chains in several calls.
    ///
    /// ```
    /// use hashlanes::{Prefix, Sha256};
    ///
    /// let tag = Prefix::<Sha256>::new("tag");
    /// let mut values = [[1; 32], [2; 32]];
    /// tag.digest_chains(&mut values, &[2, 1000]);
    /// assert_eq!(values[0], tag.digest(tag.digest([1; 32])));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn digest_chains(&self, values: &mut A::Digests, lengths: &[u64]) {
        self.continue_values(A::bytes_mut(values), lengths);
    }

    fn continue_values(&self, inputs: &mut [u8], lengths: &[u64]) {
        let length = self.engine.digest_len();
        self.continue_chains(inputs, length, length, false, lengths);
    }

    /// Whether segments of hash chains are right: number `i` is if `lengths[i]` hashes lead from
    /// `starts[i]` to `ends[i]`. The segments are computed side by side.
    ///
    /// ```
    /// use hashlanes::{Prefix, Sha256};
    ///
    /// // A proof of history: the end of each segment is the start of the next.
    /// let chain = Prefix::<Sha256>::new([]);
    /// let mut points = vec![[7; 32]];
    /// for i in 0..3 {
    ///     let mut next = [points[i]];
    ///     chain.digest_chains(&mut next, &[1000]);
    ///     points.extend(next);
    /// }
    /// points[2][0] ^= 1;
    /// let valid = chain.verify_chains(&points[..3], &points[1..], &[1000; 3]);
    /// assert_eq!(valid, [true, false, false]);
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[cfg(feature = "alloc")]
    pub fn verify_chains(
        &self,
        starts: &A::Digests,
        ends: &A::Digests,
        lengths: &[u64],
    ) -> Vec<bool> {
        let (starts, ends) = (A::bytes(starts), A::bytes(ends));
        assert_eq!(
            starts.len(),
            ends.len(),
            "every start has an end: the slices must have the same length"
        );
        let mut values = starts.to_vec();
        self.continue_values(&mut values, lengths);
        let length = self.engine.digest_len();
        values.chunks(length).zip(ends.chunks(length)).map(|(value, end)| value == end).collect()
    }

    /// Continues hash chains whose links are distinguished by their numbers, as in the signatures
    /// of RFC 8554 (LMS) and FIPS 205 (SLH-DSA). Allocates nothing.
    ///
    /// A link is the digest of the prefix followed by an *input* of `input_len` bytes. The last
    /// `value_len` of them are the value, which the first bytes of the digest replace. The byte
    /// before them is the number of the link, to which 1 is added. `lengths[i]` links are computed
    /// for the chain whose input is number `i` in `inputs`, where the inputs are contiguous.
    ///
    /// ```
    /// use hashlanes::{Prefix, Sha256};
    ///
    /// let key = Prefix::<Sha256>::new("key");
    /// let mut inputs = *b"chain A, link 0: value";
    /// // The value is the last 5 bytes, and the number of the link is the space before them.
    /// key.digest_numbered_chains(&mut inputs, 22, 5, &[1]);
    /// assert_eq!(inputs[..17], *b"chain A, link 0:!");
    /// assert_eq!(inputs[17..], key.digest("chain A, link 0: value")[..5]);
    /// ```
    ///
    /// # Panics
    /// If the numbers of inputs and lengths differ, `value_len` is longer than a digest, or there
    /// is no byte before the value.
    pub fn digest_numbered_chains(
        &self,
        inputs: &mut [u8],
        input_len: usize,
        value_len: usize,
        lengths: &[u64],
    ) {
        assert!(
            value_len < input_len && value_len <= self.engine.digest_len(),
            "a value must be shorter than its input and no longer than a digest"
        );
        self.continue_chains(inputs, input_len, value_len, true, lengths);
    }

    fn continue_chains(
        &self,
        inputs: &mut [u8],
        input_len: usize,
        value_len: usize,
        counted: bool,
        lengths: &[u64],
    ) {
        assert!(
            input_len.checked_mul(lengths.len()) == Some(inputs.len()),
            "every chain has a length: the slices must have the same length"
        );
        if !lengths.is_empty() {
            let (length, forced) = (self.engine.digest_len(), self.engine.forced());
            let mut chains = Chains::new(inputs, input_len, value_len, counted, lengths);
            self.midstate().continue_chains(&mut chains, length, forced);
            wipe::stack::<{ wipe::MANY }>();
        }
    }
}
