//! One message in pieces.

use super::engine::Engine;
#[cfg(feature = "std")]
use super::reader::for_each_piece;
use crate::function::{HashFunction, sealed::Function, with_functions};
use crate::schedule::Stream;
use crate::wipe;

/// A streaming hasher of one message, which uses the fastest code for a single message.
///
/// [`Sha256::hasher`](crate::Sha256::hasher) and its siblings make one. A clone continues
/// independently from the same point; finalize a clone for the digest of the message so far. To
/// continue many hashers side by side in lanes, see [`Engine::update_many`].
///
/// ```
/// use hashlanes::Sha1;
///
/// let mut hasher = Sha1::hasher();
/// hasher.update("ab");
/// let before = hasher.clone();
/// hasher.update("c").update("d");
/// assert_eq!(hasher.finalize(), Sha1::digest("abcd"));
/// assert_eq!(before.finalize(), Sha1::digest("ab"));
/// ```
///
/// With the feature `digest`, it implements the traits of RustCrypto's crate `digest`. Its own
/// methods have the same names and meanings, so it does not matter whether the traits are imported.
#[derive(Clone)]
pub struct Hasher<A: HashFunction> {
    stream: Stream<<A as Function>::Rules>,
    engine: Engine<A>,
}

impl<A: HashFunction> Hasher<A> {
    /// A hasher of an empty message.
    ///
    /// The environment variable `HASHLANES_KERNEL` has the effect that [`Engine::new`] describes.
    pub fn new() -> Self {
        Self::with_engine(Engine::new())
    }

    /// A hasher of an empty message that uses the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>) -> Self {
        Self { stream: Stream::new(A::RULES, A::INITIAL), engine }
    }

    /// Appends bytes to the message.
    ///
    /// The longest message has 2^64 - 1 bits with SHA-1, SHA-224 and SHA-256, and 2^128 - 1 bits
    /// with the other functions of SHA-2. The digest of a longer one is undefined (FIPS 180-4
    /// section 1); this implementation counts modulo 2^64 or 2^128. MD5 counts modulo 2^64 bits
    /// (RFC 1321).
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.update(bytes.as_ref(), self.engine.forced());
        wipe::stack::<{ wipe::ALONE }>();
        self
    }

    /// Appends all bytes of a reader until its end. It reads 64 KiB at a time, so a `BufReader`
    /// gains nothing.
    ///
    /// ```
    /// use hashlanes::{AnyDigest, Sha256};
    ///
    /// let mut hasher = Sha256::hasher();
    /// hasher.update_reader(std::fs::File::open("Cargo.toml")?)?;
    /// println!("{}", AnyDigest::from(hasher.finalize()));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the reader, except that interrupted reads
    /// ([`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted)) are retried. The bytes before
    /// the error have been appended.
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// The digest of the message. For the digest of the message so far, finalize a clone.
    pub fn finalize(self) -> A::Digest {
        self.digest_so_far()
    }

    /// The digest of the message. The hasher begins a new, empty message.
    pub fn finalize_reset(&mut self) -> A::Digest {
        let digest = self.digest_so_far();
        self.reset();
        digest
    }

    /// Abandons the message and begins a new, empty one.
    pub fn reset(&mut self) {
        self.stream = Stream::new(A::RULES, A::INITIAL);
    }

    /// The length of the message so far in bytes.
    pub fn len(&self) -> u128 {
        self.stream.length()
    }

    /// Whether the message is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A hasher that continues the message of `stream`.
    pub(crate) fn resume(stream: Stream<A::Rules>, engine: Engine<A>) -> Self {
        Self { stream, engine }
    }

    pub(super) fn digest_so_far(&self) -> A::Digest {
        let mut digest = A::ZERO;
        self.stream.write_digest(self.engine.forced(), digest.as_mut());
        wipe::stack::<{ wipe::ALONE }>();
        digest
    }

    pub(crate) fn stream(&self) -> &Stream<A::Rules> {
        &self.stream
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream<A::Rules> {
        &mut self.stream
    }
}

impl<A: HashFunction> Default for Hasher<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the length of the message so far, but not its state.
impl<A: HashFunction> core::fmt::Debug for Hasher<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hasher")
            .field("algorithm", &A::ALGORITHM)
            .field("bytes", &self.len())
            .finish_non_exhaustive()
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

#[cfg(feature = "zeroize")]
impl<A: HashFunction> zeroize::ZeroizeOnDrop for Hasher<A> {}

/// Adds the method `hasher` to a function. It is here because `function/` does not depend on
/// hashers.
macro_rules! hashers {
    ([$($function:ident)*]) => {
        $(impl crate::$function {
            /// A hasher of one message, in pieces. See [`Hasher`].
            ///
            /// ```
            #[doc = concat!("use hashlanes::", stringify!($function), ";")]
            ///
            #[doc = concat!("let mut hasher = ", stringify!($function), "::hasher();")]
            /// hasher.update("a").update("bc");
            #[doc = concat!(
                "assert_eq!(hasher.finalize(), ", stringify!($function), "::digest(\"abc\"));"
            )]
            /// ```
            pub fn hasher() -> Hasher<Self> {
                Hasher::new()
            }
        })*
    };
}

with_functions!(hashers! {});
