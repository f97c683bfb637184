//! The table that joins algorithms with instruction sets.
//!
//! Each family has a file, so that they are compiled side by side. To add an instruction set, name
//! its vector in these files. To add an algorithm, add a file.

// The macros name what they use by paths from here.
use super::blake::{States, compress_blake};
use super::compress::{ByCompiler, compress_known_lanes, compress_lanes};
#[cfg(target_arch = "x86_64")]
use super::compress::{InAssembly, InRounds};
use super::contract::{Compiled, Kernel, Kernels};
use super::cores::Cores::*;
use super::cycles::Cycles;
#[cfg(target_arch = "x86_64")]
use super::links::link_lanes;
#[cfg(target_arch = "x86_64")]
use super::whole::hash_whole;
use crate::family::{Family, known::Sums};
use crate::input::Span;
#[cfg(target_arch = "x86_64")]
use crate::input::{Links, WholeMessages};
use crate::vector::Vector;

/// A family's compression over a vector, compiled for target features, which are also those that
/// the CPU is asked for. Each use defines functions of its own: generic ones would be compiled
/// again in each crate that uses the library.
macro_rules! lanes {
    ($family:ty, $vector:ty $(, $features:literal)?) => {
        lanes!($family, $vector $(, $features)?; ByCompiler)
    };
    ($family:ty, $vector:ty $(, $features:literal)?; $compression:ty) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn compress(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: this function has the contract of `Compress` itself, and the table gives it
            // `$vector::LANES` lanes. `known` is compiled for the same features.
            unsafe { compress_lanes::<$family, $vector, $compression>(spans, known) }
        }
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn known(
            states: *mut <$family as Family>::Word,
            sums: &Sums<<$family as Family>::Word>,
        ) {
            // SAFETY: only `compress_lanes` calls this, which was compiled for the same features.
            // It passes states that it has just written for all lanes, and sums that the span
            // borrows.
            unsafe { compress_known_lanes::<$family, $vector, $compression>(states, sums) }
        }
        const { assert!(<$vector as Vector>::LANES.is_power_of_two()) };
        Compiled::new(<$vector as Vector>::LANES, compress)$(.requiring($features))?
    }};
}

/// [`lanes!`] with links of chains.
#[cfg(target_arch = "x86_64")]
macro_rules! linked {
    ($family:ty, $vector:ty, $features:literal) => {
        linked!($family, $vector, $features; ByCompiler, lanes!($family, $vector, $features))
    };
    ($family:ty, $vector:ty, $features:literal; $compression:ty, $compiled:expr) => {{
        #[target_feature(enable = $features)]
        unsafe fn link(links: &Links<'_, <$family as Family>::Word>) {
            // SAFETY: this function has the contract of `LinkLanes` itself, and the table gives it
            // `$vector::LANES` lanes.
            unsafe { link_lanes::<$family, $vector, $compression>(links) }
        }
        $compiled.linking(link)
    }};
}

/// [`linked!`] over a vector that loads under masks, which also hashes whole messages.
#[cfg(target_arch = "x86_64")]
macro_rules! masked {
    ($family:ty, $vector:ty) => {
        masked!($family, $vector; ByCompiler)
    };
    ($family:ty, $vector:ty; $compression:ty) => {
        linked!($family, $vector, "avx512bw,avx512dq,avx512vl,bmi2"; $compression,
            masked!($family, $vector, "avx512bw,avx512dq,avx512vl,bmi2"; $compression))
    };
    ($family:ty, $vector:ty, $features:literal; $compression:ty) => {{
        #[target_feature(enable = $features)]
        unsafe fn hash(messages: &WholeMessages<<$family as Family>::Word>) {
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { hash_whole::<$family, $vector, $compression>(messages) }
        }
        lanes!($family, $vector, $features; $compression).hashing_whole(hash)
    }};
}

/// [`masked!`] with the compression in assembly, and without links.
#[cfg(target_arch = "x86_64")]
macro_rules! assembly {
    ($family:ty, $vector:ty) => {
        masked!($family, $vector, "avx512bw,avx512dq,avx512vl,bmi2,movbe"; InAssembly)
    };
}

/// A function of `instruction/`, compiled as [`lanes!`] compiles vectors. It interleaves as many
/// messages as it says, one per lane.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
macro_rules! streams {
    ($family:ty, $streams:literal of $module:ident::$function:ident, $features:literal) => {{
        #[target_feature(enable = $features)]
        unsafe fn compress(spans: &[Span<<$family as Family>::Word>]) {
            for span in spans {
                // SAFETY: this function has the contract of `Compress` itself, which promises each
                // span, for as many lanes as the instructions interleave.
                unsafe { $module::$function::<$streams>(span) }
            }
        }
        Compiled::new($streams, compress).requiring($features)
    }};
}

/// [`lanes!`] of BLAKE2.
macro_rules! blake {
    ($family:ty, $vector:ty $(, $features:literal)?) => {
        blake!($family, $vector $(, $features)?; ByCompiler)
    };
    ($family:ty, $vector:ty $(, $features:literal)?; $compression:ty) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn compress(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: this function has the contract of `Compress` itself, and the table gives it
            // `$vector::LANES` lanes.
            unsafe { compress_blake::<$family, $vector, $compression>(spans, States) }
        }
        Compiled::new(<$vector as Vector>::LANES, compress)$(.requiring($features))?
    }};
}

macro_rules! table {
    (
        $family:ty, $(with [$($generics:tt)*],)?
        portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?],
        aarch64 [$($aarch64:expr),* $(,)?], wasm32 [$($wasm32:expr),* $(,)?]
    ) => {
        impl$(<$($generics)*>)? Kernels for $family {
            table!(@rows <$family as Family>::Word,
                portable [$($portable),*], x86_64 [$($x86_64),*],
                aarch64 [$($aarch64),*], wasm32 [$($wasm32),*]
            );
        }
    };
    (@rows $word:ty,
        portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?],
        aarch64 [$($aarch64:expr),* $(,)?], wasm32 [$($wasm32:expr),* $(,)?]
    ) => {
        #[cfg(target_arch = "x86_64")]
        const TABLE: &'static [Kernel<$word>] = &[$($portable,)* $($x86_64),*];
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        const TABLE: &'static [Kernel<$word>] = &[$($portable,)* $($aarch64),*];
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        const TABLE: &'static [Kernel<$word>] = &[$($portable,)* $($wasm32),*];
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon"),
            all(target_arch = "wasm32", target_feature = "simd128")
        )))]
        const TABLE: &'static [Kernel<$word>] = &[$($portable),*];
    };
}

#[cfg(feature = "blake2")]
mod blake2;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "sha3")]
mod keccak;
#[cfg(feature = "md5")]
mod md5;
#[cfg(feature = "sha1")]
mod sha1;
#[cfg(feature = "sha2")]
mod sha256;
#[cfg(feature = "sha2")]
mod sha512;
#[cfg(feature = "sm3")]
mod sm3;
