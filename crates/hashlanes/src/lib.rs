//! Multi-buffer hashing: many independent messages side by side in the SIMD lanes of one core.
//!
//! A cryptographic hash is serial inside one message, so one stream leaves most of a core idle.
//! Different messages do not depend on each other: with one message in each lane of a vector
//! register, one core hashes 8, 16 or 32 of them in the time of one or two. The digests are the
//! ordinary ones of MD5, SHA-1 and SHA-2, bit for bit.
//!
//! ```
//! use hashlanes::{Sha256, digest_many};
//!
//! let chunks = ["abc", "", "any lengths, any number"];
//! let digests: Vec<[u8; 32]> = digest_many::<Sha256>(&chunks);
//! assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
//! ```
//!
//! | you have | use |
//! |---|---|
//! | all messages in memory | [`digest_many`], [`digest_many_into`] |
//! | the algorithm's name | [`Algorithm::from_name`], [`Algorithm::digest_many`] |
//! | many messages that come in pieces, in step | [`Engine::update_many`], [`AnyEngine::hashers`] |
//! | many messages that come in pieces, each at its own pace | [`Lanes`] |
//! | messages in many threads or tasks, each with a hasher of its own | [`HashServer`] |
//! | one message | [`Hasher`] |
//!
//! The instruction set (SSE4.1, AVX2, AVX-512, the SHA extensions, or none of them) is chosen at
//! run time by what the CPU has and by how many messages there are. [`Engine::with_kernel`] and the
//! environment variable `HASHLANES_KERNEL` force one.
//!
//! # Features
//! * `digest`: the traits of RustCrypto's crate [`digest`](https://docs.rs/digest) 0.11 for
//!   [`Hasher`] and [`ServerHasher`], so that code written for any `Digest` takes them.
//! * `zeroize`: hashers wipe their states and deferred bytes when dropped, and the scheduler its
//!   lanes after each run.
//! * `std` (default): [`HashServer`], `std::io::Write` for [`Hasher`], and `HASHLANES_KERNEL`.
//!   Without it the crate needs `alloc` only.

#![no_std]
#![deny(missing_docs)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod algorithm;
mod api;
mod function;
mod instruction;
mod kernel;
mod schedule;
#[cfg(feature = "std")]
mod server;
mod vector;

// The examples of both READMEs are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../../README.md")]
struct Readmes;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "alloc")]
pub use api::by_name::AnyHashers;
pub use api::by_name::{AnyDigest, AnyEngine};
pub use api::engine::Engine;
pub use api::hasher::Hasher;
pub use api::kernel_error::{KernelError, KernelErrorKind};
pub use api::kernel_info::{KernelInfo, cpu_features};
#[cfg(feature = "alloc")]
pub use api::lanes::{Done, Job, Lanes};
pub use function::{
    Algorithm, HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256,
    UnknownAlgorithm,
};
#[cfg(feature = "std")]
pub use kernel::kernel_from_environment;
#[cfg(feature = "std")]
pub use server::{
    AnyHashServer, AnyServerHasher, HashServer, KernelUse, ServerHasher, ServerOptions, ServerStats,
};

/// The digests of many independent messages, in their order. Any number of messages, of any
/// lengths, zero included.
///
/// ```
/// use hashlanes::{Md5, digest_many};
///
/// let digests = digest_many::<Md5>(&[b"a".as_slice(), b"", &[0; 1000]]);
/// assert_eq!(digests.len(), 3);
/// assert_eq!(digests[1][..4], [0xd4, 0x1d, 0x8c, 0xd9]); // the MD5 of nothing
/// ```
#[cfg(feature = "alloc")]
pub fn digest_many<A: HashFunction>(messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    Engine::<A>::new().digest_many(messages)
}

/// Writes the digests of many independent messages, in their order, to `digests`; allocates
/// nothing.
///
/// ```
/// use hashlanes::{Sha1, digest_many_into};
///
/// let mut digests = [[0; 20]; 2];
/// digest_many_into::<Sha1>(&["one", "two"], &mut digests);
/// assert_ne!(digests[0], digests[1]);
/// ```
///
/// # Panics
/// If the slices are of different lengths.
pub fn digest_many_into<A: HashFunction>(messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
    Engine::<A>::new().digest_many_into(messages, digests);
}
