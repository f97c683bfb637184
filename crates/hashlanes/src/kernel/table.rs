//! The table that joins algorithms with instruction sets.
//!
//! To add an instruction set, name its vector here. To add an algorithm, add its table.

use core::sync::atomic::AtomicU8;

use super::compress::{compress_known_lanes, compress_lanes};
use super::contract::{Choices, Kernel, Kernels, MAX_LANES, Span};
use super::cpu::Features;
#[cfg(target_arch = "x86_64")]
use super::{messages::WholeMessages, whole::hash_whole};
use crate::algorithm::{
    Family, known::Sums, md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family,
    sha512::Sha512Family,
};
#[cfg(target_arch = "x86_64")]
use crate::instruction::{sha_ni, vector_schedule};
use crate::vector::{Interleave, Vector};
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

/// A row: its name, what it runs, and its cycles. It runs `lanes` of a vector type, `streams` of a
/// hardware function, or `one` message of a function. The instruction set stands for two things
/// that must agree: the features that the CPU is asked for, and those that the code is compiled
/// for.
macro_rules! kernel {
    ($name:literal, $family:ty, lanes portable $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::NONE, , $cycles)
    };
    ($name:literal, $family:ty, lanes bmi2 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::BMI2, "bmi1,bmi2", $cycles)
    };
    ($name:literal, $family:ty, lanes sse41 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::SSE41, "sse4.1,ssse3", $cycles)
    };
    ($name:literal, $family:ty, lanes avx2 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::AVX2, "avx2", $cycles)
    };
    ($name:literal, $family:ty, lanes avx512 masked $vector:ty, $cycles:expr) => {{
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2")]
        unsafe fn hash(messages: &WholeMessages<<$family as Family>::Word>) {
            // SAFETY: the contract of `HashWhole` is passed on to the caller.
            unsafe { hash_whole::<$family, $vector>(messages) }
        }
        Kernel {
            hash_whole: Some(hash),
            ..kernel!(@lanes $name, $family, $vector, Features::AVX512.and(Features::BMI2),
                "avx512f,avx512bw,avx512dq,avx512vl,bmi2", $cycles)
        }
    }};
    ($name:literal, $family:ty, lanes avx512 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::AVX512,
            "avx512f,avx512bw,avx512dq,avx512vl", $cycles)
    };
    (
        @lanes $name:literal, $family:ty, $vector:ty,
        $needs:expr, $($feature:literal)?, $cycles:expr
    ) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: the contract of `Compress` is passed on to the caller.
            unsafe { compress_lanes::<$family, $vector>(spans, known) }
        }
        $(#[target_feature(enable = $feature)])?
        #[inline(never)]
        unsafe fn known(
            states: *mut <$family as Family>::Word,
            sums: &Sums<<$family as Family>::Word>,
        ) {
            // SAFETY: `run` passes on the contract of `Compress`, and states that it has written.
            unsafe { compress_known_lanes::<$family, $vector>(states, sums) }
        }
        const { assert!(<$vector as Vector>::LANES.is_power_of_two()) };
        Kernel {
            name: $name,
            lanes: <$vector as Vector>::LANES,
            needs: $needs,
            cycles: $cycles,
            compress: run,
            hash_whole: None,
        }
    }};
    ($name:literal, $family:ty, one $compress:path, $cycles:expr) => {{
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            for span in spans {
                // SAFETY: the contract of `Compress` is passed on to the caller.
                unsafe { $compress(span) }
            }
        }
        Kernel {
            name: $name,
            lanes: 1,
            needs: Features::AVX2.and(Features::BMI2),
            cycles: $cycles,
            compress: run,
            hash_whole: None,
        }
    }};
    ($name:literal, $family:ty, streams $n:literal of $compress:ident, $cycles:expr) => {{
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn run(spans: &[Span<u32>]) {
            for span in spans {
                // SAFETY: the contract of `Compress` is passed on to the caller.
                unsafe { sha_ni::$compress::<$n>(span) }
            }
        }
        Kernel {
            name: $name,
            lanes: $n,
            needs: Features::SHA_NI.and(Features::SSE41),
            cycles: $cycles,
            compress: run,
            hash_whole: None,
        }
    }};
}

macro_rules! table {
    ($family:ty, portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?]) => {
        impl Kernels for $family {
            #[cfg(target_arch = "x86_64")]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable,)* $($x86_64),*];
            #[cfg(not(target_arch = "x86_64"))]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable),*];

            fn choices() -> &'static Choices {
                static CHOICES: Choices = [const { AtomicU8::new(0) }; MAX_LANES + 2];
                &CHOICES
            }
        }
    };
}

table!(Md5Family,
    portable [
        kernel!("portable", Md5Family, lanes portable u32, (311, 300)),
        kernel!("portable-x2", Md5Family, lanes portable Interleave<u32>, (432, 360)),
    ],
    x86_64 [
        kernel!("bmi2", Md5Family, lanes bmi2 u32, (305, 300)),
        kernel!("bmi2-x2", Md5Family, lanes bmi2 Interleave<u32>, (344, 340)),
        kernel!("sse41", Md5Family, lanes sse41 sse41::U32x4, (393, 375)),
        kernel!("sse41-x2", Md5Family, lanes sse41 Interleave<sse41::U32x4>, (541, 445)),
        kernel!("avx2", Md5Family, lanes avx2 avx2::U32x8, (395, 380)),
        kernel!("avx2-x2", Md5Family, lanes avx2 Interleave<avx2::U32x8>, (517, 490)),
        kernel!("avx512-256", Md5Family, lanes avx512 avx512_256::U32x8, (269, 365)),
        kernel!("avx512-256-x2", Md5Family, lanes avx512 Interleave<avx512_256::U32x8>, (336, 396)),
        kernel!("avx512", Md5Family, lanes avx512 masked avx512::U32x16, (303, 480)),
        kernel!("avx512-x2", Md5Family, lanes avx512 masked Interleave<avx512::U32x16>, (530, 665)),
        kernel!("avx512-lines-x2", Md5Family,
            lanes avx512 masked Interleave<avx512::U32x16, true>, (509, 750)),
    ]
);

table!(Sha1Family,
    portable [
        kernel!("portable", Sha1Family, lanes portable u32, (299, 266)),
    ],
    x86_64 [
        kernel!("bmi2", Sha1Family, lanes bmi2 u32, (281, 266)),
        kernel!("sha-ni", Sha1Family, streams 1 of sha1, (124, 122)),
        kernel!("sha-ni-x2", Sha1Family, streams 2 of sha1, (218, 136)),
        kernel!("sha-ni-x4", Sha1Family, streams 4 of sha1, (470, 220)),
        kernel!("sse41", Sha1Family, lanes sse41 sse41::U32x4, (534, 416)),
        kernel!("avx2", Sha1Family, lanes avx2 avx2::U32x8, (543, 430)),
        kernel!("avx512-256", Sha1Family, lanes avx512 avx512_256::U32x8, (322, 301)),
        kernel!("avx512", Sha1Family, lanes avx512 masked avx512::U32x16, (432, 546)),
    ]
);

table!(Sha256Family,
    portable [
        kernel!("portable", Sha256Family, lanes portable u32, (703, 700)),
    ],
    x86_64 [
        kernel!("bmi2", Sha256Family, lanes bmi2 u32, (587, 645)),
        kernel!("sha-ni", Sha256Family, streams 1 of sha256, (134, 130)),
        kernel!("sha-ni-x2", Sha256Family, streams 2 of sha256, (234, 138)),
        kernel!("sse41", Sha256Family, lanes sse41 sse41::U32x4, (1243, 1000)),
        kernel!("avx2", Sha256Family, lanes avx2 avx2::U32x8, (1222, 1000)),
        kernel!("avx512-256", Sha256Family, lanes avx512 avx512_256::U32x8, (655, 625)),
        kernel!("avx512", Sha256Family, lanes avx512 masked avx512::U32x16, (884, 1040)),
    ]
);

table!(Sha512Family,
    portable [
        kernel!("portable", Sha512Family, lanes portable u64, (921, 860)),
    ],
    x86_64 [
        kernel!("bmi2", Sha512Family, lanes bmi2 u64, (744, 790)),
        kernel!("avx2-one", Sha512Family, one vector_schedule::sha512, (650, 540)),
        kernel!("sse41", Sha512Family, lanes sse41 sse41::U64x2, (1488, 1290)),
        kernel!("avx2", Sha512Family, lanes avx2 avx2::U64x4, (1476, 1200)),
        kernel!("avx512-256", Sha512Family, lanes avx512 avx512_256::U64x4, (817, 765)),
        kernel!("avx512", Sha512Family, lanes avx512 masked avx512::U64x8, (1121, 1285)),
    ]
);
