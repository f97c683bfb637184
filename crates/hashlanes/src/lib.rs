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
//! | many messages, each as a header and a body or in more parts | [`Engine::digest_many_parts`] |
//! | one buffer, to be hashed in chunks | [`digest_chunks`], [`Engine::digest_chunks_into`] |
//! | the nodes of a Merkle tree | [`Engine::digest_pairs`] |
//! | hash chains | [`Prefix::digest_chains`] |
//! | messages with a common prefix: a tag, a domain separator | [`Prefix`] |
//! | messages to authenticate with keys (HMAC) | [`HmacKey`], [`Engine::hmac_many`] |
//! | output of any length (SHAKE, KangarooTwelve, BLAKE3), and KMAC | [`xof`] |
//! | parameters of BLAKE2, keys of BLAKE3 | [`Blake2Params`], [`Prefix`], [`xof::Xof`] |
//! | many messages in pieces, updated in step | [`Engine::update_many`] |
//! | many messages in pieces, each at its own pace | [`Lanes`] |
//! | messages on many threads or tasks, each with its own hasher | [`server`] |
//! | states that you have to keep yourself | [`hazmat`] |
//! | one message | [`Sha256::digest`], [`Sha256::hasher`] |
//! | the name of an algorithm | [`Algorithm`], and [`Engine::of`] it or the `of` of another type |
//! | keys to derive from passwords or secrets | [`Engine::pbkdf2_many`], [`Engine::hkdf_many`] |
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
//! [`Engine::kernel`] chooses a kernel by name. The environment variable `HASHLANES_KERNEL`
//! does so for a whole process: if a hash function has a kernel of this name and the CPU can run
//! it, that kernel hashes all messages. Otherwise the variable has no effect. It is read once, on
//! first use, and only with the feature `std`. [`Algorithm::kernels`] lists the names, and
//! [`kernels::kernel_from_environment`] returns the variable's value.
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
//! * `std` (default): the [`server`], `HASHLANES_KERNEL`, and for hashers `update_reader` and
//!   [`std::io::Write`].
//! * `alloc` (part of `std`): functions that return vectors, such as [`digest_many`]; [`Lanes`] and
//!   [`Hashers`]. Without it the library never allocates, and has [`digest_many_into`],
//!   [`Hasher`], [`Engine`] and [`Algorithm`].
//! * `digest`: the traits of RustCrypto's crate [`digest`](https://docs.rs/digest) 0.11 for
//!   [`Hasher`] and [`ServerHasher`](server::ServerHasher), so that code written for any `Digest`
//!   accepts them, those of a `Mac` for hashers under an [`HmacKey`], and `ExtendableOutput` for
//!   [`Xof`](xof::Xof).
//! * `digest-multi`: [`MultiDigest`], which RustCrypto's developers discuss. It may change.
//! * `serde`: `Serialize` and `Deserialize` for [`AnyDigest`], [`Algorithm`] and the saved state of
//!   a [`Hasher`].
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
pub mod server;
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
    #[doc(inline)]
    pub use crate::__with_md_function as with_md_function;
    pub use crate::api::pieces::{Piece, Pieces, State, Until, Word, blocks, initial};
    pub use crate::function::MdFunction;
    /// What the bindings of this project wipe their own copies with.
    #[doc(hidden)]
    pub mod wipe {
        #[cfg(feature = "alloc")]
        pub use crate::wipe::{WipedVec, clear};
        pub use crate::wipe::{call, memory};
    }
}

/// Kernels: what there is for an algorithm on this CPU, the errors of choosing one by name
/// ([`Engine::kernel`]), and a test of all of them.
pub mod kernels {
    pub use crate::api::kernel_error::{KernelError, KernelErrorKind};
    pub use crate::api::self_test::{SelfTestError, self_test};
    #[cfg(feature = "std")]
    pub use crate::kernel::kernel_from_environment;
    pub use crate::kernel::{KernelInfo, cpu_features};
}

/// Output of any length: SHAKE, cSHAKE, TurboSHAKE, KangarooTwelve, KMAC and BLAKE3.
///
/// | you have | use |
/// |---|---|
/// | SHAKE, cSHAKE, TurboSHAKE, BLAKE3 | [`Xof`](xof::Xof), [`squeeze_many`](xof::squeeze_many) |
/// | KangarooTwelve | [`Kt128`](xof::Kt128), [`Kt256`](xof::Kt256) |
/// | messages to authenticate with KMAC | [`KmacKey`](xof::KmacKey) |
/// | the name of a function | [`XofAlgorithm`](xof::XofAlgorithm), [`AnyXof`](xof::AnyXof) |
#[cfg(any(feature = "sha3", feature = "blake3"))]
pub mod xof {
    #[cfg(feature = "sha3")]
    pub use crate::api::by_name::{
        AnyXof, AnyXofMessage, AnyXofReader, XofAlgorithm, XofParams, XofParamsError,
    };
    #[cfg(feature = "sha3")]
    pub use crate::api::kangaroo::{KangarooTwelve, Kt128, Kt256};
    #[cfg(feature = "sha3")]
    pub use crate::api::kmac::KmacKey;
    #[cfg(feature = "alloc")]
    pub use crate::api::parts::{InParts, Part};
    pub use crate::api::xof::{Xof, XofReader, squeeze_many};
    #[cfg(feature = "sha3")]
    pub use crate::function::types::turbo::{TurboShake128, TurboShake256};
    pub use crate::function::{ShakeFunction, TurboShakeFunction, XofFunction};
}

// The README's examples are tests, too.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

pub use api::by_name::{AnyDigest, InvalidDigest};
pub use api::engine::Engine;
pub use api::hasher::{Hasher, Under};
pub use api::hmac::key::HmacKey;
#[cfg(feature = "blake2")]
pub use api::keyed::{Blake2Error, Blake2Params};
#[cfg(feature = "alloc")]
pub use api::lanes::{Done, LaneJob, Lanes};
pub use api::prefix::Prefix;
#[cfg(feature = "digest-multi")]
pub use api::rustcrypto::MultiDigest;
#[cfg(feature = "alloc")]
pub use api::saved::{MAX_SAVED, SavedStateError};
#[cfg(feature = "alloc")]
pub use api::update::Hashers;
// The names of macros that features without functions leave to the next one.
#[doc(hidden)]
#[allow(unreachable_pub, unused_imports, reason = "with all features there are none")]
pub use function::list::*;
// The functions as types.
pub use function::types::*;
pub use function::{Algorithm, Function, HashFunction, UnknownAlgorithm};

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
/// A call uses up to 80 KiB of stack, however many messages there are.
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
