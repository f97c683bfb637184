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
//! type Md5 = hashlanes::Hasher<hashlanes::Md5>;
//! assert_eq!(etag::<Md5>(&[b"a", b"bc"]), hashlanes::Md5::digest("abc"));
//! ```
//!
//! Hashers of an algorithm that is chosen at run time have the traits that name no length.

use digest::common::BlockSizeUser;
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

use super::by_name::AnyHasher;
use super::hasher::Hasher;
use crate::function::{HashFunction, sealed::Function};
#[cfg(feature = "std")]
use crate::server::{AnyServerHasher, ServerHasher};

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

/// Those of the traits that name no length.
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

digest_traits!(Hasher);
any_traits!(AnyHasher);
#[cfg(feature = "std")]
digest_traits!(ServerHasher);
#[cfg(feature = "std")]
any_traits!(AnyServerHasher);
