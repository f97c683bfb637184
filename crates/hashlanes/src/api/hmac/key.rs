//! A prepared key for HMAC.

use crate::api::engine::Engine;
use crate::api::equal::equal;
use crate::api::hasher::Hasher;
use crate::family::{Rules, State};
use crate::function::{HashFunction, sealed::Function};
use crate::schedule::{Midstate, Scheduled, Stream};
use crate::wipe::{self, Wipe, Wiped};

/// A key for HMAC (RFC 2104, FIPS 198-1), prepared for any number of messages.
///
/// The key's two blocks are compressed once, when it is made. Only the states after them are kept.
/// They are as secret as the key: with the feature `zeroize`, they are wiped when they are dropped.
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
pub struct HmacKey<A: HashFunction> {
    /// The state after the block that precedes a message.
    inner: Wiped<State<<A as Function>::Rules>>,
    /// The state after the block that precedes the inner digest.
    outer: Wiped<State<<A as Function>::Rules>>,
    pub(super) engine: Engine<A>,
}

impl<A: HashFunction> HmacKey<A> {
    /// A key of any length, including zero.
    ///
    /// A key that is longer than a block ([`Algorithm::block_len`](crate::Algorithm::block_len)) is
    /// replaced by its digest (RFC 2104 section 2). RFC 2104 section 3 recommends at least the
    /// length of a digest.
    pub fn new(key: impl AsRef<[u8]>) -> Self {
        Self::with_engine(Engine::new(), key)
    }

    /// A key whose messages are hashed in the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, key: impl AsRef<[u8]>) -> Self {
        let key = key.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| Self::of_bytes(engine, key))
    }

    fn of_bytes(engine: Engine<A>, key: &[u8]) -> Self {
        let mut block = Wiped(<A::Rules as Rules>::Block::ZERO);
        let block = &mut block.as_mut()[..A::RULES.block()];
        match block.get_mut(..key.len()) {
            Some(start) => start.copy_from_slice(key),
            None => {
                let digest = engine.digest(key);
                block[..size_of::<A::Digest>()].copy_from_slice(digest.as_ref());
            }
        }
        let mut after = |pad: u8| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            let mut state = Wiped(A::INITIAL);
            A::RULES.remember(&mut state, block);
            A::RULES.compress_alone(&mut state, block, engine.forced());
            state
        };
        let inner = after(INNER);
        // This xor removes the inner pad and adds the outer one.
        let outer = after(INNER ^ OUTER);
        Self { inner, outer, engine }
    }

    /// The MAC of a message.
    pub fn mac(&self, message: impl AsRef<[u8]>) -> A::Digest {
        self.mac_in(&self.engine, message.as_ref())
    }

    /// The MAC of a message, in this engine's kernel if that was chosen by name.
    pub(super) fn mac_in(&self, engine: &Engine<A>, message: &[u8]) -> A::Digest {
        let inner = engine.digest_after(self.inner(), message);
        let mac = engine.digest_after(self.outer(), inner.as_ref());
        wipe::stack::<{ wipe::ALONE }>();
        mac
    }

    /// Whether `mac` is the MAC of the message. The time does not depend on where the two differ.
    /// Truncated MACs are not accepted.
    #[must_use]
    pub fn verify(&self, message: impl AsRef<[u8]>, mac: impl AsRef<[u8]>) -> bool {
        let (message, mac) = (message.as_ref(), mac.as_ref());
        wipe::call::<{ wipe::ALONE }, _>(|| equal(self.mac(message).as_ref(), mac))
    }

    /// The state that a message continues.
    pub(crate) fn inner(&self) -> Midstate<'_, A::Rules> {
        after_block(A::RULES, &self.inner)
    }

    /// The state that the inner digest continues.
    pub(crate) fn outer(&self) -> Midstate<'_, A::Rules> {
        after_block(A::RULES, &self.outer)
    }

    /// The start of a message in pieces.
    pub(crate) fn stream(&self) -> Stream<A::Rules> {
        let Midstate { state, length, .. } = self.inner();
        Stream::resume(A::RULES, *state, length)
    }

    /// A hasher of the inner hash.
    pub(super) fn inner_hasher(&self) -> Hasher<A> {
        Hasher::resume(self.stream(), self.engine)
    }

    /// The MAC of a message whose inner digest is known.
    pub(crate) fn finish(&self, inner: &[u8]) -> A::Digest {
        let mac = self.engine.digest_after(self.outer(), inner);
        wipe::stack::<{ wipe::ALONE }>();
        mac
    }
}

/// The midstate after one block of a key, which led to `state`.
pub(crate) fn after_block<R: Rules>(rules: R, state: &State<R>) -> Midstate<'_, R> {
    Midstate { rules, state, carry: &[], length: rules.block() as u128 }
}

/// The byte with which a key is mixed before a message (RFC 2104 section 2: ipad).
const INNER: u8 = 0x36;

/// The byte with which a key is mixed before the inner digest (RFC 2104 section 2: opad).
const OUTER: u8 = 0x5c;

impl<A: HashFunction> core::fmt::Debug for HmacKey<A> {
    /// Shows the algorithm, and nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HmacKey").field("algorithm", &A::ALGORITHM).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<A: HashFunction> zeroize::ZeroizeOnDrop for HmacKey<A> {}
