//! SHA-3 and its relatives.

use super::*;
use crate::family::keccak::Keccak;
#[cfg(target_arch = "x86_64")]
use crate::input::EqualMessages;
use crate::input::Squeezing;
#[cfg(target_arch = "x86_64")]
use crate::kernel::keccak::hash_equal;
use crate::kernel::keccak::{absorb_lanes, squeeze_lanes};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

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
            // SAFETY: `absorb` has the contract of `Compress`, as this function has.
            unsafe { absorb(spans, RATE, ROUNDS) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn squeeze_any(squeezing: &Squeezing<u64>, rate: usize, rounds: usize) {
            // SAFETY: this function has the contract of `SqueezeBlocks` itself, for as many lanes.
            unsafe { squeeze_lanes::<$vector, $permutation>(squeezing, rate, rounds) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn squeeze<const RATE: usize, const ROUNDS: usize>(squeezing: &Squeezing<u64>) {
            // SAFETY: `squeeze_any` has the contract of `SqueezeBlocks`, as this function has.
            unsafe { squeeze_any(squeezing, RATE, ROUNDS) }
        }
        Compiled::new(<$vector as Vector>::LANES, compress::<RATE, ROUNDS>)
            $(.requiring($features))?
            .squeezing(squeeze::<RATE, ROUNDS>)
    }};
}

/// Keccak in 8 lanes.
#[cfg(target_arch = "x86_64")]
const fn keccak_in_lanes<const RATE: usize, const ROUNDS: usize>() -> Compiled<u64> {
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,bmi2")]
    unsafe fn hash_any(messages: &EqualMessages<'_, u64>, rate: usize, rounds: usize) {
        // SAFETY: this function has the contract of `HashEqual` itself, for as many lanes.
        unsafe { hash_equal::<avx512::U64x8, InAssembly>(messages, rate, rounds) }
    }
    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,bmi2")]
    unsafe fn hash<const RATE: usize, const ROUNDS: usize>(messages: &EqualMessages<'_, u64>) {
        // SAFETY: `hash_any` has the contract of `HashEqual`, as this function has.
        unsafe { hash_any(messages, RATE, ROUNDS) }
    }
    sponge!(avx512::U64x8, "avx512bw,avx512dq,avx512vl,bmi2"; InAssembly)
        .hashing_equal(hash::<RATE, ROUNDS>)
}

table!(Keccak<RATE, ROUNDS>, with [const RATE: usize, const ROUNDS: usize],
    portable [
        Kernel::new("portable", Cycles::any(1178, 1280, 1100, 1500).on(Zen5, 1115), sponge!(u64)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(912, 1110).on(Zen5, 971), sponge!(u64, "bmi1,bmi2")),
        Kernel::new("sse41", Cycles::x86(1681, 1500).on(Zen5, 1639),
            sponge!(sse41::U64x2, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1658, 1360).on(Zen5, 1495), sponge!(avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(833, 800).on(Zen5, 968),
            sponge!(avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(1297, 1030).on(Zen5, 864),
            keccak_in_lanes::<RATE, ROUNDS>()),
    ],
    aarch64 [
        Kernel::new("neon-sha3", Cycles::only(Arm, 1650), sponge!(neon::U64x2, "neon,sha3")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 2000), sponge!(wasm::U64x2, "simd128")),
    ]
);
