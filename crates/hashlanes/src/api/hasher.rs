//! One message in pieces.

use super::engine::Engine;
use super::equal::equal;
use super::hmac::key::HmacKey;
#[cfg(feature = "std")]
use super::reader::for_each_piece;
use crate::function::choice::InPieces;
use crate::function::{Algorithm, Function, HashFunction, with_functions};
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
/// With `K = HmacKey<A>`, the hasher computes a MAC under this key: [`HmacKey::hasher`] makes one.
///
/// ```
/// use hashlanes::{HmacKey, Sha1};
///
/// let key = HmacKey::<Sha1>::new("secret");
/// let mut hasher = key.hasher();
/// hasher.update("mess").update("age");
/// assert_eq!(hasher.finalize(), key.mac("message"));
/// ```
///
/// With the feature `digest`, it implements the traits of RustCrypto's crate `digest`, and with a
/// key those that make up a `Mac`. Its own methods have the same names and meanings, so it does not
/// matter whether the traits are imported.
#[derive(Clone)]
pub struct Hasher<A: Function = Algorithm, K = ()> {
    stream: A::Stream,
    engine: Engine<A>,
    key: K,
}

/// What a hasher's message is hashed under: a key for HMAC, or nothing (`()`). With an [`Option`],
/// it is known at run time.
///
/// The trait is sealed.
pub trait Under<A: Function>: Clone + sealed::Sealed {
    #[doc(hidden)]
    fn key(&self) -> Option<&HmacKey<A>>;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for () {}

impl<A: Function> Under<A> for () {
    #[inline(always)]
    fn key(&self) -> Option<&HmacKey<A>> {
        None
    }
}

impl<A: Function> sealed::Sealed for HmacKey<A> {}

impl<A: Function> Under<A> for HmacKey<A> {
    #[inline(always)]
    fn key(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<K: sealed::Sealed> sealed::Sealed for Option<K> {}

impl<A: Function, K: Under<A>> Under<A> for Option<K> {
    fn key(&self) -> Option<&HmacKey<A>> {
        self.as_ref().and_then(K::key)
    }
}

#[cfg(feature = "alloc")]
impl<K: sealed::Sealed> sealed::Sealed for alloc::boxed::Box<K> {}

#[cfg(feature = "alloc")]
impl<A: Function, K: Under<A>> Under<A> for alloc::boxed::Box<K> {
    fn key(&self) -> Option<&HmacKey<A>> {
        (**self).key()
    }
}

impl<A: HashFunction> Hasher<A> {
    /// A hasher of an empty message, for a function that is a type: [`Hasher::of`] it.
    pub fn new() -> Self {
        Self::of(A::default())
    }
}

impl<A: Function> Hasher<A> {
    /// A hasher of an empty message.
    ///
    /// The environment variable `HASHLANES_KERNEL` has the effect that [`Engine::of`] describes.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Hasher};
    ///
    /// let algorithm = Algorithm::from_name("sha512/256")?;
    /// let mut hasher = Hasher::of(algorithm);
    /// hasher.update("a").update("bc");
    /// assert_eq!(hasher.finalize(), algorithm.digest("abc"));
    /// # Ok::<(), hashlanes::UnknownAlgorithm>(())
    /// ```
    pub fn of(function: A) -> Self {
        Self::with_engine(Engine::of(function))
    }

    /// A hasher of an empty message that uses the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>) -> Self {
        Self::resume(engine.function().stream(), engine)
    }

    /// A hasher that continues the message of `stream`.
    pub(crate) fn resume(stream: A::Stream, engine: Engine<A>) -> Self {
        Self { stream, engine, key: () }
    }
}

impl<A: Function, K: Under<A>> Hasher<A, K> {
    pub(crate) fn stream(&self) -> &A::Stream {
        &self.stream
    }

    pub(crate) fn stream_mut(&mut self) -> &mut A::Stream {
        &mut self.stream
    }

    /// A hasher of an empty message under a key.
    pub(crate) fn under(key: K, engine: Engine<A>) -> Self {
        Self { stream: beginning(&key, engine), engine, key }
    }

    /// The function as a value.
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
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

    /// The digest of the message, or its MAC. For that of the message so far, finalize a clone.
    pub fn finalize(self) -> A::Digest {
        // By reference: a move would leave a copy.
        self.digest_so_far()
    }

    /// The digest of the message, or its MAC. The hasher begins a new, empty message, under the
    /// same key.
    pub fn finalize_reset(&mut self) -> A::Digest {
        let digest = self.digest_so_far();
        self.reset();
        digest
    }

    /// Abandons the message and begins a new, empty one, under the same key.
    pub fn reset(&mut self) {
        wipe::call::<{ wipe::ALONE }, _>(|| self.stream = beginning(&self.key, self.engine));
    }

    /// The length of the message so far in bytes.
    pub fn len(&self) -> u128 {
        self.stream.length().saturating_sub(block_of(&self.key))
    }

    /// Whether the message is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn digest_so_far(&self) -> A::Digest {
        let mut digest = self.engine.function().zero();
        self.stream.write_digest(self.engine.forced(), A::digest_bytes(&mut digest));
        wipe::stack::<{ wipe::ALONE }>();
        finish(&self.key, &mut digest);
        digest
    }
}

impl<A: Function> HmacKey<A> {
    /// A hasher of one message, in pieces, for its MAC.
    pub fn hasher(&self) -> Hasher<A, Self> {
        wipe::call::<{ wipe::ALONE }, _>(|| Hasher::under(self.clone(), self.engine))
    }
}

impl<A: Function> Hasher<A, HmacKey<A>> {
    /// Whether `mac` is the MAC of the message; see [`HmacKey::verify`].
    #[must_use]
    pub fn verify(self, mac: impl AsRef<[u8]>) -> bool {
        let mac = mac.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| equal(self.digest_so_far().as_ref(), mac))
    }
}

/// An empty message under a key.
fn beginning<A: Function>(key: &impl Under<A>, engine: Engine<A>) -> A::Stream {
    match key.key() {
        None => engine.function().stream(),
        Some(key) => key.stream(),
    }
}

/// Replaces the digest of a message under a key by its MAC.
#[inline]
pub(crate) fn finish<A: Function>(key: &impl Under<A>, digest: &mut A::Digest) {
    if let Some(key) = key.key() {
        *digest = key.finish(digest.as_ref());
    }
}

/// Bytes of the block of a key, which are no part of the message.
fn block_of<A: Function>(key: &impl Under<A>) -> u128 {
    key.key().map_or(0, |key| key.algorithm().block_len() as u128)
}

impl<A: HashFunction> Default for Hasher<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the length of the message so far, but not its state, and nothing of the key.
impl<A: Function, K: Under<A>> core::fmt::Debug for Hasher<A, K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hasher")
            .field("algorithm", &self.algorithm())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: Function, K: Under<A>> std::io::Write for Hasher<A, K> {
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
impl<A: Function, K: Under<A>> zeroize::ZeroizeOnDrop for Hasher<A, K> {}

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
