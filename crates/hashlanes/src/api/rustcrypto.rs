//! The traits of RustCrypto's crate `digest` for hashers, so that they can be used as a `Digest`.
//!
//! ```
//! use digest::Digest;
//!
//! fn etag<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
//!     let mut hasher = D::new();
//!     parts.iter().for_each(|part| hasher.update(part));
//!     hasher.finalize().to_vec()
//! }
//!
//! type Md5 = hashlanes::Hasher<hashlanes::Md5>;
//! assert_eq!(etag::<Md5>(&[b"a", b"bc"]), hashlanes::Md5::digest("abc"));
//! ```
//!
//! Hashers of an algorithm chosen at run time implement the traits that do not depend on a length.
//! A hasher of a message under a key can be used as a `Mac`:
//!
//! ```
//! use digest::{KeyInit, Mac};
//! use hashlanes::HmacKey;
//!
//! fn tag<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
//!     let mac = <M as KeyInit>::new_from_slice(key).expect("a key of any length");
//!     mac.chain_update(message).finalize().into_bytes().to_vec()
//! }
//!
//! type HmacSha256 = hashlanes::Hasher<hashlanes::Sha256, HmacKey<hashlanes::Sha256>>;
//! let key = HmacKey::<hashlanes::Sha256>::new("secret");
//! assert_eq!(tag::<HmacSha256>(b"secret", b"message"), key.mac("message"));
//! ```
//!
//! Functions with output of any length are an `ExtendableOutput`. They have no `Reset`: what a
//! message begins with, such as a customization, is not kept.

#[cfg(feature = "alloc")]
use digest::array::sizes::U2048;
#[cfg(feature = "alloc")]
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::common::{BlockSizeUser, InvalidLength, Key, KeyInit, KeySizeUser};
use digest::{
    FixedOutput, FixedOutputReset, HashMarker, MacMarker, Output, OutputSizeUser, Reset, Update,
};

#[cfg(feature = "digest-multi")]
use super::engine::Engine;
use super::hasher::{Hasher, Under};
use super::hmac::key::HmacKey;
#[cfg(feature = "alloc")]
use super::saved::MAX_SAVED;
#[cfg(any(feature = "sha3", feature = "blake3"))]
use super::xof::{Xof, XofReader};
#[cfg(any(feature = "sha3", feature = "blake3"))]
use crate::function::XofFunction;
use crate::function::{Function, HashFunction, sealed::Typed};
#[cfg(feature = "std")]
use crate::server::ServerHasher;
#[cfg(feature = "alloc")]
use crate::wipe;

macro_rules! digest_traits {
    ($hasher:ident) => {
        impl<A: HashFunction> HashMarker for $hasher<A> {}

        impl<A: HashFunction> MacMarker for $hasher<A, HmacKey<A>> {}

        impl<A: HashFunction, K: Under<A>> OutputSizeUser for $hasher<A, K> {
            type OutputSize = <A as Typed>::OutputSize;
        }

        impl<A: HashFunction, K: Under<A>> BlockSizeUser for $hasher<A, K> {
            type BlockSize = <A as Typed>::BlockSize;
        }

        impl<A: Function, K: Under<A>> Update for $hasher<A, K> {
            fn update(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }
        }

        impl<A: Function, K: Under<A>> Reset for $hasher<A, K> {
            fn reset(&mut self) {
                self.reset();
            }
        }

        impl<A: HashFunction, K: Under<A>> FixedOutput for $hasher<A, K> {
            fn finalize_into(self, out: &mut Output<Self>) {
                out.copy_from_slice(self.finalize().as_ref());
            }
        }

        impl<A: HashFunction, K: Under<A>> FixedOutputReset for $hasher<A, K> {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                out.copy_from_slice(self.finalize_reset().as_ref());
            }
        }
    };
}

digest_traits!(Hasher);
#[cfg(feature = "std")]
digest_traits!(ServerHasher);

/// What [`Hasher::save_with_key`] returns, zeros, and its length in the last two bytes.
#[cfg(feature = "alloc")]
impl<A: HashFunction> SerializableState for Hasher<A> {
    type SerializedStateSize = U2048;

    fn serialize(&self) -> SerializedState<Self> {
        let (mut saved, mut state) = (self.save_with_key(), SerializedState::<Self>::default());
        state[..saved.len()].copy_from_slice(&saved);
        state[MAX_SAVED - 2..].copy_from_slice(&(saved.len() as u16).to_le_bytes());
        wipe::clear(&mut saved);
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let length = u16::from_le_bytes([state[MAX_SAVED - 2], state[MAX_SAVED - 1]]);
        let saved = state.get(..length.into()).ok_or(DeserializeStateError)?;
        Self::restore(saved).map_err(|_| DeserializeStateError)
    }
}

impl<A: HashFunction> KeySizeUser for Hasher<A, HmacKey<A>> {
    /// The block length, as in the crate `hmac`. `new_from_slice` accepts keys of other lengths.
    type KeySize = <A as Typed>::BlockSize;
}

impl<A: HashFunction> KeyInit for Hasher<A, HmacKey<A>> {
    fn new(key: &Key<Self>) -> Self {
        HmacKey::new(key).hasher()
    }

    /// Accepts a key of any length.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(HmacKey::new(key).hasher())
    }
}

#[cfg(any(feature = "sha3", feature = "blake3"))]
impl<X: XofFunction> Update for Xof<X> {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

#[cfg(any(feature = "sha3", feature = "blake3"))]
impl<X: XofFunction> digest::ExtendableOutput for Xof<X> {
    type Reader = XofReader<X>;

    fn finalize_xof(self) -> XofReader<X> {
        self.finalize()
    }
}

#[cfg(any(feature = "sha3", feature = "blake3"))]
impl<X: XofFunction> digest::XofReader for XofReader<X> {
    fn read(&mut self, output: &mut [u8]) {
        self.read(output);
    }
}

/// Digests of many messages in one call, as an associated function of hashers: the shape that
/// [RustCrypto/traits#2478](https://github.com/RustCrypto/traits/issues/2478) begins with. There,
/// messages of different lengths would panic. Here, any lengths share the lanes.
///
/// The discussion is open, so this trait may change or go in any version. It is not part of what
/// [stays the same](https://docs.rs/hashlanes).
///
/// ```
/// use digest::Output;
/// use hashlanes::{MultiDigest, Sha256};
///
/// type Hasher = hashlanes::Hasher<Sha256>;
/// let mut hashes = [Output::<Hasher>::default(); 2];
/// Hasher::multi_digest(&[b"abc", b"any length"], &mut hashes);
/// assert_eq!(hashes[0][..], Sha256::digest("abc"));
/// ```
#[cfg(feature = "digest-multi")]
pub trait MultiDigest: OutputSizeUser {
    /// Writes the digests of messages, in their order.
    ///
    /// # Panics
    /// If there are not as many hashes as messages.
    fn multi_digest(messages: &[&[u8]], hashes: &mut [Output<Self>]);
}

#[cfg(feature = "digest-multi")]
impl<A: HashFunction> MultiDigest for Hasher<A> {
    fn multi_digest(messages: &[&[u8]], hashes: &mut [Output<Self>]) {
        assert_eq!(messages.len(), hashes.len(), "every message has a hash");
        let mut digests = [A::ZERO; 128];
        for (messages, hashes) in messages.chunks(128).zip(hashes.chunks_mut(128)) {
            let digests = &mut digests[..messages.len()];
            Engine::<A>::new().digest_many_into(messages, digests);
            for (hash, digest) in hashes.iter_mut().zip(digests) {
                hash.copy_from_slice(digest.as_ref());
            }
        }
    }
}
