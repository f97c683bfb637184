//! The hash functions as types: a family, an initial state and a digest length.

use core::fmt::Debug;
use core::hash::Hash;

use crate::algorithm::{Family, write_digest};
use crate::algorithm::{md5, sha1, sha256, sha512};
use crate::dynamic::Algorithm;
use crate::schedule::State;

/// A hash function, chosen at compile time: [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`],
/// [`Sha512`] or [`Sha512_256`].
///
/// The trait is sealed: it names the functions of this crate. To choose at run time, use
/// [`Algorithm`].
pub trait HashFunction: sealed::Function {
    /// The digest: an array of bytes.
    type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// The same function as a value.
    const ALGORITHM: Algorithm;

    #[doc(hidden)]
    const ZERO: Self::Digest;
}

pub(crate) mod sealed {
    use super::State;
    use crate::kernel::Kernels;

    /// What the crate needs to know of a hash function. Public, as its types must be, only because
    /// [`HashFunction`] is; nobody outside can name them, so nobody else can implement it.
    ///
    /// [`HashFunction`]: super::HashFunction
    pub trait Function: Copy + Send + Sync + 'static {
        #[doc(hidden)]
        type Family: Kernels;

        #[doc(hidden)]
        const INITIAL: State<Self::Family>;

        /// Where the server is kept that the whole process shares.
        #[cfg(feature = "std")]
        #[doc(hidden)]
        fn global_server() -> &'static std::sync::OnceLock<crate::HashServer<Self>>
        where
            Self: super::HashFunction;

        /// Bytes in a digest, as a type.
        #[cfg(feature = "digest")]
        type OutputSize: digest::array::ArraySize;

        /// Bytes in a block, as a type.
        #[cfg(feature = "digest")]
        type BlockSize: digest::array::ArraySize;
    }
}

/// The digest that a final state stands for.
pub(crate) fn digest_of<A: HashFunction>(state: &State<A::Family>, digest: &mut A::Digest) {
    write_digest::<A::Family>(state, digest.as_mut());
}

macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $family:ty, $initial:expr, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct $name;

        impl sealed::Function for $name {
            type Family = $family;
            const INITIAL: State<Self::Family> = $initial;

            #[cfg(feature = "std")]
            fn global_server() -> &'static std::sync::OnceLock<crate::HashServer<Self>> {
                static SERVER: std::sync::OnceLock<crate::HashServer<$name>> = std::sync::OnceLock::new();
                &SERVER
            }

            #[cfg(feature = "digest")]
            type OutputSize = <[u8; $bytes] as digest::array::AssocArraySize>::Size;
            #[cfg(feature = "digest")]
            type BlockSize = <[u8; <$family as Family>::BLOCK] as digest::array::AssocArraySize>::Size;
        }

        impl HashFunction for $name {
            type Digest = [u8; $bytes];
            const ALGORITHM: Algorithm = Algorithm::$name;
            const ZERO: Self::Digest = [0; $bytes];
        }

        const _: () = assert!($bytes % size_of::<<$family as Family>::Word>() == 0 && $bytes <= 64);
    };
}

function!(
    /// MD5 (RFC 1321): digests of 16 bytes. Broken as a cryptographic hash; for ETags and old manifests.
    Md5, md5::Md5Family, md5::INITIAL, 16
);
function!(
    /// SHA-1 (FIPS 180-4 section 6.1): digests of 20 bytes. Broken as a cryptographic hash; for git, BitTorrent and old manifests.
    Sha1, sha1::Sha1Family, sha1::INITIAL, 20
);
function!(
    /// SHA-224 (FIPS 180-4 section 6.3): digests of 28 bytes.
    Sha224, sha256::Sha256Family, sha256::INITIAL_224, 28
);
function!(
    /// SHA-256 (FIPS 180-4 section 6.2): digests of 32 bytes.
    Sha256, sha256::Sha256Family, sha256::INITIAL_256, 32
);
function!(
    /// SHA-384 (FIPS 180-4 section 6.5): digests of 48 bytes.
    Sha384, sha512::Sha512Family, sha512::INITIAL_384, 48
);
function!(
    /// SHA-512 (FIPS 180-4 section 6.4): digests of 64 bytes.
    Sha512, sha512::Sha512Family, sha512::INITIAL_512, 64
);
function!(
    /// SHA-512/256 (FIPS 180-4 section 6.7): digests of 32 bytes.
    Sha512_256, sha512::Sha512Family, sha512::INITIAL_512_256, 32
);
