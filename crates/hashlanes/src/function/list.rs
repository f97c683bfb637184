//! The functions that are compiled, by the features of the crate.
//!
//! An exported macro cannot ask for a feature: the question would be for a feature of the crate
//! that uses it. So each feature has a macro that adds its functions to two lists, of all functions
//! and of those of the MD4 family, and calls the next one. Without the feature, its name is one of
//! the next macro.

/// Calls a macro with the names of all functions, or of those of the MD4 family, in brackets,
/// followed by other arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __with_functions {
    ($kind:ident ($($macro:tt)*) $($arguments:tt)*) => {
        $crate::__with_md5! { [] [] $kind ($($macro)*) $($arguments)* }
    };
}

#[cfg(feature = "md5")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_md5 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_sha1! {
            [$($all)* Md5]
            [$($md)* Md5] $($rest)*
        }
    };
}

#[cfg(not(feature = "md5"))]
pub use crate::__with_sha1 as __with_md5;

#[cfg(feature = "sha1")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_sha1 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_sha2! {
            [$($all)* Sha1]
            [$($md)* Sha1] $($rest)*
        }
    };
}

#[cfg(not(feature = "sha1"))]
pub use crate::__with_sha2 as __with_sha1;

#[cfg(feature = "sha2")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_sha2 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_sm3! {
            [$($all)* Sha224 Sha256 Sha384 Sha512 Sha512_256 Sha256d]
            [$($md)* Sha224 Sha256 Sha384 Sha512 Sha512_256] $($rest)*
        }
    };
}

#[cfg(not(feature = "sha2"))]
pub use crate::__with_sm3 as __with_sha2;

#[cfg(feature = "sm3")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_sm3 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_sha3! {
            [$($all)* Sm3]
            [$($md)* Sm3] $($rest)*
        }
    };
}

#[cfg(not(feature = "sm3"))]
pub use crate::__with_sha3 as __with_sm3;

#[cfg(feature = "sha3")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_sha3 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_blake2! {
            [$($all)* Sha3_224 Sha3_256 Sha3_384 Sha3_512 Keccak256 Keccak512 Shake128 Shake256]
            [$($md)*] $($rest)*
        }
    };
}

#[cfg(not(feature = "sha3"))]
pub use crate::__with_blake2 as __with_sha3;

#[cfg(feature = "blake2")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_blake2 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_blake3! {
            [$($all)* Blake2b512 Blake2s256]
            [$($md)*] $($rest)*
        }
    };
}

#[cfg(not(feature = "blake2"))]
pub use crate::__with_blake3 as __with_blake2;

#[cfg(feature = "blake3")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_blake3 {
    ([$($all:ident)*] [$($md:ident)*] $($rest:tt)*) => {
        $crate::__with_these! {
            [$($all)* Blake3]
            [$($md)*] $($rest)*
        }
    };
}

#[cfg(not(feature = "blake3"))]
pub use crate::__with_these as __with_blake3;

/// Calls the macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __with_these {
    ([$($all:ident)*] [$($md:ident)*] all ($($macro:tt)*) $($arguments:tt)*) => {
        $($macro)* { [$($all)*] $($arguments)* }
    };
    ([$($all:ident)*] [$($md:ident)*] md ($($macro:tt)*) $($arguments:tt)*) => {
        $($macro)* { [$($md)*] $($arguments)* }
    };
}
