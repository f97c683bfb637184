//! The table that joins algorithms with instruction sets.
//!
//! To add an instruction set, name its vector here. To add an algorithm, add its table.

use core::sync::atomic::AtomicU8;

use super::blake::compress_blake;
#[cfg(target_arch = "x86_64")]
use super::compress::InAssembly;
use super::compress::{ByCompiler, compress_known_lanes, compress_lanes};
use super::contract::{Choices, Compiled, Cycles, Kernel, Kernels};
use super::keccak::{absorb_lanes, squeeze_lanes};
#[cfg(target_arch = "x86_64")]
use super::whole::hash_whole;
use crate::family::{
    Family, blake2::Blake2bFamily, blake2::Blake2sFamily, blake3::Blake3Family,
    blake3::Blake3Output, keccak::Keccak, known::Sums, md5::Md5Family, sha1::Sha1Family,
    sha256::Sha256Family, sha256::Sha256dFamily, sha512::Sha512Family, sm3::Sm3Family,
};
#[cfg(target_arch = "x86_64")]
use crate::input::{Chains, ContinueChains, Frame, HashWhole, WholeMessages};
use crate::input::{Span, Squeezing};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::instruction::arm_sha;
#[cfg(target_arch = "x86_64")]
use crate::instruction::{
    blake3_rows, sha_ni, sha256_ahead, sha256_chains, sha256_four, sha256_whole, sha512_ni, sm3_ni,
    vector_schedule,
};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
use crate::vector::{Interleave, MAX_LANES, Vector};
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

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
            // SAFETY: `compress_lanes` passes the states that it has just written for all lanes.
            unsafe { compress_known_lanes::<$family, $vector>(states, sums) }
        }
        const { assert!(<$vector as Vector>::LANES.is_power_of_two()) };
        Compiled::new(<$vector as Vector>::LANES, compress)$(.requiring($features))?
    }};
}

/// [`lanes!`] over a vector that loads under masks, which also hashes whole messages.
#[cfg(target_arch = "x86_64")]
macro_rules! masked {
    ($family:ty, $vector:ty) => {
        masked!($family, $vector, "avx512bw,avx512dq,avx512vl,bmi2"; ByCompiler)
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

/// [`masked!`] with the compression in assembly.
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

/// [`streams!`] of SHA-256, which also hash whole messages.
#[cfg(target_arch = "x86_64")]
macro_rules! sha256_streams {
    ($streams:literal) => {{
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn blocks(messages: &WholeMessages<u32>) {
            let mut streams = sha_ni::InTurn::<false>;
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { sha256_whole::hash_blocks::<$streams, _>(messages, &mut streams) }
        }
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn any(messages: &WholeMessages<u32>) {
            let mut streams = sha_ni::InTurn::<true>;
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { sha256_whole::hash_whole::<$streams, _>(messages, &mut streams) }
        }
        sha256_whole::blocks_or_any!(hash: blocks, any);
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn chains(frame: &Frame<'_, u32>, chains: &mut Chains<'_>) {
            let mut streams = sha_ni::InTurn::<true>;
            // SAFETY: this function has the contract of `ContinueChains` itself.
            unsafe {
                // Two streams need all registers for their states and schedules.
                if $streams == 1 && sha256_chains::continue_digests::<$streams>(frame, chains) {
                    return;
                }
                if $streams == 2 && chains.lengths.len() > 2 && sha256_four::suits(frame, chains) {
                    return sha256_four::continue_four(frame, chains);
                }
                sha256_chains::continue_chains::<$streams, _>(frame, chains, &mut streams);
            }
        }
        streams!(Sha256Family, $streams of sha_ni::sha256, "sha,sse4.1,ssse3")
            .hashing_whole(hash)
            .continuing_chains(chains)
    }};
}

/// MD5 in two groups of AVX2.
#[cfg(target_arch = "x86_64")]
const fn md5_in_avx2() -> Compiled<u32> {
    lanes!(Md5Family, Interleave<avx2::U32x8>, "avx2")
}

/// MD5 in two groups.
#[cfg(target_arch = "x86_64")]
const fn md5_in_chunks() -> Compiled<u32> {
    masked!(Md5Family, Interleave<avx512::U32x16>)
}

/// MD5 in two groups, which loads cache lines.
#[cfg(target_arch = "x86_64")]
const fn md5_in_lines() -> Compiled<u32> {
    masked!(Md5Family, Interleave<avx512::U32x16, true>)
}

/// MD5 in two groups, in assembly.
#[cfg(target_arch = "x86_64")]
const fn md5_in_assembly() -> Compiled<u32> {
    assembly!(Md5Family, Interleave<avx512::U32x16>)
}

/// SHA-256 of several messages, whose schedules are computed ahead of the rounds: compiled for the
/// first features, for a CPU with the second ones.
#[cfg(target_arch = "x86_64")]
macro_rules! sha256_ahead {
    ($schedule:ident, $features:literal, $needs:literal) => {{
        type Memory = sha256_ahead::Memory<sha256_ahead::$schedule>;
        #[target_feature(enable = $features)]
        unsafe fn compress(spans: &[Span<u32>]) {
            // SAFETY: this function has the contract of `Compress` itself.
            unsafe { sha256_ahead::sha256::<sha256_ahead::$schedule>(spans) }
        }
        #[target_feature(enable = $features)]
        unsafe fn blocks(messages: &WholeMessages<u32>) {
            let mut memory = Memory::new();
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { sha256_whole::hash_blocks(messages, &mut memory.streams()) }
        }
        #[target_feature(enable = $features)]
        unsafe fn any(messages: &WholeMessages<u32>) {
            let mut memory = Memory::new();
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { sha256_whole::hash_whole(messages, &mut memory.streams()) }
        }
        sha256_whole::blocks_or_any!(hash: blocks, any);
        #[target_feature(enable = $features)]
        unsafe fn chains(frame: &Frame<'_, u32>, chains: &mut Chains<'_>) {
            const N: usize = sha256_ahead::MESSAGES;
            // SAFETY: this function has the contract of `ContinueChains` itself.
            unsafe {
                // Schedules are computed ahead during the rounds of other chains. There are none.
                if chains.lengths.len() <= N && sha256_chains::continue_digests::<N>(frame, chains)
                {
                    return;
                }
                let mut memory = Memory::new();
                sha256_chains::continue_chains(frame, chains, &mut memory.streams());
            }
        }
        Compiled::new(sha256_ahead::MESSAGES, compress)
            .requiring($needs)
            .hashing_whole(hash)
            .continuing_chains(chains)
    }};
}

/// With the schedule in 256-bit vectors.
#[cfg(target_arch = "x86_64")]
const fn sha256_with_vectors() -> Compiled<u32> {
    sha256_ahead!(
        InVectors,
        "sha,avx512bw,avx512dq,avx512vl,avx512vbmi2",
        "sha,avx512bw,avx512dq,avx512vl,avx512vbmi2"
    )
}

/// With the schedule in SHA instructions. Compiled without AVX: see `sha256_ahead`.
#[cfg(target_arch = "x86_64")]
const fn sha256_without_vectors() -> Compiled<u32> {
    const AHEAD: Compiled<u32> = sha256_ahead!(InInstructions, "sha,sse4.1,ssse3", "sha,avx2");
    unsafe fn hash(messages: &WholeMessages<u32>) {
        const LONG: HashWhole<u32> = AHEAD.hash_whole.expect("it has one");
        const SHORT: HashWhole<u32> = sha256_in_two_streams().hash_whole.expect("it has one");
        // SAFETY: this function has the contract of both. Pointers up to a multiple of four are up
        // to a multiple of two, and messages that begin in states of four lanes are not short.
        unsafe { if sha256_ahead::are_short(messages) { SHORT(messages) } else { LONG(messages) } }
    }
    // The streams of this row would continue chains in turns, which takes longer.
    const CHAINS: ContinueChains<u32> =
        sha256_in_two_streams().continue_chains.expect("it has one");
    AHEAD.hashing_whole(hash).continuing_chains(CHAINS)
}

/// SHA-256 in 16 lanes.
#[cfg(target_arch = "x86_64")]
const fn sha256_in_lanes() -> Compiled<u32> {
    masked!(Sha256Family, avx512::U32x16)
}

/// Two streams of SHA-256.
#[cfg(target_arch = "x86_64")]
const fn sha256_in_two_streams() -> Compiled<u32> {
    sha256_streams!(2)
}

/// Keccak over a vector. The functions for the rates and rounds only pass them on, so the code is
/// compiled once.
macro_rules! sponge {
    ($vector:ty $(, $features:literal)?) => {
        sponge!($vector $(, $features)?; ByCompiler)
    };
    ($vector:ty $(, $features:literal)?; $permutation:ty) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn absorb(spans: &[Span<u64>], rate: usize, rounds: usize) {
            // SAFETY: this function has the contract of `Compress` itself, and the table gives it
            // `$vector::LANES` lanes.
            unsafe { absorb_lanes::<$vector, $permutation>(spans, rate, rounds) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn compress<const RATE: usize, const ROUNDS: usize>(spans: &[Span<u64>]) {
            // SAFETY: as above.
            unsafe { absorb(spans, RATE, ROUNDS) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn squeeze_any(squeezing: &Squeezing<u64>, rate: usize, rounds: usize) {
            // SAFETY: this function has the contract of `SqueezeBlocks` itself, for as many lanes.
            unsafe { squeeze_lanes::<$vector, $permutation>(squeezing, rate, rounds) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn squeeze<const RATE: usize, const ROUNDS: usize>(squeezing: &Squeezing<u64>) {
            // SAFETY: as above.
            unsafe { squeeze_any(squeezing, RATE, ROUNDS) }
        }
        Compiled::new(<$vector as Vector>::LANES, compress::<RATE, ROUNDS>)
            $(.requiring($features))?
            .squeezing(squeeze::<RATE, ROUNDS>)
    }};
}

/// [`lanes!`] of BLAKE2 and BLAKE3.
macro_rules! blake {
    ($family:ty, $vector:ty $(, $features:literal)?) => {
        blake!($family, $vector $(, $features)?; ByCompiler)
    };
    ($family:ty, $vector:ty $(, $features:literal)?; $compression:ty) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn compress(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: this function has the contract of `Compress` itself, and the table gives it
            // `$vector::LANES` lanes.
            unsafe { compress_blake::<$family, $vector, $compression>(spans) }
        }
        Compiled::new(<$vector as Vector>::LANES, compress)$(.requiring($features))?
    }};
}

/// BLAKE3 of few messages, with the words of a state in rows.
#[cfg(target_arch = "x86_64")]
macro_rules! rows {
    ($family:ty, $vectors:literal of $row:ty, $features:literal) => {{
        #[target_feature(enable = $features)]
        unsafe fn compress(spans: &[Span<u32>]) {
            for span in spans {
                // SAFETY: this function has the contract of `Compress` itself, which promises each
                // span, for as many lanes.
                unsafe { blake3_rows::compress::<$family, $row, $vectors>(span) }
            }
        }
        Compiled::new($vectors * <$row as Vector>::LANES / 4, compress).requiring($features)
    }};
}

macro_rules! table {
    (
        $family:ty, $(with [$($generics:tt)*],)?
        portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?],
        aarch64 [$($aarch64:expr),* $(,)?], wasm32 [$($wasm32:expr),* $(,)?]
    ) => {
        impl$(<$($generics)*>)? Kernels for $family {
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
        Kernel::new("portable", Cycles::any(308, 300, 292, 340), lanes!(Md5Family, u32)),
        Kernel::new("portable-x2", Cycles::any(348, 360, 400, 660),
            lanes!(Md5Family, Interleave<u32>)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(305, 300), lanes!(Md5Family, u32, "bmi1,bmi2")),
        Kernel::new("bmi2-x2", Cycles::x86(342, 340),
            lanes!(Md5Family, Interleave<u32>, "bmi1,bmi2")),
        Kernel::new("sse41", Cycles::x86(395, 375),
            lanes!(Md5Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("sse41-x2", Cycles::x86(522, 445),
            lanes!(Md5Family, Interleave<sse41::U32x4>, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(393, 380), lanes!(Md5Family, avx2::U32x8, "avx2")),
        Kernel::new("avx2-x2", Cycles::x86(544, 490).on_zen3(560), md5_in_avx2()),
        // Cores with AVX2 have BMI2. Miri, which has AVX2 but executes no assembly, has not.
        Kernel::new("avx2-copy-x2", Cycles::zen3(440).on_intel(498), md5_in_avx2()).if_long(
            lanes!(Md5Family, Interleave<avx2::U32x8>, "avx2,bmi1,bmi2"; InAssembly),
        ),
        Kernel::new("avx512-256", Cycles::x86(283, 365),
            lanes!(Md5Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512-256-x2", Cycles::x86(357, 396),
            lanes!(Md5Family, Interleave<avx512_256::U32x8>, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(304, 480), masked!(Md5Family, avx512::U32x16)),
        Kernel::new("avx512-x2", Cycles::x86(517, 665), md5_in_chunks())
            .if_lines_compete(md5_in_lines()),
        Kernel::new("avx512-copy-x2", Cycles::zen4(550), md5_in_chunks())
            .if_long(md5_in_assembly()),
        Kernel::new("avx512-copy-lines-x2", Cycles::intel(439), md5_in_lines())
            .if_long(md5_in_assembly()),
    ],
    aarch64 [
        Kernel::new("neon-x2", Cycles::arm(644),
            lanes!(Md5Family, Interleave<neon::U32x4>, "neon")),
        Kernel::new("neon-x4", Cycles::arm(880),
            lanes!(Md5Family, Interleave<Interleave<neon::U32x4>>, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(390), lanes!(Md5Family, wasm::U32x4, "simd128")),
        Kernel::new("simd128-x2", Cycles::wasm(560),
            lanes!(Md5Family, Interleave<wasm::U32x4<true>>, "simd128")),
    ]
);

table!(Sha1Family,
    portable [
        Kernel::new("portable", Cycles::any(306, 266, 492, 395), lanes!(Sha1Family, u32)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(276, 266), lanes!(Sha1Family, u32, "bmi1,bmi2")),
        Kernel::new("sha-ni", Cycles::x86(124, 122),
            streams!(Sha1Family, 1 of sha_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sha-ni-x2", Cycles::x86(209, 142),
            streams!(Sha1Family, 2 of sha_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sha-ni-x4", Cycles::x86(478, 200),
            streams!(Sha1Family, 4 of sha_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sse41", Cycles::x86(531, 680),
            lanes!(Sha1Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(542, 470), lanes!(Sha1Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(360, 301),
            lanes!(Sha1Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(474, 546), masked!(Sha1Family, avx512::U32x16)),
        Kernel::new("avx512-copy", Cycles::zen4(445).on_intel(433),
            assembly!(Sha1Family, avx512::U32x16)),
    ],
    aarch64 [
        Kernel::new("arm-sha", Cycles::arm(104),
            streams!(Sha1Family, 1 of arm_sha::sha1, "neon,sha2")),
        Kernel::new("arm-sha-x2", Cycles::arm(145),
            streams!(Sha1Family, 2 of arm_sha::sha1, "neon,sha2")),
        Kernel::new("neon", Cycles::arm(755), lanes!(Sha1Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(490), lanes!(Sha1Family, wasm::U32x4, "simd128")),
    ]
);

table!(Sha256Family,
    portable [
        Kernel::new("portable", Cycles::any(706, 700, 650, 680), lanes!(Sha256Family, u32)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(583, 645), lanes!(Sha256Family, u32, "bmi1,bmi2")),
        Kernel::new("sha-ni", Cycles::x86(135, 130), sha256_streams!(1)),
        Kernel::new("sha-ni-x2", Cycles::x86(211, 138), sha256_in_two_streams()),
        Kernel::new("sha-ni-x4", Cycles::zen3(224).on_intel(397), sha256_without_vectors()),
        Kernel::new("sha-ni-avx512-x4", Cycles::zen4(176), sha256_with_vectors()),
        Kernel::new("sse41", Cycles::x86(1216, 1000),
            lanes!(Sha256Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1216, 1000), lanes!(Sha256Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(691, 625),
            lanes!(Sha256Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(928, 1040), sha256_in_lanes()),
        Kernel::new("avx512-copy", Cycles::intel(857), sha256_in_lanes())
            .if_long(assembly!(Sha256Family, avx512::U32x16)),
    ],
    aarch64 [
        Kernel::new("arm-sha", Cycles::arm(85),
            streams!(Sha256Family, 1 of arm_sha::sha256, "neon,sha2")),
        Kernel::new("arm-sha-x2", Cycles::arm(115),
            streams!(Sha256Family, 2 of arm_sha::sha256, "neon,sha2")),
        Kernel::new("neon", Cycles::arm(1520), lanes!(Sha256Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(1120), lanes!(Sha256Family, wasm::U32x4, "simd128")),
    ]
);

impl Kernels for Sha256dFamily {
    const TABLE: &'static [Kernel<u32>] = Sha256Family::TABLE;

    fn choices() -> &'static Choices {
        Sha256Family::choices()
    }
}

table!(Sha512Family,
    portable [
        Kernel::new("portable", Cycles::any(851, 860, 850, 900), lanes!(Sha512Family, u64)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(753, 790), lanes!(Sha512Family, u64, "bmi1,bmi2")),
        Kernel::new("avx2-one", Cycles::x86(662, 540),
            streams!(Sha512Family, 1 of vector_schedule::sha512, "avx2,bmi1,bmi2")),
        Kernel::new("sha512-ni", Cycles::x86(250, 250),
            streams!(Sha512Family, 1 of sha512_ni::sha512, "sha512,avx2")),
        Kernel::new("sha512-ni-x2", Cycles::x86(500, 500),
            streams!(Sha512Family, 2 of sha512_ni::sha512, "sha512,avx2")),
        Kernel::new("sse41", Cycles::x86(1494, 1290),
            lanes!(Sha512Family, sse41::U64x2, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1496, 1200), lanes!(Sha512Family, avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(859, 765),
            lanes!(Sha512Family, avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(1172, 1285), masked!(Sha512Family, avx512::U64x8)),
        Kernel::new("avx512-copy", Cycles::zen4(1165).on_intel(1104),
            assembly!(Sha512Family, avx512::U64x8)),
    ],
    aarch64 [
        Kernel::new("arm-sha512", Cycles::arm(250),
            streams!(Sha512Family, 1 of arm_sha::sha512, "neon,sha3")),
        Kernel::new("arm-sha512-x2", Cycles::arm(400),
            streams!(Sha512Family, 2 of arm_sha::sha512, "neon,sha3")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(1455), lanes!(Sha512Family, wasm::U64x2, "simd128")),
    ]
);

table!(Sm3Family,
    portable [
        Kernel::new("portable", Cycles::any(661, 674, 650, 740), lanes!(Sm3Family, u32)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(623, 674), lanes!(Sm3Family, u32, "bmi1,bmi2")),
        Kernel::new("sm3-ni", Cycles::x86(125, 125),
            streams!(Sm3Family, 1 of sm3_ni::sm3, "sm3,avx")),
        Kernel::new("sm3-ni-x2", Cycles::x86(250, 250),
            streams!(Sm3Family, 2 of sm3_ni::sm3, "sm3,avx")),
        Kernel::new("sse41", Cycles::x86(1251, 1174).on_zen3(1300),
            lanes!(Sm3Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1251, 1216), lanes!(Sm3Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(671, 733),
            lanes!(Sm3Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(887, 1174), masked!(Sm3Family, avx512::U32x16)),
    ],
    aarch64 [
        Kernel::new("neon", Cycles::arm(1700), lanes!(Sm3Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(1260), lanes!(Sm3Family, wasm::U32x4, "simd128")),
    ]
);

table!(Keccak<RATE, ROUNDS>, with [const RATE: usize, const ROUNDS: usize],
    portable [
        Kernel::new("portable", Cycles::any(1178, 1280, 1100, 1500), sponge!(u64)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(912, 1110), sponge!(u64, "bmi1,bmi2")),
        Kernel::new("sse41", Cycles::x86(1681, 1500), sponge!(sse41::U64x2, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1658, 1360), sponge!(avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(833, 800),
            sponge!(avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(1297, 1030),
            sponge!(avx512::U64x8, "avx512bw,avx512dq,avx512vl,bmi2"; InAssembly)),
    ],
    aarch64 [
        Kernel::new("neon-sha3", Cycles::arm(1650), sponge!(neon::U64x2, "neon,sha3")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(2000), sponge!(wasm::U64x2, "simd128")),
    ]
);

table!(Blake2bFamily,
    portable [
        Kernel::new("portable", Cycles::any(446, 400, 400, 600), blake!(Blake2bFamily, u64)),
    ],
    x86_64 [
        Kernel::new("sse41", Cycles::x86(713, 690),
            blake!(Blake2bFamily, sse41::U64x2, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(709, 650), blake!(Blake2bFamily, avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(629, 522),
            blake!(Blake2bFamily, avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(757, 864),
            blake!(Blake2bFamily, avx512::U64x8, "avx512bw,avx512dq,avx512vl,bmi2")),
    ],
    aarch64 [],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(900), blake!(Blake2bFamily, wasm::U64x2, "simd128")),
    ]
);

table!(Blake2sFamily,
    portable [
        Kernel::new("portable", Cycles::any(353, 340, 340, 500), blake!(Blake2sFamily, u32)),
    ],
    x86_64 [
        Kernel::new("sse41", Cycles::x86(658, 554),
            blake!(Blake2sFamily, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(667, 620), blake!(Blake2sFamily, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(542, 445),
            blake!(Blake2sFamily, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(654, 731),
            blake!(Blake2sFamily, avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2")),
    ],
    aarch64 [
        Kernel::new("neon", Cycles::arm(900), blake!(Blake2sFamily, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::wasm(800), blake!(Blake2sFamily, wasm::U32x4, "simd128")),
    ]
);

/// BLAKE3's rows, for the nodes of trees and for output, in the same places.
macro_rules! blake3_table {
    ($family:ty) => {
        table!($family,
            portable [
                Kernel::new("portable", Cycles::any(258, 230, 240, 350).on_zen3(250),
                    blake!($family, u32)),
            ],
            x86_64 [
                // As fast as `portable` for long messages, faster for one block.
                Kernel::new("avx2-one", Cycles::intel(257),
                    rows!($family, 1 of sse41::U32x4, "avx2")),
                Kernel::new("avx512-one", Cycles::intel(195),
                    rows!($family, 1 of sse41::U32x4, "avx512bw,avx512dq,avx512vl")),
                Kernel::new("avx2-two", Cycles::zen3(260).on_intel(263),
                    rows!($family, 1 of avx2::U32x8, "avx2")),
                Kernel::new("avx512-two", Cycles::intel(205),
                    rows!($family, 1 of avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
                Kernel::new("avx2-two-x2", Cycles::zen3(305).on_intel(368),
                    rows!($family, 2 of avx2::U32x8, "avx2")),
                Kernel::new("avx512-four", Cycles::intel(220),
                    rows!($family, 1 of avx512::U32x16, "avx512bw,avx512dq,avx512vl")),
                Kernel::new("sse41", Cycles::x86(505, 389).on_zen3(540),
                    blake!($family, sse41::U32x4, "sse4.1,ssse3")),
                Kernel::new("avx2", Cycles::x86(531, 428).on_zen3(480),
                    blake!($family, avx2::U32x8, "avx2")),
                // As for MD5, these cores have BMI2, and Miri executes no assembly.
                Kernel::new("avx2-copy", Cycles::zen3(400).on_intel(472),
                    blake!($family, avx2::U32x8, "avx2,bmi1,bmi2"; InAssembly)),
                Kernel::new("avx512-256", Cycles::x86(457, 314),
                    blake!($family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
                Kernel::new("avx512-256-copy", Cycles::intel(373),
                    blake!($family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl"; InAssembly)),
                Kernel::new("avx512", Cycles::x86(584, 533),
                    blake!($family, avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2")),
                Kernel::new("avx512-copy", Cycles::intel(545),
                    blake!($family, avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2";
                        InAssembly)),
            ],
            aarch64 [
                Kernel::new("neon", Cycles::arm(630), blake!($family, neon::U32x4, "neon")),
            ],
            wasm32 [
                Kernel::new("simd128", Cycles::wasm(560), blake!($family, wasm::U32x4, "simd128")),
            ]
        );
    };
}

blake3_table!(Blake3Family);
blake3_table!(Blake3Output);
