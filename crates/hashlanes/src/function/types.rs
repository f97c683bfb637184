//! The hash functions of this crate as types.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "digest")]
use digest::array::AssocArraySize;

use super::{Algorithm, Function, HashFunction, XofFunction, sealed};
use crate::family::keccak::{self, Keccak};
use crate::family::{Rules, State, blake2, blake3, md5, sha1, sha256, sha512, sm3};
#[cfg(feature = "sha2")]
use crate::schedule::Sha256dFamily;
use crate::schedule::{Midstate, Ruled};

macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $family:ty, $initial:expr, $bytes:literal, $abc:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct $name;

        impl sealed::Typed for $name {
            const VALUE: Algorithm = Algorithm::$name;
            type Rules = <$family as Ruled>::Rules;
            type Word = <Self::Rules as Rules>::Word;
            const RULES: Self::Rules = <$family as Ruled>::RULES;
            const INITIAL: State<Self::Rules> = $initial;
            const BEGINNING: Midstate<'static, Self::Rules> =
                Midstate::beginning(Self::RULES, &Self::INITIAL);

            #[cfg(feature = "digest")]
            type OutputSize = <[u8; $bytes] as AssocArraySize>::Size;
            #[cfg(feature = "digest")]
            type BlockSize =
                <[u8; <$family as crate::family::Family>::BLOCK] as AssocArraySize>::Size;
        }

        impl Function for $name {
            type Digest = [u8; $bytes];
            type Digests = [[u8; $bytes]];

            #[inline(always)]
            fn zero(self) -> [u8; $bytes] {
                [0; $bytes]
            }

            #[inline(always)]
            fn digest_bytes(digest: &mut [u8; $bytes]) -> &mut [u8] {
                digest
            }

            #[inline(always)]
            fn bytes(digests: &[[u8; $bytes]]) -> &[u8] {
                digests.as_flattened()
            }

            #[inline(always)]
            fn bytes_mut(digests: &mut [[u8; $bytes]]) -> &mut [u8] {
                digests.as_flattened_mut()
            }

            #[cfg(feature = "alloc")]
            #[inline(always)]
            fn collect(
                self,
                count: usize,
                fill: impl FnOnce(&mut [[u8; $bytes]]),
            ) -> Vec<[u8; $bytes]> {
                let mut digests = alloc::vec![[0; $bytes]; count];
                fill(&mut digests);
                digests
            }
        }

        impl HashFunction for $name {
            const ALGORITHM: Algorithm = Algorithm::$name;
            const ZERO: Self::Digest = [0; $bytes];
        }

        impl $name {
            /// The digest of one message.
            ///
            /// ```
            #[doc = concat!("use hashlanes::", stringify!($name), ";")]
            ///
            #[doc = concat!(
                "assert_eq!(", stringify!($name), "::digest(\"abc\")[..4], ", stringify!($abc), ");"
            )]
            /// ```
            #[inline]
            pub fn digest(message: impl AsRef<[u8]>) -> [u8; $bytes] {
                <Self as HashFunction>::digest(message)
            }
        }

        const _: () = assert!($bytes <= 64);
    };
}

#[cfg(feature = "md5")]
function!(
    /// MD5 (RFC 1321): digests of 16 bytes.
    ///
    /// Broken as a cryptographic hash: only for ETags and old manifests.
    Md5, md5::Md5Family, md5::INITIAL, 16, [0x90, 0x01, 0x50, 0x98]
);
#[cfg(feature = "sha1")]
function!(
    /// SHA-1 (FIPS 180-4 section 6.1): digests of 20 bytes.
    ///
    /// Broken as a cryptographic hash: only for git, BitTorrent and old manifests.
    Sha1, sha1::Sha1Family, sha1::INITIAL, 20, [0xa9, 0x99, 0x3e, 0x36]
);
#[cfg(feature = "sha2")]
function!(
    /// SHA-224 (FIPS 180-4 section 6.3): digests of 28 bytes.
    Sha224, sha256::Sha256Family, sha256::INITIAL_224, 28, [0x23, 0x09, 0x7d, 0x22]
);
#[cfg(feature = "sha2")]
function!(
    /// SHA-256 (FIPS 180-4 section 6.2): digests of 32 bytes.
    Sha256, sha256::Sha256Family, sha256::INITIAL_256, 32, [0xba, 0x78, 0x16, 0xbf]
);
#[cfg(feature = "sha2")]
function!(
    /// SHA-384 (FIPS 180-4 section 6.5): digests of 48 bytes.
    Sha384, sha512::Sha512Family, sha512::INITIAL_384, 48, [0xcb, 0x00, 0x75, 0x3f]
);
#[cfg(feature = "sha2")]
function!(
    /// SHA-512 (FIPS 180-4 section 6.4): digests of 64 bytes.
    Sha512, sha512::Sha512Family, sha512::INITIAL_512, 64, [0xdd, 0xaf, 0x35, 0xa1]
);
#[cfg(feature = "sha2")]
function!(
    /// SHA-512/256 (FIPS 180-4 section 6.7): digests of 32 bytes.
    Sha512_256, sha512::Sha512Family, sha512::INITIAL_512_256, 32, [0x53, 0x04, 0x8e, 0x26]
);
#[cfg(feature = "sm3")]
function!(
    /// SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018): digests of 32 bytes.
    Sm3, sm3::Sm3Family, sm3::INITIAL, 32, [0x66, 0xc7, 0xf0, 0xf4]
);
#[cfg(feature = "sha3")]
function!(
    /// SHA3-224 (FIPS 202 section 6.1): digests of 28 bytes.
    Sha3_224, Keccak<144>, keccak::initial(0x06), 28, [0xe6, 0x42, 0x82, 0x4c]
);
#[cfg(feature = "sha3")]
function!(
    /// SHA3-256 (FIPS 202 section 6.1): digests of 32 bytes.
    Sha3_256, Keccak<136>, keccak::initial(0x06), 32, [0x3a, 0x98, 0x5d, 0xa7]
);
#[cfg(feature = "sha3")]
function!(
    /// SHA3-384 (FIPS 202 section 6.1): digests of 48 bytes.
    Sha3_384, Keccak<104>, keccak::initial(0x06), 48, [0xec, 0x01, 0x49, 0x82]
);
#[cfg(feature = "sha3")]
function!(
    /// SHA3-512 (FIPS 202 section 6.1): digests of 64 bytes.
    Sha3_512, Keccak<72>, keccak::initial(0x06), 64, [0xb7, 0x51, 0x85, 0x0b]
);
#[cfg(feature = "sha3")]
function!(
    /// Keccak-256, with the padding from before FIPS 202, as Ethereum uses it: digests of 32
    /// bytes.
    Keccak256, Keccak<136>, keccak::initial(0x01), 32, [0x4e, 0x03, 0x65, 0x7a]
);
#[cfg(feature = "sha3")]
function!(
    /// Keccak-512, with the padding from before FIPS 202: digests of 64 bytes.
    Keccak512, Keccak<72>, keccak::initial(0x01), 64, [0x18, 0x58, 0x7d, 0xc2]
);
#[cfg(feature = "sha3")]
function!(
    /// SHAKE128 (FIPS 202 section 6.2) with digests of 32 bytes, as RFC 8702 has it.
    Shake128, Keccak<168>, keccak::initial(0x1f), 32, [0x58, 0x81, 0x09, 0x2d]
);
#[cfg(feature = "sha3")]
function!(
    /// SHAKE256 (FIPS 202 section 6.2) with digests of 64 bytes, as RFC 8702 has it.
    Shake256, Keccak<136>, keccak::initial(0x1f), 64, [0x48, 0x33, 0x66, 0x60]
);

macro_rules! xof {
    ($name:ident, $family:ty, $suffix:literal, $text:literal) => {
        impl sealed::Extendable for $name {
            const NAME: &'static str = $text;
            type Rules = <$family as Ruled>::Rules;
            const RULES: Self::Rules = <$family as Ruled>::RULES;
            const INITIAL: State<Self::Rules> = keccak::initial($suffix);
        }

        impl sealed::Sponge for $name {
            fn with_suffix(suffix: u8) -> State<Self::Rules> {
                keccak::initial(suffix)
            }
        }

        impl XofFunction for $name {}
    };
    ($(#[$doc:meta])* struct $name:ident, $family:ty, $suffix:literal, $text:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct $name;

        xof!($name, $family, $suffix, $text);
    };
}

#[cfg(feature = "sha3")]
xof!(Shake128, Keccak<168>, 0x1f, "shake128");
#[cfg(feature = "sha3")]
xof!(Shake256, Keccak<136>, 0x1f, "shake256");
/// Functions with output of any length that have no digest.
#[cfg(feature = "sha3")]
pub(crate) mod turbo {
    use super::*;

    xof!(
        /// TurboSHAKE128 (RFC 9861 section 2): SHAKE128 with half the rounds.
        struct TurboShake128, Keccak<168, 12>, 0x1f, "turboshake128"
    );
    xof!(
        /// TurboSHAKE256 (RFC 9861 section 2): SHAKE256 with half the rounds.
        struct TurboShake256, Keccak<136, 12>, 0x1f, "turboshake256"
    );
}
#[cfg(feature = "blake2")]
function!(
    /// BLAKE2b (RFC 7693): digests of 64 bytes.
    Blake2b512, blake2::Blake2bFamily, blake2::initial_b(64, 0), 64, [0xba, 0x80, 0xa5, 0x3f]
);
#[cfg(feature = "blake2")]
function!(
    /// BLAKE2s (RFC 7693): digests of 32 bytes.
    Blake2s256, blake2::Blake2sFamily, blake2::initial_s(32, 0), 32, [0x50, 0x8c, 0x5e, 0x8c]
);
#[cfg(feature = "blake3")]
function!(
    /// BLAKE3: digests of 32 bytes.
    Blake3, blake3::Blake3Family, blake3::INITIAL, 32, [0x64, 0x37, 0xb3, 0xac]
);

#[cfg(feature = "blake3")]
impl sealed::Extendable for Blake3 {
    const NAME: &'static str = "blake3";
    type Rules = blake3::Blake3Family;
    const RULES: Self::Rules = blake3::Blake3Family;
    const INITIAL: State<Self::Rules> = blake3::INITIAL;
}

#[cfg(feature = "blake3")]
impl XofFunction for Blake3 {}

#[cfg(feature = "sha2")]
function!(
    /// SHA-256 of the SHA-256 digest of a message, as Bitcoin hashes transactions, the nodes of
    /// their Merkle trees, and block headers: digests of 32 bytes.
    ///
    /// Bitcoin shows digests with their bytes in reverse order.
    Sha256d, Sha256dFamily, sha256::INITIAL_256, 32, [0x4f, 0x8b, 0x42, 0xc2]
);
