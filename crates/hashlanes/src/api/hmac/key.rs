//! A prepared key for HMAC.

use crate::api::engine::Engine;
use crate::api::equal::equal;
use crate::function::choice::Before;
use crate::function::{Algorithm, Function, HashFunction};
use crate::wipe;

/// A key for HMAC (RFC 2104, FIPS 198-1), prepared for any number of messages.
///
/// The key's two blocks are compressed once, when it is made. Only the states after them are kept.
/// They are as secret as the key: with the feature `zeroize`, they are wiped when they are dropped.
///
/// A key of a type takes 100 to 500 bytes, or 4 KiB for BLAKE3, and one of an [`Algorithm`] always
/// 4 KiB. Who derives many keys by name gains by
/// [`with_function!`](crate::with_function).
///
/// ```
/// use hashlanes::{AnyDigest, HmacKey, Sha256};
///
/// // RFC 4231 section 4.3.
/// let key = HmacKey::<Sha256>::new("Jefe");
/// let mac = key.mac("what do ya want for nothing?");
/// assert!(AnyDigest::from(mac).to_string().starts_with("5bdcc146bf60754e6a042426089575c7"));
///
/// assert!(key.verify("what do ya want for nothing?", mac));
/// assert!(!key.verify("what do ya want for something?", mac));
///
/// let macs = key.mac_many(&["one", "two", "three"]);
/// assert_eq!(macs[1], key.mac("two"));
/// ```
#[derive(Clone)]
pub struct HmacKey<A: Function = Algorithm> {
    /// The state after the block that precedes a message.
    pub(crate) inner: A::KeyState,
    /// The state after the block that precedes the inner digest.
    pub(crate) outer: A::KeyState,
    pub(in crate::api) engine: Engine<A>,
}

impl<A: HashFunction> HmacKey<A> {
    /// A key of any length, including zero, for a function that is a type: [`HmacKey::of`] it.
    pub fn new(key: impl AsRef<[u8]>) -> Self {
        Self::of(A::default(), key)
    }
}

impl<A: Function> HmacKey<A> {
    /// A key of any length, including zero.
    ///
    /// A key that is longer than a block ([`Algorithm::block_len`]) is replaced by its digest (RFC
    /// 2104 section 2). RFC 2104 section 3 recommends at least the length of a digest.
    ///
    /// ```
    /// use hashlanes::{Algorithm, HmacKey, Sha256};
    ///
    /// let key = HmacKey::of(Algorithm::from_name("sha256")?, "secret");
    /// assert_eq!(key.mac("message"), HmacKey::<Sha256>::new("secret").mac("message"));
    /// # Ok::<(), hashlanes::UnknownAlgorithm>(())
    /// ```
    pub fn of(function: A, key: impl AsRef<[u8]>) -> Self {
        Self::with_engine(Engine::of(function), key)
    }

    /// A key whose messages are hashed in the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, key: impl AsRef<[u8]>) -> Self {
        let key = key.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| {
            let [inner, outer] = engine.function().key_states(key, engine.forced());
            Self { inner, outer, engine }
        })
    }

    /// The function as a value.
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    /// The MAC of a message.
    pub fn mac(&self, message: impl AsRef<[u8]>) -> A::Digest {
        self.mac_in(&self.engine, message.as_ref())
    }

    /// The MAC of a message, in this engine's kernel if that was chosen by name.
    pub(super) fn mac_in(&self, engine: &Engine<A>, message: &[u8]) -> A::Digest {
        let (mut inner, forced) = (engine.function().zero(), engine.forced());
        self.before().digest(message, forced, A::digest_bytes(&mut inner));
        engine.digest_after(self.before_inner(), inner.as_ref())
    }

    /// Whether `mac` is the MAC of the message. The time does not depend on where the two differ.
    /// Truncated MACs are not accepted.
    #[must_use]
    pub fn verify(&self, message: impl AsRef<[u8]>, mac: impl AsRef<[u8]>) -> bool {
        let (message, mac) = (message.as_ref(), mac.as_ref());
        wipe::call::<{ wipe::ALONE }, _>(|| equal(self.mac(message).as_ref(), mac))
    }

    /// What precedes a message.
    #[inline(always)]
    pub(super) fn before(&self) -> A::Midstate<'_> {
        A::after_key(&self.inner)
    }

    /// What precedes the inner digest.
    #[inline(always)]
    pub(super) fn before_inner(&self) -> A::Midstate<'_> {
        A::after_key(&self.outer)
    }

    /// The start of a message in pieces.
    pub(crate) fn stream(&self) -> A::Stream {
        A::stream_after_key(&self.inner)
    }

    /// The MAC of a message whose inner digest is known.
    pub(crate) fn finish(&self, inner: &[u8]) -> A::Digest {
        self.engine.digest_after(self.before_inner(), inner)
    }
}

impl HmacKey {
    /// The key with its function as a type, if `A` is that function.
    ///
    /// ```
    /// use hashlanes::{Algorithm, HmacKey, Md5, Sha256};
    ///
    /// let key = HmacKey::of(Algorithm::Sha256, "secret");
    /// let typed = key.typed::<Sha256>().expect("a key for SHA-256");
    /// assert_eq!(key.mac("a"), typed.mac("a"));
    /// assert!(key.typed::<Md5>().is_none());
    /// ```
    pub fn typed<A: HashFunction>(&self) -> Option<HmacKey<A>> {
        (A::ALGORITHM == self.algorithm()).then(|| {
            wipe::call::<{ wipe::ALONE }, _>(|| HmacKey {
                inner: self.inner.of().clone(),
                outer: self.outer.of().clone(),
                engine: self.engine.typed(),
            })
        })
    }
}

impl<A: Function> core::fmt::Debug for HmacKey<A> {
    /// Shows the algorithm, and nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HmacKey").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<A: Function> zeroize::ZeroizeOnDrop for HmacKey<A> {}
