//! The traits of RustCrypto's crate `digest` for hashers: with them a hasher goes wherever a
//! `Digest` is taken.
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
//! let alone = etag::<hashlanes::Hasher<hashlanes::Md5>>(&[b"a", b"bc"]);
//! let shared = etag::<hashlanes::ServerHasher<hashlanes::Md5>>(&[b"ab", b"c"]);
//! assert_eq!(alone, shared);
//! ```

use digest::common::BlockSizeUser;
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

use super::hasher::Hasher;
use crate::function::{HashFunction, sealed::Function};
#[cfg(feature = "std")]
use crate::server::ServerHasher;

macro_rules! digest_traits {
    ($hasher:ident) => {
        impl<A: HashFunction> HashMarker for $hasher<A> {}

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

digest_traits!(Hasher);
#[cfg(feature = "std")]
digest_traits!(ServerHasher);
