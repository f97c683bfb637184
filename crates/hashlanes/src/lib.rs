//! Cryptographic hashes of many messages side by side, in the SIMD lanes of one core: MD5, SHA-1,
//! SHA-2, SM3, SHA-3, Keccak, SHAKE, BLAKE2 and BLAKE3.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use hashlanes::{Sha256, digest_many};
//!
//! // Many messages of any lengths, and their digests in the same order.
//! let digests: Vec<[u8; 32]> = digest_many::<Sha256>(&["abc", "", "any lengths, any number"]);
//!
//! // One message.
//! assert_eq!(Sha256::digest("abc"), digests[0]);
//!
//! // One message in pieces.
//! let mut hasher = Sha256::hasher();
//! hasher.update("a").update("bc");
//! assert_eq!(hasher.finalize(), digests[0]);
//! ```
//!
//! A cryptographic hash is serial within a message, so one message leaves most of a core idle.
//! Different messages do not depend on each other: with one message in each lane of a vector
//! register, one core hashes 8, 16 or 32 of them in the time of one or two. The digests are the
//! ordinary ones, bit for bit.
//!
//! | you have | use |
//! |---|---|
//! | many messages in memory | [`digest_many`], [`digest_many_into`] |
//! | one buffer, to be hashed in chunks | [`digest_chunks`], [`digest_chunks_into`] |
//! | the nodes of a Merkle tree | [`digest_pairs`] |
//! | hash chains | [`digest_chains`] |
//! | messages with a common prefix: a tag, a domain separator | [`Prefix`] |
//! | messages to authenticate with keys (HMAC) | [`hmac_many`], [`HmacKey`] |
//! | output of any length (SHAKE, cSHAKE, TurboSHAKE, BLAKE3) | [`Xof`], [`squeeze_many`] |
//! | KangarooTwelve | [`Kt128`], [`Kt256`] |
//! | messages to authenticate with KMAC | [`KmacKey`] |
//! | parameters of BLAKE2, keys of BLAKE3 | [`Blake2Params`], [`Prefix`], [`Xof`] |
//! | many messages in pieces, updated in step | [`Engine::update_many`] |
//! | many messages in pieces, each at its own pace | [`Lanes`] |
//! | messages on many threads or tasks, each with its own hasher | [`HashServer`] |
//! | states that you have to keep yourself | [`hazmat`] |
//! | one message | [`Sha256::digest`], [`Sha256::hasher`] |
//! | the name of an algorithm | [`Algorithm`], [`XofAlgorithm`], [`AnyEngine`] and similar types |
//! | a digest in hexadecimal | [`AnyDigest`] |
//!
//! The functions are [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`], [`Sha512`],
//! [`Sha512_256`], [`Sm3`], [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`], [`Keccak256`],
//! [`Keccak512`], [`Shake128`], [`Shake256`], [`Blake2b512`], [`Blake2s256`], [`Blake3`] and
//! [`Sha256d`]. MD5 and SHA-1 are broken as cryptographic hashes; they are here for ETags, git,
//! BitTorrent and old manifests.
//!
//! # The environment variable `HASHLANES_KERNEL`
//!
//! The library chooses the kernel (SSE4.1, AVX2, AVX-512, the SHA extensions, NEON, Arm's SHA
//! instructions, or none of them) at run time, according to the CPU's features and the number of
//! messages. On Arm, only the operating system can report the CPU's features: without the feature
//! `std`, the library uses those that the code is compiled for, such as with `-C
//! target-feature=+sha2`. On WebAssembly, features cannot be detected at all: the kernels exist if
//! the code is compiled with `-C target-feature=+simd128`.
//!
//! [`Engine::with_kernel`] chooses a kernel by name. The environment variable `HASHLANES_KERNEL`
//! does so for a whole process: if a hash function has a kernel of this name and the CPU can run
//! it, that kernel hashes all messages. Otherwise the variable has no effect. It is read once, on
//! first use, and only with the feature `std`. [`Algorithm::kernels`] lists the names, and
//! [`kernel_from_environment`] returns the variable's value.
//!
//! The variable affects only the speed: every kernel gives the same digests, and a kernel whose
//! instructions the CPU lacks is never run. So whoever sets a process's environment can slow down
//! its hashing, but cannot falsify it.
//!
//! # Features
//!
//! Most of the time to compile the library goes into its kernels. A crate that needs only some of
//! the functions can name those: `default-features = false, features = ["std", "sha2"]`.
//!
//! * `all` (default): all functions, which are those of the next seven features. At least one of
//!   these is needed.
//! * `md5`, `sha1`, `sm3`, `blake3`.
//! * `sha2`: SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/256 and SHA-256d.
//! * `sha3`: SHA-3, Keccak, SHAKE, TurboSHAKE, KangarooTwelve, cSHAKE and KMAC.
//! * `blake2`: BLAKE2b and BLAKE2s.
//! * `std` (default): [`HashServer`], `HASHLANES_KERNEL`, and for hashers `update_reader` and
//!   [`std::io::Write`].
//! * `alloc` (part of `std`): functions that return vectors, such as [`digest_many`]; [`Lanes`] and
//!   [`AnyHashers`]. Without it the library never allocates, and has [`digest_many_into`],
//!   [`Hasher`], [`Engine`] and [`Algorithm`].
//! * `digest`: the traits of RustCrypto's crate [`digest`](https://docs.rs/digest) 0.11 for
//!   [`Hasher`] and [`ServerHasher`], so that code written for any `Digest` accepts them, and those
//!   of a `Mac` for [`HmacHasher`].
//! * `serde`: `Serialize` and `Deserialize` for [`AnyDigest`] and [`Algorithm`].
//! * `zeroize`: hashers and keys wipe their states and deferred bytes when dropped, and the
//!   scheduler wipes its lanes after each run. Use it where messages or keys are secret.

#![no_std]
#![deny(missing_docs)]
// Makes the documentation state which feature an item needs; docs.rs sets `docsrs`.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Documentation of a part names items of the whole, to which nothing can be linked then.
#![cfg_attr(not(all(feature = "std", feature = "all")), allow(rustdoc::broken_intra_doc_links))]
// The rounds in `assembly/` are macros that use themselves.
#![recursion_limit = "256"]
// With fewer functions, some of what they share is not used.
#![cfg_attr(
    not(all(
        feature = "md5",
        feature = "sha1",
        feature = "sha2",
        feature = "sm3",
        feature = "sha3",
        feature = "blake2",
        feature = "blake3"
    )),
    allow(dead_code, unreachable_pub, unused_imports, unused_macros)
)]

#[cfg(not(any(
    feature = "md5",
    feature = "sha1",
    feature = "sha2",
    feature = "sm3",
    feature = "sha3",
    feature = "blake2",
    feature = "blake3"
)))]
compile_error!(
    "hashlanes needs at least one of its features md5, sha1, sha2, sm3, sha3, blake2 and blake3; \
     the feature all has all of them"
);

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod api;
#[cfg(target_arch = "x86_64")]
mod assembly;
mod family;
mod function;
mod input;
mod instruction;
mod kernel;
mod schedule;
#[cfg(feature = "std")]
mod server;
mod vector;
#[forbid(unsafe_code)]
mod wipe;

/// States that the caller keeps, for code that needs them in memory of a given layout, such as
/// bindings for other languages and interfaces. For everybody else, [`Lanes`] is simpler.
///
/// A wrong state, carry or length silently gives a wrong digest. If there are only whole blocks,
/// use [`Engine::compress_many`].
///
/// ```
/// use hashlanes::hazmat::{Piece, Pieces, Until, initial};
/// use hashlanes::{Engine, Sha256};
///
/// /// Messages that are complete in memory. Their digests are kept as words.
/// struct Whole<'a> {
///     messages: &'a [&'a [u8]],
///     handed_out: usize,
///     digests: Vec<[u32; 8]>,
/// }
///
/// impl<'a> Pieces<'a, Sha256> for Whole<'a> {
///     fn waiting(&self) -> usize {
///         self.messages.len() - self.handed_out
///     }
///
///     fn next(&mut self) -> Option<Piece<'a, '_, Sha256>> {
///         let id = self.handed_out;
///         self.handed_out += 1;
///         let (state, bytes) = (initial::<Sha256>(), self.messages[id]);
///         Some(Piece { id, state, carry: &[], length: 0, bytes, last: true, compressed: 0 })
///     }
///
///     fn done(&mut self, id: usize, state: [u32; 8]) {
///         self.digests[id] = state;
///     }
///
///     fn suspended(&mut self, _: usize, _: [u32; 8], _: usize) {
///         unreachable!("the run continues until all are done");
///     }
/// }
///
/// let messages = [&b"abc"[..], b"", b"more"];
/// let mut whole = Whole { messages: &messages, handed_out: 0, digests: vec![[0; 8]; 3] };
/// Engine::<Sha256>::new().run_pieces(&mut whole, Until::AllDone);
/// assert_eq!(whole.digests[0][0].to_be_bytes(), Sha256::digest("abc")[..4]);
/// ```
pub mod hazmat {
    pub use crate::api::pieces::{Piece, Pieces, State, Until, Word, blocks, initial};
    /// What the bindings of this project wipe their own copies with.
    #[doc(hidden)]
    pub mod wipe {
        #[cfg(feature = "alloc")]
        pub use crate::wipe::WipedVec;
        pub use crate::wipe::{call, memory};
    }
}

// The README's examples are tests, too.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::Borrow;

#[cfg(feature = "alloc")]
pub use api::by_name::AnyHashers;
pub use api::by_name::{
    AnyDigest, AnyEngine, AnyHasher, AnyHmacHasher, AnyHmacKey, AnyPrefix, InvalidDigest,
};
#[cfg(feature = "sha3")]
pub use api::by_name::{AnyXof, XofAlgorithm, XofParams, XofParamsError};
pub use api::engine::Engine;
pub use api::hasher::Hasher;
pub use api::hmac::hasher::HmacHasher;
pub use api::hmac::key::HmacKey;
#[cfg(feature = "sha3")]
pub use api::kangaroo::{KangarooTwelve, Kt128, Kt256};
pub use api::kernel_error::{KernelError, KernelErrorKind};
pub use api::kernel_info::{KernelInfo, cpu_features};
#[cfg(feature = "blake2")]
pub use api::keyed::{Blake2Error, Blake2Params};
#[cfg(feature = "sha3")]
pub use api::kmac::KmacKey;
#[cfg(feature = "alloc")]
pub use api::lanes::{Done, LaneJob, Lanes};
pub use api::prefix::Prefix;
#[cfg(any(feature = "sha3", feature = "blake3"))]
pub use api::xof::{Xof, XofReader, squeeze_many};
pub use function::{
    Algorithm, HashFunction, MdFunction, ShakeFunction, TurboShakeFunction, UnknownAlgorithm,
    XofFunction,
};
// The functions as types.
pub use function::types::*;
#[cfg(feature = "std")]
pub use kernel::kernel_from_environment;
#[cfg(feature = "std")]
pub use server::{
    AnyHashServer, AnyServerHasher, HashServer, KernelUse, ServerHasher, ServerHmacHasher,
    ServerOptions, ServerStats,
};

/// The digests of many independent messages, in the same order. There may be any number of
/// messages, of any lengths, including zero.
///
/// ```
/// use hashlanes::{Md5, digest_many};
///
/// let digests: Vec<[u8; 16]> = digest_many::<Md5>(&["a", "", "message"]);
/// assert_eq!(digests[2], Md5::digest("message"));
/// ```
///
/// # Stack
/// A call uses up to 64 KiB of stack, however many messages there are.
#[cfg(feature = "alloc")]
pub fn digest_many<A: HashFunction>(messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    Engine::<A>::new().digest_many(messages)
}

/// Writes the digests of many independent messages to `digests`, in the same order. Allocates
/// nothing, and uses as much stack as [`digest_many`](crate::digest_many#stack).
///
/// ```
/// use hashlanes::{Sha1, digest_many_into};
///
/// let mut digests = [[0; 20]; 2];
/// digest_many_into::<Sha1>(&["one", "two"], &mut digests);
/// assert_eq!(digests, [Sha1::digest("one"), Sha1::digest("two")]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn digest_many_into<A: HashFunction>(messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
    Engine::<A>::new().digest_many_into(messages, digests);
}

/// The digests of the consecutive chunks of `data`: Merkle leaves, pieces of a torrent, parts of an
/// upload. Each chunk is `chunk_length` bytes long, except that the last may be shorter. Empty data
/// has no chunks.
///
/// ```
/// use hashlanes::{Sha256, digest_chunks, digest_many};
///
/// let data = [7; 1000];
/// let leaves = digest_chunks::<Sha256>(&data, 64);
/// assert_eq!(leaves.len(), 16); // 15 chunks of 64 bytes, and one of 40
/// assert_eq!(leaves, digest_many::<Sha256>(&data.chunks(64).collect::<Vec<_>>()));
/// ```
///
/// # Panics
/// If `chunk_length` is 0.
#[cfg(feature = "alloc")]
pub fn digest_chunks<A: HashFunction>(data: &[u8], chunk_length: usize) -> Vec<A::Digest> {
    Engine::<A>::new().digest_chunks(data, chunk_length)
}

/// Writes the digests of the consecutive chunks of `data` to `digests`. Allocates nothing. See
/// [`digest_chunks`].
///
/// ```
/// use hashlanes::{Md5, digest_chunks_into};
///
/// let mut digests = [[0; 16]; 3];
/// digest_chunks_into::<Md5>(b"abcde", 2, &mut digests); // of "ab", "cd" and "e"
/// assert_eq!(digests[2], Md5::digest("e"));
/// ```
///
/// # Panics
/// If `chunk_length` is 0, or the length of `digests` is not the number of chunks.
#[inline]
pub fn digest_chunks_into<A: HashFunction>(
    data: &[u8],
    chunk_length: usize,
    digests: &mut [A::Digest],
) {
    Engine::<A>::new().digest_chunks_into(data, chunk_length, digests);
}

/// Writes the digest of each pair of digests to `digests`: one level of a binary Merkle tree.
/// Allocates nothing.
///
/// A pair is hashed as its concatenated bytes. For a tree whose leaves and nodes must be
/// distinguishable (RFC 6962 section 2.1), use [`Prefix::digest_pairs`].
///
/// ```
/// use hashlanes::{Sha256, digest_pairs};
///
/// let leaves = ["a", "b", "c", "d"].map(Sha256::digest);
/// let mut nodes = [[0; 32]; 2];
/// digest_pairs::<Sha256>(leaves.as_chunks().0, &mut nodes);
/// let mut root = [[0; 32]];
/// digest_pairs::<Sha256>(&[nodes], &mut root);
/// assert_eq!(nodes[1], Sha256::digest([leaves[2], leaves[3]].concat()));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn digest_pairs<A: HashFunction>(pairs: &[[A::Digest; 2]], digests: &mut [A::Digest]) {
    Engine::<A>::new().digest_pairs(pairs, digests);
}

/// Continues hash chains side by side: replaces `values[i]` by its digest, that by its digest, and
/// so on, `lengths[i]` times. Allocates nothing.
///
/// For chains whose messages begin with more than the last digest, see [`Prefix::digest_chains`].
///
/// ```
/// use hashlanes::{Sha256, digest_chains};
///
/// let mut values = [[1; 32], [2; 32]];
/// digest_chains::<Sha256>(&mut values, &[2, 1000]);
/// assert_eq!(values[0], Sha256::digest(Sha256::digest([1; 32])));
/// ```
///
/// # Panics
/// If the slices have different lengths.
pub fn digest_chains<A: HashFunction>(values: &mut [A::Digest], lengths: &[u64]) {
    Prefix::<A>::new([]).digest_chains(values, lengths);
}

/// Whether segments of hash chains are right: number `i` is if `lengths[i]` hashes lead from
/// `starts[i]` to `ends[i]`. The segments are computed side by side.
///
/// ```
/// use hashlanes::{Sha256, digest_chains, verify_chains};
///
/// // A proof of history: the end of each segment is the start of the next.
/// let mut points = vec![[7; 32]];
/// for i in 0..3 {
///     let mut next = [points[i]];
///     digest_chains::<Sha256>(&mut next, &[1000]);
///     points.extend(next);
/// }
/// points[2][0] ^= 1;
/// let valid = verify_chains::<Sha256>(&points[..3], &points[1..], &[1000; 3]);
/// assert_eq!(valid, [true, false, false]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[cfg(feature = "alloc")]
pub fn verify_chains<A: HashFunction>(
    starts: &[A::Digest],
    ends: &[A::Digest],
    lengths: &[u64],
) -> Vec<bool> {
    Prefix::<A>::new([]).verify_chains(starts, ends, lengths)
}

/// The MACs (HMAC: RFC 2104, FIPS 198-1) of many independent pairs of a key and a message, in the
/// same order. A key is prepared once, and any number of pairs may share it. There may be any
/// number of messages, of any lengths.
///
/// ```
/// use hashlanes::{HmacKey, Sha256, hmac_many};
///
/// let keys = ["of one", "of another"].map(HmacKey::<Sha256>::new);
/// let macs = hmac_many(&[(&keys[0], "message"), (&keys[1], "message"), (&keys[0], "more")]);
/// assert_eq!(macs[2], keys[0].mac("more"));
/// assert_ne!(macs[0], macs[1]);
/// ```
///
/// For messages under one key, use [`HmacKey::mac_many`]. The call uses as much stack as
/// [`digest_many`](crate::digest_many#stack).
#[cfg(feature = "alloc")]
pub fn hmac_many<A: HashFunction, K: Borrow<HmacKey<A>>>(
    pairs: &[(K, impl AsRef<[u8]>)],
) -> Vec<A::Digest> {
    Engine::<A>::new().hmac_many(pairs)
}

/// Derives keys from passwords by PBKDF2 (RFC 8018 section 5.2) with HMAC, many side by side:
/// `keys[i]` from `passwords[i]` and `salts[i]`.
///
/// A key may have any length. Each block of output as long as a digest takes `rounds` MACs, one
/// after another; the blocks of all keys are computed side by side. So this helps whoever verifies
/// or migrates many passwords, and whoever guesses them.
///
/// ```
/// use hashlanes::{Sha256, pbkdf2_many};
///
/// // RFC 7914 section 11.
/// let mut keys = [[0; 64]; 2];
/// pbkdf2_many::<Sha256>(&["passwd", "other"], &["salt", "salt"], 1, &mut keys);
/// assert_eq!(keys[0][..4], [0x55, 0xac, 0x04, 0x6e]);
/// ```
///
/// # Panics
/// If the slices have different lengths, `rounds` is 0, or a key has more than 2^32 - 1 digests'
/// bytes.
#[cfg(feature = "alloc")]
pub fn pbkdf2_many<A: HashFunction>(
    passwords: &[impl AsRef<[u8]>],
    salts: &[impl AsRef<[u8]>],
    rounds: u32,
    keys: &mut [impl AsMut<[u8]>],
) {
    Engine::<A>::new().pbkdf2_many(passwords, salts, rounds, keys);
}

/// Derives keys from secrets by HKDF (RFC 5869), many side by side: `keys[i]` from `salts[i]`,
/// `secrets[i]` and `infos[i]`.
///
/// A key may have any length up to 255 digests. Its blocks follow from each other, but those of
/// different keys are computed side by side.
///
/// ```
/// use hashlanes::{Sha256, hkdf_many};
///
/// // RFC 5869 appendix A.1.
/// let salt: Vec<u8> = (0..13).collect();
/// let info: Vec<u8> = (0xf0..0xfa).collect();
/// let mut keys = [[0; 42]];
/// hkdf_many::<Sha256>(&[salt], &[[0x0b; 22]], &[info], &mut keys);
/// assert_eq!(keys[0][..4], [0x3c, 0xb2, 0x5f, 0x25]);
/// assert_eq!(keys[0][38..], [0x87, 0x18, 0x58, 0x65]);
/// ```
///
/// # Panics
/// If the slices have different lengths, or a key is longer than 255 digests.
#[cfg(feature = "alloc")]
pub fn hkdf_many<A: HashFunction>(
    salts: &[impl AsRef<[u8]>],
    secrets: &[impl AsRef<[u8]>],
    infos: &[impl AsRef<[u8]>],
    keys: &mut [impl AsMut<[u8]>],
) {
    Engine::<A>::new().hkdf_many(salts, secrets, infos, keys);
}

/// Writes the MACs of many independent pairs of a key and a message to `macs`, in the same order.
/// Allocates nothing. See [`hmac_many`].
///
/// ```
/// use hashlanes::{HmacKey, Md5, hmac_many_into};
///
/// let key = HmacKey::<Md5>::new("secret");
/// let mut macs = [[0; 16]; 2];
/// hmac_many_into(&[(&key, "one"), (&key, "two")], &mut macs);
/// assert_eq!(macs, ["one", "two"].map(|message| key.mac(message)));
/// ```
///
/// # Panics
/// If the slices have different lengths.
pub fn hmac_many_into<A: HashFunction, K: Borrow<HmacKey<A>>>(
    pairs: &[(K, impl AsRef<[u8]>)],
    macs: &mut [A::Digest],
) {
    Engine::<A>::new().hmac_many_into(pairs, macs);
}
