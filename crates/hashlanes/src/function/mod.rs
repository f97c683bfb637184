//! The hash functions as types: a family, an initial state and a digest length.

#![forbid(unsafe_code)]

use core::fmt::Debug;
use core::hash::Hash;

use crate::family::Rules;
use crate::schedule::{MdRules, Scheduled};
use crate::wipe;

mod algorithm;
mod dispatch;
mod given_name;
mod list;
pub(crate) mod types;

pub(crate) use algorithm::is_spelled;
pub use algorithm::{Algorithm, UnknownAlgorithm};
pub(crate) use dispatch::{each_function, variant_for, with_functions, with_variant};
pub(crate) use given_name::GivenName;
pub(crate) use types::*;

/// A hash function, chosen at compile time: [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`],
/// [`Sha512`], [`Sha512_256`], [`Sm3`], [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`],
/// [`Keccak256`], [`Keccak512`], [`Shake128`], [`Shake256`], [`Blake2b512`], [`Blake2s256`],
/// [`Blake3`] or [`Sha256d`].
///
/// The trait is sealed: it names the functions of this crate. To choose at run time, use
/// [`Algorithm`].
///
/// Code that is generic over the function names the trait; with a concrete function there is no
/// need to import it.
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
pub trait HashFunction: sealed::Function {
    /// The digest, an array of bytes. To show it in hexadecimal, convert it to an
    /// [`AnyDigest`](crate::AnyDigest).
    type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// The same function as a value.
    const ALGORITHM: Algorithm;

    #[doc(hidden)]
    const ZERO: Self::Digest;

    /// The bytes of digests, one after the other.
    #[doc(hidden)]
    fn bytes_of(digests: &[Self::Digest]) -> &[u8];

    #[doc(hidden)]
    fn bytes_of_mut(digests: &mut [Self::Digest]) -> &mut [u8];

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
/// [`with_md_function!`](crate::with_md_function!).
pub trait MdFunction: HashFunction + sealed::Function<Rules: MdRules> {}

macro_rules! md_functions {
    ([$($function:ident)*]) => {
        $(impl MdFunction for $function {})*
    };
}

crate::__with_functions! { md (md_functions!) }

/// A function with output of any length, for [`Xof`](crate::Xof): [`Shake128`], [`Shake256`],
/// [`TurboShake128`], [`TurboShake256`] or [`Blake3`].
///
/// The trait is sealed.
pub trait XofFunction: sealed::Extendable {}

/// [`Shake128`] or [`Shake256`], on which KMAC is built ([`KmacKey`](crate::KmacKey)).
///
/// The trait is sealed.
pub trait ShakeFunction: XofFunction + sealed::Sponge {}

#[cfg(feature = "sha3")]
impl ShakeFunction for Shake128 {}
#[cfg(feature = "sha3")]
impl ShakeFunction for Shake256 {}

/// [`TurboShake128`] or [`TurboShake256`], on which KangarooTwelve is built
/// ([`KangarooTwelve`](crate::KangarooTwelve)).
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
    use crate::family::State;
    use crate::schedule::{Midstate, Scheduled, Squeeze};
    use crate::vector::Word;

    /// What the crate needs to know of a function with output of any length.
    pub trait Extendable: Copy + Send + Sync + 'static {
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
    pub trait Function: Copy + Send + Sync + 'static {
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
