//! SHA-512.

use super::*;
use crate::family::sha512::Sha512Family;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::instruction::arm_sha;
#[cfg(target_arch = "x86_64")]
use crate::instruction::{sha512_ni, vector_schedule};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{Interleave, avx2, avx512, avx512_256};

/// SHA-512 in 8 lanes.
#[cfg(target_arch = "x86_64")]
const fn sha512_in_lanes() -> Compiled<u64> {
    masked!(Sha512Family, avx512::U64x8)
}

table!(Sha512Family,
    portable [
        Kernel::new("portable", Cycles::any(851, 860, 850, 900).on(Zen5, 707),
            lanes!(Sha512Family, u64)),
    ],
    x86_64 [
        Kernel::new("avx2-one", Cycles::x86(662, 540).on(Zen5, 487),
            streams!(Sha512Family, 1 of vector_schedule::sha512, "avx2,bmi1,bmi2")),
        Kernel::new("sha512-ni", Cycles::x86(250, 250),
            streams!(Sha512Family, 1 of sha512_ni::sha512, "sha512,avx2")),
        Kernel::new("sha512-ni-x2", Cycles::x86(500, 500),
            streams!(Sha512Family, 2 of sha512_ni::sha512, "sha512,avx2")),
        Kernel::new("avx2", Cycles::x86(1496, 1200).on(Zen5, 3631),
            linked!(Sha512Family, avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(859, 765).on(Zen5, 987),
            linked!(Sha512Family, avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(1172, 1285).on(Zen5, 984),
            sha512_in_lanes()),
        Kernel::new("avx512-copy", Cycles::only(Zen4, 1165).on(Intel, 1104).on(Zen5, 861),
            assembly!(Sha512Family, avx512::U64x8).linking_as(sha512_in_lanes())),
        Kernel::new("avx512-x2", Cycles::only(Zen5, 1305),
            masked!(Sha512Family, Interleave<avx512::U64x8>; InRounds)),
    ],
    aarch64 [
        Kernel::new("arm-sha512", Cycles::only(Arm, 250),
            streams!(Sha512Family, 1 of arm_sha::sha512, "neon,sha3")),
        Kernel::new("arm-sha512-x2", Cycles::only(Arm, 400),
            streams!(Sha512Family, 2 of arm_sha::sha512, "neon,sha3")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 1455),
            lanes!(Sha512Family, wasm::U64x2, "simd128")),
    ]
);
