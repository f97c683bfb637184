//! The table that joins algorithms with instruction sets.
//!
//! To add an instruction set, name its vector here. To add an algorithm, add its table.

use core::sync::atomic::AtomicU8;

use super::compress::{compress_known_lanes, compress_lanes};
use super::contract::{Choices, Cycles, Kernel, Kernels, MAX_LANES, Span};
use super::cpu::Features;
#[cfg(target_arch = "x86_64")]
use super::{messages::WholeMessages, whole::hash_whole};
use crate::family::{
    Family, known::Sums, md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family,
    sha512::Sha512Family, sm3::Sm3Family,
};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::instruction::arm_sha;
#[cfg(target_arch = "x86_64")]
use crate::instruction::{sha_ni, sha256_ahead, sha256_whole, sha512_ni, sm3_ni, vector_schedule};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
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
    (
        $name:literal, $family:ty, lanes avx512 masked $vector:ty, if lines compete $lines:ty,
        $cycles:expr
    ) => {
        Kernel {
            if_lines_compete: {
                let lines = kernel!($name, $family, lanes avx512 masked $lines, $cycles);
                match lines.hash_whole {
                    Some(hash_whole) => Some((lines.compress, hash_whole)),
                    None => None,
                }
            },
            ..kernel!($name, $family, lanes avx512 masked $vector, $cycles)
        }
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
    ($name:literal, $family:ty, lanes neon $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::NEON, "neon", $cycles)
    };
    ($name:literal, $family:ty, lanes simd128 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::SIMD128, "simd128", $cycles)
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
            if_lines_compete: None,
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
            if_lines_compete: None,
        }
    }};
    ($name:literal, $family:ty, streams $n:literal of $compress:ident, whole, $cycles:expr) => {{
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn hash(messages: &WholeMessages<<$family as Family>::Word>) {
            let mut streams = sha_ni::InTurn::<$n>::new();
            // SAFETY: the contract of `HashWhole` is passed on to the caller.
            unsafe { sha256_whole::hash_whole(messages, &mut streams) }
        }
        Kernel {
            hash_whole: Some(hash),
            ..kernel!($name, $family, streams $n of $compress, $cycles)
        }
    }};
    ($name:literal, $family:ty, ahead, $cycles:expr) => {{
        #[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")]
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: the contract of `Compress` is passed on to the caller.
            unsafe { sha256_ahead::sha256(spans) }
        }
        #[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")]
        unsafe fn hash(messages: &WholeMessages<<$family as Family>::Word>) {
            let mut memory = sha256_ahead::Memory::new();
            // SAFETY: the contract of `HashWhole` is passed on to the caller.
            unsafe { sha256_whole::hash_whole(messages, &mut memory.streams()) }
        }
        Kernel {
            name: $name,
            lanes: sha256_ahead::MESSAGES,
            needs: Features::SHA_NI.and(Features::AVX512).and(Features::VBMI2),
            cycles: $cycles,
            compress: run,
            hash_whole: Some(hash),
            if_lines_compete: None,
        }
    }};
    ($name:literal, $family:ty, streams $n:literal of $compress:ident, $cycles:expr) => {
        kernel!(@streams $name, $family, sha_ni $compress $n,
            Features::SHA_NI.and(Features::SSE41), "sha,sse4.1,ssse3", $cycles)
    };
    ($name:literal, $family:ty, sha512_ni $n:literal of $compress:ident, $cycles:expr) => {
        kernel!(@streams $name, $family, sha512_ni $compress $n,
            Features::SHA512_NI.and(Features::AVX2), "sha512,avx2", $cycles)
    };
    ($name:literal, $family:ty, sm3_ni $n:literal of $compress:ident, $cycles:expr) => {
        kernel!(@streams $name, $family, sm3_ni $compress $n, Features::SM3_NI, "sm3,avx", $cycles)
    };
    ($name:literal, $family:ty, sha2 $n:literal of $compress:ident, $cycles:expr) => {
        kernel!(@streams $name, $family, arm_sha $compress $n, Features::ARM_SHA2, "neon,sha2",
            $cycles)
    };
    ($name:literal, $family:ty, sha512 $n:literal of $compress:ident, $cycles:expr) => {
        kernel!(@streams $name, $family, arm_sha $compress $n, Features::ARM_SHA3, "neon,sha3",
            $cycles)
    };
    (
        @streams $name:literal, $family:ty, $module:ident $compress:ident $n:literal, $needs:expr,
        $feature:literal, $cycles:expr
    ) => {{
        #[target_feature(enable = $feature)]
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            for span in spans {
                // SAFETY: the contract of `Compress` is passed on to the caller.
                unsafe { $module::$compress::<$n>(span) }
            }
        }
        Kernel {
            name: $name,
            lanes: $n,
            needs: $needs,
            cycles: $cycles,
            compress: run,
            hash_whole: None,
            if_lines_compete: None,
        }
    }};
}

macro_rules! table {
    (
        $family:ty, portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?],
        aarch64 [$($aarch64:expr),* $(,)?], wasm32 [$($wasm32:expr),* $(,)?]
    ) => {
        impl Kernels for $family {
            #[cfg(target_arch = "x86_64")]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable,)* $($x86_64),*];
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable,)* $($aarch64),*];
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable,)* $($wasm32),*];
            #[cfg(not(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_feature = "neon"),
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
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
        kernel!("portable", Md5Family, lanes portable u32, Cycles::any(311, 300, 292, 340)),
        kernel!("portable-x2", Md5Family,
            lanes portable Interleave<u32>, Cycles::any(432, 360, 400, 660)),
    ],
    x86_64 [
        kernel!("bmi2", Md5Family, lanes bmi2 u32, Cycles::x86(305, 300)),
        kernel!("bmi2-x2", Md5Family, lanes bmi2 Interleave<u32>, Cycles::x86(344, 340)),
        kernel!("sse41", Md5Family, lanes sse41 sse41::U32x4, Cycles::x86(393, 375)),
        kernel!("sse41-x2", Md5Family, lanes sse41 Interleave<sse41::U32x4>, Cycles::x86(541, 445)),
        kernel!("avx2", Md5Family, lanes avx2 avx2::U32x8, Cycles::x86(395, 380)),
        kernel!("avx2-x2", Md5Family, lanes avx2 Interleave<avx2::U32x8>, Cycles::x86(517, 490)),
        kernel!("avx512-256", Md5Family, lanes avx512 avx512_256::U32x8, Cycles::x86(269, 365)),
        kernel!("avx512-256-x2", Md5Family,
            lanes avx512 Interleave<avx512_256::U32x8>, Cycles::x86(336, 396)),
        kernel!("avx512", Md5Family, lanes avx512 masked avx512::U32x16, Cycles::x86(303, 480)),
        kernel!("avx512-x2", Md5Family,
            lanes avx512 masked Interleave<avx512::U32x16>,
            if lines compete Interleave<avx512::U32x16, true>, Cycles::x86(530, 665)),
        kernel!("avx512-lines-x2", Md5Family,
            lanes avx512 masked Interleave<avx512::U32x16, true>, Cycles::x86(509, 750)),
    ],
    aarch64 [
        kernel!("neon-x2", Md5Family, lanes neon Interleave<neon::U32x4>, Cycles::arm(644)),
        kernel!("neon-x4", Md5Family,
            lanes neon Interleave<Interleave<neon::U32x4>>, Cycles::arm(880)),
    ],
    wasm32 [
        kernel!("simd128", Md5Family, lanes simd128 wasm::U32x4, Cycles::wasm(390)),
        kernel!("simd128-x2", Md5Family,
            lanes simd128 Interleave<wasm::U32x4<true>>, Cycles::wasm(560)),
    ]
);

table!(Sha1Family,
    portable [
        kernel!("portable", Sha1Family, lanes portable u32, Cycles::any(299, 266, 492, 395)),
    ],
    x86_64 [
        kernel!("bmi2", Sha1Family, lanes bmi2 u32, Cycles::x86(281, 266)),
        kernel!("sha-ni", Sha1Family, streams 1 of sha1, Cycles::x86(124, 122)),
        kernel!("sha-ni-x2", Sha1Family, streams 2 of sha1, Cycles::x86(218, 136)),
        kernel!("sha-ni-x4", Sha1Family, streams 4 of sha1, Cycles::x86(470, 220)),
        kernel!("sse41", Sha1Family, lanes sse41 sse41::U32x4, Cycles::x86(534, 416)),
        kernel!("avx2", Sha1Family, lanes avx2 avx2::U32x8, Cycles::x86(543, 430)),
        kernel!("avx512-256", Sha1Family, lanes avx512 avx512_256::U32x8, Cycles::x86(322, 301)),
        kernel!("avx512", Sha1Family, lanes avx512 masked avx512::U32x16, Cycles::x86(432, 546)),
    ],
    aarch64 [
        kernel!("arm-sha", Sha1Family, sha2 1 of sha1, Cycles::arm(104)),
        kernel!("arm-sha-x2", Sha1Family, sha2 2 of sha1, Cycles::arm(145)),
        kernel!("neon", Sha1Family, lanes neon neon::U32x4, Cycles::arm(755)),
    ],
    wasm32 [
        kernel!("simd128", Sha1Family, lanes simd128 wasm::U32x4, Cycles::wasm(490)),
    ]
);

table!(Sha256Family,
    portable [
        kernel!("portable", Sha256Family, lanes portable u32, Cycles::any(703, 700, 650, 680)),
    ],
    x86_64 [
        kernel!("bmi2", Sha256Family, lanes bmi2 u32, Cycles::x86(587, 645)),
        kernel!("sha-ni", Sha256Family, streams 1 of sha256, whole, Cycles::x86(134, 130)),
        kernel!("sha-ni-x2", Sha256Family, streams 2 of sha256, whole, Cycles::x86(234, 138)),
        kernel!("sha-ni-avx512-x4", Sha256Family, ahead, Cycles::zen4(176)),
        kernel!("sse41", Sha256Family, lanes sse41 sse41::U32x4, Cycles::x86(1243, 1000)),
        kernel!("avx2", Sha256Family, lanes avx2 avx2::U32x8, Cycles::x86(1222, 1000)),
        kernel!("avx512-256", Sha256Family, lanes avx512 avx512_256::U32x8, Cycles::x86(655, 625)),
        kernel!("avx512", Sha256Family, lanes avx512 masked avx512::U32x16, Cycles::x86(884, 1040)),
    ],
    aarch64 [
        kernel!("arm-sha", Sha256Family, sha2 1 of sha256, Cycles::arm(85)),
        kernel!("arm-sha-x2", Sha256Family, sha2 2 of sha256, Cycles::arm(115)),
        kernel!("neon", Sha256Family, lanes neon neon::U32x4, Cycles::arm(1520)),
    ],
    wasm32 [
        kernel!("simd128", Sha256Family, lanes simd128 wasm::U32x4, Cycles::wasm(1120)),
    ]
);

table!(Sha512Family,
    portable [
        kernel!("portable", Sha512Family, lanes portable u64, Cycles::any(921, 860, 850, 900)),
    ],
    x86_64 [
        kernel!("bmi2", Sha512Family, lanes bmi2 u64, Cycles::x86(744, 790)),
        kernel!("avx2-one", Sha512Family, one vector_schedule::sha512, Cycles::x86(650, 540)),
        kernel!("sha512-ni", Sha512Family, sha512_ni 1 of sha512, Cycles::x86(250, 250)),
        kernel!("sha512-ni-x2", Sha512Family, sha512_ni 2 of sha512, Cycles::x86(500, 500)),
        kernel!("sse41", Sha512Family, lanes sse41 sse41::U64x2, Cycles::x86(1488, 1290)),
        kernel!("avx2", Sha512Family, lanes avx2 avx2::U64x4, Cycles::x86(1476, 1200)),
        kernel!("avx512-256", Sha512Family, lanes avx512 avx512_256::U64x4, Cycles::x86(817, 765)),
        kernel!("avx512", Sha512Family, lanes avx512 masked avx512::U64x8, Cycles::x86(1121, 1285)),
    ],
    aarch64 [
        kernel!("arm-sha512", Sha512Family, sha512 1 of sha512, Cycles::arm(250)),
        kernel!("arm-sha512-x2", Sha512Family, sha512 2 of sha512, Cycles::arm(400)),
    ],
    wasm32 [
        kernel!("simd128", Sha512Family, lanes simd128 wasm::U64x2, Cycles::wasm(1455)),
    ]
);

table!(Sm3Family,
    portable [
        kernel!("portable", Sm3Family, lanes portable u32, Cycles::any(700, 674, 650, 740)),
    ],
    x86_64 [
        kernel!("bmi2", Sm3Family, lanes bmi2 u32, Cycles::x86(674, 674)),
        kernel!("sm3-ni", Sm3Family, sm3_ni 1 of sm3, Cycles::x86(125, 125)),
        kernel!("sm3-ni-x2", Sm3Family, sm3_ni 2 of sm3, Cycles::x86(250, 250)),
        kernel!("sse41", Sm3Family, lanes sse41 sse41::U32x4, Cycles::x86(1460, 1174)),
        kernel!("avx2", Sm3Family, lanes avx2 avx2::U32x8, Cycles::x86(1486, 1216)),
        kernel!("avx512-256", Sm3Family, lanes avx512 avx512_256::U32x8, Cycles::x86(770, 733)),
        kernel!("avx512", Sm3Family, lanes avx512 masked avx512::U32x16, Cycles::x86(998, 1174)),
    ],
    aarch64 [
        kernel!("neon", Sm3Family, lanes neon neon::U32x4, Cycles::arm(1700)),
    ],
    wasm32 [
        kernel!("simd128", Sm3Family, lanes simd128 wasm::U32x4, Cycles::wasm(1260)),
    ]
);
