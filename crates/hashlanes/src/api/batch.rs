//! Many messages that are all in memory.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use crate::function::choice::{Before, Many};
use crate::function::{Function, HashFunction};
use crate::schedule::{Chunks, Messages, Output, Slices};
use crate::wipe;

impl<A: Function> Engine<A> {
    /// The digest of one message.
    #[inline]
    pub fn digest(&self, message: impl AsRef<[u8]>) -> A::Digest {
        let mut digest = self.function().zero();
        self.digest_one(message.as_ref(), A::digest_bytes(&mut digest));
        digest
    }

    /// The digests of many independent messages, in the same order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let fill = |digests: &mut _| self.digest_many_into(messages, digests);
        self.function().collect(messages.len(), fill)
    }

    /// Writes the digests of many independent messages to `digests`, in the same order. Allocates
    /// nothing. For a type, these are arrays. For an [`Algorithm`](crate::Algorithm), they are
    /// consecutive bytes:
    ///
    /// ```
    /// use hashlanes::{Algorithm, Engine};
    ///
    /// let mut digests = [0; 2 * 16];
    /// Engine::of(Algorithm::Md5).digest_many_into(&["abc", ""], &mut digests);
    /// assert_eq!(digests[16..], *Algorithm::Md5.digest("").as_bytes());
    /// ```
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    #[inline]
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut A::Digests) {
        match messages {
            [message] if self.is_one(digests) => {
                self.digest_one(message.as_ref(), A::bytes_mut(digests));
            }
            _ => self.digest_all(&Slices(messages), digests),
        }
    }

    /// The digests of the consecutive chunks of `data`. See
    /// [`digest_chunks`](crate::digest_chunks).
    ///
    /// # Panics
    /// If `chunk_length` is 0.
    #[cfg(feature = "alloc")]
    pub fn digest_chunks(&self, data: &[u8], chunk_length: usize) -> Vec<A::Digest> {
        let chunks = Chunks::new(data, chunk_length);
        self.function().collect(chunks.len(), |digests| {
            self.digest_all(&chunks, digests);
        })
    }

    /// Writes the digests of the consecutive chunks of `data` to `digests`, as
    /// [`digest_many_into`](Self::digest_many_into) does. Allocates nothing. See
    /// [`digest_chunks`](crate::digest_chunks).
    ///
    /// ```
    /// use hashlanes::{Engine, Md5};
    ///
    /// let mut digests = [[0; 16]; 3];
    /// // The chunks are "ab", "cd" and "e".
    /// Engine::<Md5>::new().digest_chunks_into(b"abcde", 2, &mut digests);
    /// assert_eq!(digests[2], Md5::digest("e"));
    /// ```
    ///
    /// # Panics
    /// If `chunk_length` is 0, or there are not as many digests as chunks.
    #[inline]
    pub fn digest_chunks_into(&self, data: &[u8], chunk_length: usize, digests: &mut A::Digests) {
        let chunks = Chunks::new(data, chunk_length);
        match chunks.len() {
            1 if self.is_one(digests) => self.digest_one(data, A::bytes_mut(digests)),
            _ => self.digest_all(&chunks, digests),
        }
    }

    /// Whether there is memory for one digest.
    #[inline(always)]
    fn is_one(&self, digests: &A::Digests) -> bool {
        A::bytes(digests).len() == self.digest_len()
    }

    /// Writes the digest of one message, by the fastest code for one.
    #[inline(always)]
    fn digest_one(&self, message: &[u8], digest: &mut [u8]) {
        self.function().put_digest(message, self.forced(), digest);
        wipe::stack::<{ wipe::ALONE }>();
    }

    #[inline(always)]
    fn digest_all(&self, messages: &dyn Messages<'_>, digests: &mut A::Digests) {
        self.put_all(digests, |output| self.function().put_digests(self.many(messages), output));
    }

    /// The digest of one message that continues `before`.
    #[inline]
    pub(super) fn digest_after(&self, before: A::Midstate<'_>, message: &[u8]) -> A::Digest {
        let mut digest = self.function().zero();
        before.digest(message, self.forced(), A::digest_bytes(&mut digest));
        wipe::stack::<{ wipe::ALONE }>();
        digest
    }

    /// Writes digests by a function.
    #[inline(always)]
    pub(super) fn put_all(&self, digests: &mut A::Digests, hash: impl FnOnce(&mut Output<'_>)) {
        let output = &mut self.output(digests);
        hash(output);
        if output.count() > 0 {
            wipe::stack::<{ wipe::MANY }>();
        }
    }

    /// Messages, with the options of this engine.
    #[inline(always)]
    pub(super) fn many<'s, 'a>(&self, messages: &'s dyn Messages<'a>) -> Many<'s, 'a> {
        Many { messages, forced: self.forced(), uncached: self.is_uncached() }
    }

    /// The memory of digests.
    #[inline(always)]
    pub(super) fn output<'d>(&self, digests: &'d mut A::Digests) -> Output<'d> {
        let (bytes, length) = (A::bytes_mut(digests), self.digest_len());
        let count = bytes.len() / length;
        assert!(bytes.len() == count * length, "expected {length} bytes for each digest");
        Output::new(bytes, length, count)
    }

    #[inline(always)]
    pub(super) fn digest_len(&self) -> usize {
        self.algorithm().digest_len()
    }
}

impl<A: HashFunction> Engine<A> {
    /// Writes the digest of each pair of digests to `digests`: one level of a binary Merkle tree.
    /// Allocates nothing.
    ///
    /// A pair is hashed as its concatenated bytes. For a tree whose leaves and nodes must be
    /// distinguishable (RFC 6962 section 2.1), use
    /// [`Prefix::digest_pairs`](crate::Prefix::digest_pairs).
    ///
    /// ```
    /// use hashlanes::{Engine, Sha256};
    ///
    /// let leaves = ["a", "b", "c", "d"].map(Sha256::digest);
    /// let engine = Engine::<Sha256>::new();
    /// let mut nodes = [[0; 32]; 2];
    /// engine.digest_pairs(leaves.as_chunks().0, &mut nodes);
    /// let mut root = [[0; 32]];
    /// engine.digest_pairs(&[nodes], &mut root);
    /// assert_eq!(nodes[1], Sha256::digest([leaves[2], leaves[3]].concat()));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[inline]
    pub fn digest_pairs(&self, pairs: &[[A::Digest; 2]], digests: &mut [A::Digest]) {
        self.digest_chunks_into(A::bytes(pairs.as_flattened()), 2 * self.digest_len(), digests);
    }
}
