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
//!
//! fn tag<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
//!     let mac = <M as KeyInit>::new_from_slice(key).expect("a key of any length");
//!     mac.chain_update(message).finalize().into_bytes().to_vec()
//! }
//!
//! type HmacSha256 = hashlanes::HmacHasher<hashlanes::Sha256>;
//! let key = hashlanes::HmacKey::<hashlanes::Sha256>::new("secret");
//! assert_eq!(tag::<HmacSha256>(b"secret", b"message"), key.mac("message"));
//! ```

use digest::common::{BlockSizeUser, InvalidLength, Key, KeyInit, KeySizeUser};
use digest::{
    FixedOutput, FixedOutputReset, HashMarker, MacMarker, Output, OutputSizeUser, Reset, Update,
};

use super::by_name::AnyHasher;
use super::hasher::Hasher;
use super::hmac::hasher::HmacHasher;
use super::hmac::key::HmacKey;
use crate::function::{HashFunction, sealed::Function};
#[cfg(feature = "std")]
use crate::server::{AnyServerHasher, ServerHasher};

macro_rules! digest_traits {
    ($hasher:ident, $marker:ident) => {
        impl<A: HashFunction> $marker for $hasher<A> {}

        impl<A: HashFunction> OutputSizeUser for $hasher<A> {
            type OutputSize = <A as Function>::OutputSize;
        }

        impl<A: HashFunction> BlockSizeUser for $hasher<A> {
            type BlockSize = <A as Function>::BlockSize;
        }

        impl<A: HashFunction> Update for $hasher<A> {
            fn update(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }
        }

        impl<A: HashFunction> Reset for $hasher<A> {
            fn reset(&mut self) {
                self.reset();
            }
        }

        impl<A: HashFunction> FixedOutput for $hasher<A> {
            fn finalize_into(self, out: &mut Output<Self>) {
                out.copy_from_slice(self.finalize().as_ref());
            }
        }

        impl<A: HashFunction> FixedOutputReset for $hasher<A> {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                out.copy_from_slice(self.finalize_reset().as_ref());
            }
        }
    };
}

/// Implements the traits that do not depend on a length.
macro_rules! any_traits {
    ($hasher:ident) => {
        impl Update for $hasher {
            fn update(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }
        }

        impl Reset for $hasher {
            fn reset(&mut self) {
                self.reset();
            }
        }
    };
}

digest_traits!(Hasher, HashMarker);
digest_traits!(HmacHasher, MacMarker);
any_traits!(AnyHasher);
#[cfg(feature = "std")]
digest_traits!(ServerHasher, HashMarker);
#[cfg(feature = "std")]
any_traits!(AnyServerHasher);

impl<A: HashFunction> KeySizeUser for HmacHasher<A> {
    /// The block length, as in the crate `hmac`. `new_from_slice` accepts keys of other lengths.
    type KeySize = <A as Function>::BlockSize;
}

impl<A: HashFunction> KeyInit for HmacHasher<A> {
    fn new(key: &Key<Self>) -> Self {
        HmacKey::new(key).hasher()
    }

    /// Accepts a key of any length.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(HmacKey::new(key).hasher())
    }
}
