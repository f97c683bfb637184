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

use digest::common::{BlockSizeUser, InvalidLength, Key, KeyInit, KeySizeUser};
use digest::{
    FixedOutput, FixedOutputReset, HashMarker, MacMarker, Output, OutputSizeUser, Reset, Update,
};

use super::hasher::{Hasher, Under};
use super::hmac::key::HmacKey;
use crate::function::{Function, HashFunction, sealed::Typed};
#[cfg(feature = "std")]
use crate::server::ServerHasher;

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
