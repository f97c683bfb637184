//! One message that comes in pieces, hashed alone.

use super::engine::Engine;
use crate::function::{HashFunction, digest_of, sealed::Function};
use crate::schedule::Stream;

/// An ordinary streaming hasher for one message, running in the best single-message kernel.
///
/// A clone goes on independently from the same point. To continue many hashers side by side in
/// lanes, see [`Engine::update_many`].
///
/// ```
/// use hashlanes::{Hasher, Sha1};
///
/// let mut hasher = Hasher::<Sha1>::new();
/// hasher.update(b"ab").update(b"c");
/// assert_eq!(hasher.finalize()[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
#[derive(Clone)]
pub struct Hasher<A: HashFunction> {
    stream: Stream<<A as Function>::Family>,
    engine: Engine<A>,
}

impl<A: HashFunction> core::fmt::Debug for Hasher<A> {
    /// Shows how long the message is so far, not its state.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hasher")
            .field("algorithm", &A::ALGORITHM)
            .field("bytes", &self.stream.length())
            .finish()
    }
}

impl<A: HashFunction> Default for Hasher<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: HashFunction> Hasher<A> {
    /// A hasher of an empty message.
    pub fn new() -> Self {
        Self::with_engine(Engine::new())
    }

    /// A hasher of an empty message that runs in the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>) -> Self {
        Self { stream: Stream::new(A::INITIAL), engine }
    }

    /// Appends bytes to the message.
    ///
    /// A message may be as long as its function counts: MD5 counts modulo 2^64 bits (RFC 1321),
    /// SHA-1 and SHA-256 up to 2^64 - 1 bits, SHA-512 up to 2^128 - 1. Past that a SHA digest
    /// is undefined (FIPS 180-4 section 1), and the count here goes on modulo 2^64 or 2^128.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.update(bytes.as_ref(), self.engine.forced());
        self
    }

    /// The digest of the message. For the digest of the message so far, finalize a clone.
    pub fn finalize(self) -> A::Digest {
        self.digest()
    }

    /// The digest of the message. The hasher begins a new, empty message.
    pub fn finalize_reset(&mut self) -> A::Digest {
        let digest = self.digest();
        self.reset();
        digest
    }

    /// Bytes of the message so far.
    pub fn len(&self) -> u128 {
        self.stream.length()
    }

    /// Whether no byte has come yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Abandons the message and begins a new, empty one.
    pub fn reset(&mut self) {
        self.stream = Stream::new(A::INITIAL);
    }

    /// A hasher of a message of which `stream` has come.
    pub(crate) fn resume(stream: Stream<A::Family>, engine: Engine<A>) -> Self {
        Self { stream, engine }
    }

    fn digest(&self) -> A::Digest {
        let mut digest = A::ZERO;
        digest_of::<A>(&self.stream.finish(self.engine.forced()), &mut digest);
        digest
    }

    pub(crate) fn stream(&self) -> &Stream<A::Family> {
        &self.stream
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream<A::Family> {
        &mut self.stream
    }
}

#[cfg(feature = "std")]
impl<A: HashFunction> std::io::Write for Hasher<A> {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
