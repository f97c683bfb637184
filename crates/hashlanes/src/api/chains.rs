//! Hash chains: the digest of a digest, many times, of many chains side by side.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::prefix::Prefix;
use crate::function::HashFunction;
use crate::input::Chains;
use crate::schedule::{Scheduled, Stream};
use crate::wipe;

impl<A: HashFunction> Prefix<A> {
    /// Continues hash chains side by side: replaces `values[i]` by the digest of the prefix
    /// followed by `values[i]`, `lengths[i]` times. Allocates nothing.
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
    pub fn digest_chains(&self, values: &mut [A::Digest], lengths: &[u64]) {
        let length = size_of::<A::Digest>();
        self.continue_chains(&mut Chains {
            inputs: A::bytes_of_mut(values),
            input_len: length,
            value_len: length,
            counted: false,
            lengths,
        });
    }

    /// Whether segments of hash chains are correct. See [`verify_chains`](crate::verify_chains).
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[cfg(feature = "alloc")]
    pub fn verify_chains(
        &self,
        starts: &[A::Digest],
        ends: &[A::Digest],
        lengths: &[u64],
    ) -> Vec<bool> {
        assert_eq!(
            starts.len(),
            ends.len(),
            "every start has an end: the slices must have the same length"
        );
        let mut values = starts.to_vec();
        self.digest_chains(&mut values, lengths);
        values.iter().zip(ends).map(|(value, end)| value == end).collect()
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
            value_len < input_len && value_len <= size_of::<A::Digest>(),
            "a value must be shorter than its input and no longer than a digest"
        );
        self.continue_chains(&mut Chains { inputs, input_len, value_len, counted: true, lengths });
    }

    fn continue_chains(&self, chains: &mut Chains<'_>) {
        continue_chains(&self.stream, chains, size_of::<A::Digest>(), self.engine.forced());
    }
}

fn continue_chains<R: Scheduled>(
    stream: &Stream<R>,
    chains: &mut Chains<'_>,
    digest_len: usize,
    forced: Option<usize>,
) {
    assert!(
        chains.input_len.checked_mul(chains.lengths.len()) == Some(chains.inputs.len()),
        "every chain has a length: the slices must have the same length"
    );
    if !chains.lengths.is_empty() {
        stream.rules().continue_chains(&stream.midstate(), chains, digest_len, forced);
        wipe::stack::<{ wipe::MANY }>();
    }
}
