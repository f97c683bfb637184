//! SHA-256.

use super::*;
use crate::family::sha256::Sha256Family;
#[cfg(target_arch = "x86_64")]
use crate::input::{Chains, ContinueChains, Frame, HashWhole};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::instruction::arm_sha;
#[cfg(target_arch = "x86_64")]
use crate::instruction::sha256::{self as extension, InTurn, ahead, chains, four, whole};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{Interleave, avx2, avx512, avx512_256, sse41};

/// A row of `instruction/sha256/`, which has a map of them: compiled for the first features, for a
/// CPU with the second ones. `$whole` and `$blocks` are the streams for messages of any lengths and
/// for whole blocks with known padding, and `$chains` continues chains.
#[cfg(target_arch = "x86_64")]
macro_rules! sha256_extension {
    (
        $messages:expr, $features:literal, $needs:literal, compress $compress:ident,
        whole $whole:expr, blocks $blocks:expr, chains $chains:ident
    ) => {{
        #[target_feature(enable = $features)]
        unsafe fn blocks(messages: &WholeMessages<u32>) {
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { whole::hash_blocks::<{ $messages }, _>(messages, $blocks) }
        }
        #[target_feature(enable = $features)]
        unsafe fn any(messages: &WholeMessages<u32>) {
            // SAFETY: this function has the contract of `HashWhole` itself.
            unsafe { whole::hash_whole::<{ $messages }, _>(messages, $whole) }
        }
        whole::blocks_or_any!(hash: blocks, any);
        Compiled::new($messages, $compress)
            .requiring($needs)
            .hashing_whole(hash)
            .continuing_chains($chains)
    }};
}

/// SHA-256 of messages whose schedules are computed during their rounds.
#[cfg(target_arch = "x86_64")]
macro_rules! sha256_streams {
    ($streams:literal) => {{
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn compress(spans: &[Span<u32>]) {
            for span in spans {
                // SAFETY: this function has the contract of `Compress` itself.
                unsafe { extension::sha256::<$streams>(span) }
            }
        }
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn continue_chains(frame: &Frame<'_, u32>, all: &mut Chains<'_>) {
            // SAFETY: this function has the contract of `ContinueChains` itself.
            unsafe {
                // Two streams need all registers for their states and schedules.
                if $streams == 1 && chains::continue_digests::<$streams>(frame, all) {
                    return;
                }
                if $streams == 2 && all.waiting() > 2 && four::suits(frame, all) {
                    return four::continue_four(frame, all);
                }
                chains::continue_chains::<$streams, _>(frame, all, &mut InTurn::<true>);
            }
        }
        sha256_extension!(
            $streams, "sha,sse4.1,ssse3", "sha,sse4.1,ssse3", compress compress,
            whole &mut InTurn::<true>, blocks &mut InTurn::<false>, chains continue_chains
        )
    }};
}

/// SHA-256 of several messages, whose schedules are computed ahead of the rounds: compiled for the
/// first features, for a CPU with the second ones.
#[cfg(target_arch = "x86_64")]
macro_rules! sha256_ahead {
    ($schedule:ident, $features:literal, $needs:literal) => {{
        type Memory = ahead::Memory<ahead::$schedule>;
        #[target_feature(enable = $features)]
        unsafe fn compress(spans: &[Span<u32>]) {
            // SAFETY: this function has the contract of `Compress` itself.
            unsafe { ahead::sha256::<ahead::$schedule>(spans) }
        }
        #[target_feature(enable = $features)]
        unsafe fn continue_chains(frame: &Frame<'_, u32>, all: &mut Chains<'_>) {
            const N: usize = ahead::MESSAGES;
            // SAFETY: this function has the contract of `ContinueChains` itself.
            unsafe {
                // Schedules are computed ahead during the rounds of other chains. There are none.
                if all.waiting() <= N && chains::continue_digests::<N>(frame, all) {
                    return;
                }
                chains::continue_chains(frame, all, &mut Memory::new().streams());
            }
        }
        sha256_extension!(
            ahead::MESSAGES, $features, $needs, compress compress,
            whole &mut Memory::new().streams(), blocks &mut Memory::new().streams(),
            chains continue_chains
        )
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

/// With the schedule in SHA instructions. Compiled without AVX: see `ahead`.
#[cfg(target_arch = "x86_64")]
const fn sha256_without_vectors() -> Compiled<u32> {
    const AHEAD: Compiled<u32> = sha256_ahead!(InInstructions, "sha,sse4.1,ssse3", "sha,avx2");
    unsafe fn hash(messages: &WholeMessages<u32>) {
        const LONG: HashWhole<u32> = AHEAD.hash_whole.expect("it has one");
        const SHORT: HashWhole<u32> = sha256_in_two_streams().hash_whole.expect("it has one");
        // SAFETY: this function has the contract of both. Pointers up to a multiple of four are up
        // to a multiple of two, and messages that begin in states of four lanes are not short.
        unsafe { if ahead::are_short(messages) { SHORT(messages) } else { LONG(messages) } }
    }
    AHEAD.hashing_whole(hash).continuing_chains(TWO_CHAINS)
}

/// Four streams would continue chains in turns, which takes longer.
#[cfg(target_arch = "x86_64")]
const TWO_CHAINS: ContinueChains<u32> =
    sha256_in_two_streams().continue_chains.expect("it has one");

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

table!(Sha256Family,
    portable [
        Kernel::new("portable", Cycles::any(706, 700, 650, 680).on(Zen5, 552),
            lanes!(Sha256Family, u32)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(583, 645).on(Zen5, 552),
            lanes!(Sha256Family, u32, "bmi1,bmi2")),
        Kernel::new("sha-ni", Cycles::x86(135, 130).on(Zen5, 131), sha256_streams!(1)),
        Kernel::new("sha-ni-x2", Cycles::x86(211, 138).on(Zen5, 174), sha256_in_two_streams()),
        Kernel::new("sha-ni-x4", Cycles::only(Zen3, 224).on(Intel, 397).on(Zen5, 282),
            sha256_without_vectors()),
        Kernel::new("sha-ni-turns-x4", Cycles::only(Zen5, 281),
            sha256_streams!(4).continuing_chains(TWO_CHAINS)),
        Kernel::new("sha-ni-avx512-x4", Cycles::only(Zen4, 176).on(Zen5, 302),
            sha256_with_vectors()),
        Kernel::new("sse41", Cycles::x86(1216, 1000).on(Zen5, 1231),
            lanes!(Sha256Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1216, 1000).on(Zen5, 1258),
            linked!(Sha256Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(691, 625).on(Zen5, 776),
            linked!(Sha256Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(928, 1040).on(Zen5, 792), sha256_in_lanes()),
        Kernel::new("avx512-copy", Cycles::only(Intel, 857).on(Zen5, 686), sha256_in_lanes())
            .if_long(assembly!(Sha256Family, avx512::U32x16)),
        Kernel::new("avx512-rounds", Cycles::only(Zen5, 656),
            masked!(Sha256Family, avx512::U32x16; InRounds)),
        Kernel::new("avx512-x2", Cycles::only(Zen5, 1121),
            masked!(Sha256Family, Interleave<avx512::U32x16>; InRounds)),
    ],
    aarch64 [
        Kernel::new("arm-sha", Cycles::only(Arm, 85),
            streams!(Sha256Family, 1 of arm_sha::sha256, "neon,sha2")),
        Kernel::new("arm-sha-x2", Cycles::only(Arm, 115),
            streams!(Sha256Family, 2 of arm_sha::sha256, "neon,sha2")),
        Kernel::new("arm-sha-x4", Cycles::UNMEASURED,
            streams!(Sha256Family, 4 of arm_sha::sha256, "neon,sha2")),
        Kernel::new("neon", Cycles::only(Arm, 1520), lanes!(Sha256Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 1120),
            lanes!(Sha256Family, wasm::U32x4, "simd128")),
    ]
);
