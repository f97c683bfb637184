//! Messages with a common prefix.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use super::hasher::Hasher;
use crate::function::choice::{Before, InPieces};
use crate::function::{Algorithm, Function, HashFunction};
use crate::schedule::{Chunks, Messages, Slices};
use crate::wipe;

/// A prefix that many messages share: a tag, a domain separator, the block that HMAC derives from a
/// key.
///
/// Its whole blocks are compressed once, when the prefix is made, and each message continues from
/// there. The digest is that of the prefix followed by the message. Long messages are read in
/// place. A short one is copied behind the prefix's bytes after its last whole block.
///
/// Prefixes whose length is a multiple of the block length
/// ([`Algorithm::block_len`](crate::Algorithm::block_len)) are fastest, because bytes after the
/// last whole block are compressed with each message.
///
/// ```
/// use hashlanes::{Prefix, Sha256};
///
/// // Leaves of a Merkle tree as RFC 6962 section 2.1 hashes them: the byte 0 comes before each.
/// let leaf = Prefix::<Sha256>::new([0]);
/// let mut digests = [[0; 32]; 2];
/// leaf.digest_many_into(&["first", "second"], &mut digests);
/// assert_eq!(digests[0], Sha256::digest("\0first"));
///
/// let mut hasher = leaf.hasher();
/// hasher.update("sec").update("ond");
/// assert_eq!(hasher.finalize(), digests[1]);
/// ```
#[derive(Clone)]
pub struct Prefix<A: Function = Algorithm> {
    stream: A::Stream,
    pub(super) engine: Engine<A>,
}

impl<A: HashFunction> Prefix<A> {
    /// A prefix of any length, including zero, for a function that is a type: [`Prefix::of`] it.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self::of(A::default(), bytes)
    }
}

impl<A: Function> Prefix<A> {
    /// A prefix of any length, including zero.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Prefix};
    ///
    /// let leaf = Prefix::of(Algorithm::Sha256, [0]);
    /// assert_eq!(leaf.digest("first"), Algorithm::Sha256.digest("\0first"));
    /// ```
    pub fn of(function: A, bytes: impl AsRef<[u8]>) -> Self {
        Self::with_engine(Engine::of(function), bytes)
    }

    /// A prefix whose messages are hashed in the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| {
            let mut stream = engine.function().stream();
            stream.update(bytes, engine.forced());
            Self { stream, engine }
        })
    }

    /// The function as a value.
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    /// The length of the prefix in bytes.
    pub fn len(&self) -> u128 {
        self.stream.length()
    }

    /// Whether the prefix is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The digest of the prefix followed by a message.
    pub fn digest(&self, message: impl AsRef<[u8]>) -> A::Digest {
        self.engine.digest_after(self.midstate(), message.as_ref())
    }

    /// The digests of the prefix followed by each of many independent messages, in the same order.
    /// There may be any number of messages, of any lengths.
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let fill = |digests: &mut _| self.digest_many_into(messages, digests);
        self.engine.function().collect(messages.len(), fill)
    }

    /// Writes the digests of the prefix followed by each of many independent messages to `digests`,
    /// as [`Engine::digest_many_into`] does. Allocates nothing.
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut A::Digests) {
        self.digest_all(&Slices(messages), digests);
    }

    /// The digests of the prefix followed by each of the consecutive chunks of `data`. See
    /// [`digest_chunks`](crate::digest_chunks).
    ///
    /// # Panics
    /// If `chunk_length` is 0.
    #[cfg(feature = "alloc")]
    pub fn digest_chunks(&self, data: &[u8], chunk_length: usize) -> Vec<A::Digest> {
        let count = Chunks::new(data, chunk_length).len();
        let fill = |digests: &mut _| self.digest_chunks_into(data, chunk_length, digests);
        self.engine.function().collect(count, fill)
    }

    /// Writes the digests of the prefix followed by each of the consecutive chunks of `data` to
    /// `digests`, as [`Engine::digest_chunks_into`] does. Allocates nothing.
    ///
    /// # Panics
    /// If `chunk_length` is 0, or there are not as many digests as chunks.
    pub fn digest_chunks_into(&self, data: &[u8], chunk_length: usize, digests: &mut A::Digests) {
        self.digest_all(&Chunks::new(data, chunk_length), digests);
    }

    /// A hasher of a message that begins with the prefix. After a reset, its messages begin without
    /// the prefix.
    pub fn hasher(&self) -> Hasher<A> {
        wipe::call::<{ wipe::ALONE }, _>(|| Hasher::resume(self.stream.clone(), self.engine))
    }

    fn digest_all(&self, messages: &dyn Messages<'_>, digests: &mut A::Digests) {
        let many = self.engine.many(messages);
        self.engine.put_all(digests, |output| self.midstate().hash_many(many, output));
    }

    pub(super) fn midstate(&self) -> A::Midstate<'_> {
        A::midstate(&self.stream)
    }
}

impl<A: HashFunction> Prefix<A> {
    /// A prefix whose bytes are in `stream`.
    pub(super) fn of_stream(stream: A::Stream) -> Self {
        Self { stream, engine: Engine::new() }
    }

    /// Writes the digests of the prefix followed by each pair of digests to `digests`, such as the
    /// nodes of a Merkle tree that are distinguished from its leaves. Allocates nothing. See
    /// [`Engine::digest_pairs`].
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn digest_pairs(&self, pairs: &[[A::Digest; 2]], digests: &mut [A::Digest]) {
        let length = 2 * size_of::<A::Digest>();
        self.digest_chunks_into(A::bytes(pairs.as_flattened()), length, digests);
    }
}

impl<A: Function> core::fmt::Debug for Prefix<A> {
    /// Shows the length of the prefix, but not its state, which may be secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Prefix")
            .field("algorithm", &self.algorithm())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}
