//! The hash functions as types: a family, an initial state and a digest length.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use self::choice::{Choice, KeyState};
use crate::family::Rules;
use crate::schedule::{MdRules, Scheduled, Stream};
use crate::wipe;

mod algorithm;
pub(crate) mod choice;
mod dispatch;
mod given_name;
pub(crate) mod list;
pub(crate) mod types;

pub(crate) use algorithm::is_spelled;
pub use algorithm::{Algorithm, UnknownAlgorithm};
pub(crate) use dispatch::with_functions;
pub(crate) use given_name::GivenName;
#[cfg(feature = "sha3")]
pub(crate) use types::turbo::*;
pub(crate) use types::*;

/// A hash function: one of the types that are a [`HashFunction`], which is chosen at compile time,
/// or an [`Algorithm`], which is chosen at run time.
///
/// [`Engine`](crate::Engine), [`Hasher`](crate::Hasher), [`Prefix`](crate::Prefix),
/// [`HmacKey`](crate::HmacKey) and [`HashServer`](crate::server::HashServer) take either. Only
/// their digests differ. The trait is sealed.
///
/// ```
/// use hashlanes::{Algorithm, Engine, Function, Md5};
///
/// fn last_byte<A: Function>(engine: Engine<A>) -> u8 {
///     *engine.digest("abc").as_ref().last().unwrap()
/// }
///
/// assert_eq!(last_byte(Engine::<Md5>::new()), 0x72);
/// assert_eq!(last_byte(Engine::of(Algorithm::from_name("md5")?)), 0x72);
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
pub trait Function: Choice {
    /// A digest: an array of bytes for a type, an [`AnyDigest`](crate::AnyDigest) for an
    /// [`Algorithm`].
    type Digest: AsRef<[u8]> + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// Many digests that a caller has memory for: a slice of arrays for a type. For an
    /// [`Algorithm`], a slice of bytes, in which digests of
    /// [`digest_len`](Algorithm::digest_len) bytes follow each other.
    type Digests: ?Sized;

    /// A digest to be overwritten.
    #[doc(hidden)]
    fn zero(self) -> Self::Digest;

    /// The bytes of a digest.
    #[doc(hidden)]
    fn digest_bytes(digest: &mut Self::Digest) -> &mut [u8];

    /// The bytes of digests, one after the other.
    #[doc(hidden)]
    fn bytes(digests: &Self::Digests) -> &[u8];

    #[doc(hidden)]
    fn bytes_mut(digests: &mut Self::Digests) -> &mut [u8];

    /// Digests that `fill` writes.
    #[doc(hidden)]
    #[cfg(feature = "alloc")]
    fn collect(self, count: usize, fill: impl FnOnce(&mut Self::Digests)) -> Vec<Self::Digest>;
}

/// A hash function, chosen at compile time: [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`],
/// [`Sha512`], [`Sha512_256`], [`Sm3`], [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`],
/// [`Keccak256`], [`Keccak512`], [`Shake128`], [`Shake256`], [`Blake2b512`], [`Blake2s256`],
/// [`Blake3`] or [`Sha256d`].
///
/// The trait is sealed: it names the functions of this crate. To choose at run time, use
/// [`Algorithm`]. Code for both is generic over a [`Function`].
///
/// Code that is generic over the function names the trait; with a concrete function there is no
/// need to import it. `A::Digest` is an array of bytes.
///
/// ```
/// use hashlanes::{HashFunction, Hasher, Sha256};
///
/// fn of_both<A: HashFunction>(one: &str, other: &str) -> A::Digest {
///     let mut hasher = Hasher::<A>::new();
///     hasher.update(one).update(other);
///     hasher.finalize()
/// }
///
/// assert_eq!(of_both::<Sha256>("a", "bc"), Sha256::digest("abc"));
/// ```
pub trait HashFunction:
    Function<Digest: AsMut<[u8]>, Digests = [<Self as Function>::Digest]>
    + Choice<
        Stream = Stream<<Self as sealed::Typed>::Rules>,
        KeyState = KeyState<<Self as sealed::Typed>::Rules>,
    > + sealed::Typed
{
    /// The same function as a value.
    const ALGORITHM: Algorithm;

    #[doc(hidden)]
    const ZERO: Self::Digest;

    /// The digest of one message, by the fastest code for a single one.
    ///
    /// The environment variable `HASHLANES_KERNEL` has the effect that
    /// [`Engine::new`](crate::Engine::new) describes.
    #[inline]
    fn digest(message: impl AsRef<[u8]>) -> Self::Digest {
        let mut digest = Self::ZERO;
        Self::RULES.digest(&Self::BEGINNING, message.as_ref(), None, digest.as_mut());
        wipe::stack::<{ wipe::ALONE }>();
        digest
    }
}

/// A hash function of the MD4 family: [`Md5`], [`Sha1`], SHA-2 or [`Sm3`]. Their state between two
/// blocks is at most 8 words, from which a caller can continue
/// ([`Engine::compress`](crate::Engine::compress)).
///
/// The trait is sealed. To choose a function at run time, use
/// [`with_md_function!`](crate::hazmat::with_md_function).
pub trait MdFunction: HashFunction + sealed::Typed<Rules: MdRules> {}

macro_rules! md_functions {
    ([$($function:ident)*]) => {
        $(impl MdFunction for $function {})*
    };
}

crate::__with_functions! { md (md_functions!) }

/// A function with output of any length, for [`Xof`](crate::xof::Xof): [`Shake128`], [`Shake256`],
/// [`TurboShake128`], [`TurboShake256`] or [`Blake3`].
///
/// The trait is sealed.
pub trait XofFunction: sealed::Extendable {}

/// [`Shake128`] or [`Shake256`], on which KMAC is built ([`KmacKey`](crate::xof::KmacKey)).
///
/// The trait is sealed.
pub trait ShakeFunction: XofFunction + sealed::Sponge {}

#[cfg(feature = "sha3")]
impl ShakeFunction for Shake128 {}
#[cfg(feature = "sha3")]
impl ShakeFunction for Shake256 {}

/// [`TurboShake128`] or [`TurboShake256`], on which KangarooTwelve is built
/// ([`KangarooTwelve`](crate::xof::KangarooTwelve)).
///
/// The trait is sealed.
pub trait TurboShakeFunction:
    XofFunction + sealed::Sponge + sealed::Extendable<Rules: Rules<Word = u64>>
{
}

#[cfg(feature = "sha3")]
impl TurboShakeFunction for TurboShake128 {}
#[cfg(feature = "sha3")]
impl TurboShakeFunction for TurboShake256 {}

pub(crate) mod sealed {
    use core::fmt::Debug;
    use core::panic::{RefUnwindSafe, UnwindSafe};

    use super::Algorithm;
    use crate::family::State;
    use crate::schedule::{Midstate, Scheduled, Squeeze};
    use crate::vector::Word;

    /// What the crate needs to know of a function with output of any length.
    pub trait Extendable: Copy + Send + Sync + 'static {
        /// The name in saved states.
        #[doc(hidden)]
        const NAME: &'static str;

        #[doc(hidden)]
        type Rules: Scheduled + Squeeze;

        #[doc(hidden)]
        const RULES: Self::Rules;

        #[doc(hidden)]
        const INITIAL: State<Self::Rules>;
    }

    /// What it needs to know of one that is a sponge.
    pub trait Sponge: Extendable {
        /// The initial state for other bits after the message.
        #[doc(hidden)]
        fn with_suffix(suffix: u8) -> State<Self::Rules>;
    }

    /// What the crate needs to know of a hash function. It is public only because [`HashFunction`]
    /// is; other crates can neither name nor implement it.
    ///
    /// [`HashFunction`]: super::HashFunction
    pub trait Typed:
        Copy + Debug + Default + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static
    {
        /// The same function as a value.
        #[doc(hidden)]
        const VALUE: Algorithm;

        #[doc(hidden)]
        type Rules: Scheduled<Word = Self::Word>;

        #[doc(hidden)]
        const RULES: Self::Rules;

        /// The unit of a state: `u32`, or `u64` for SHA-512 and its siblings.
        type Word: Word;

        #[doc(hidden)]
        const INITIAL: State<Self::Rules>;

        /// The state before the first byte of a message.
        #[doc(hidden)]
        const BEGINNING: Midstate<'static, Self::Rules>;

        /// Bytes in a digest, as a type.
        #[cfg(feature = "digest")]
        type OutputSize: digest::array::ArraySize;

        /// Bytes in a block, as a type.
        #[cfg(feature = "digest")]
        type BlockSize: digest::array::ArraySize;
    }
}
