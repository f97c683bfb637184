//! SHA-1.

use super::*;
use crate::family::sha1::Sha1Family;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::instruction::arm_sha;
#[cfg(target_arch = "x86_64")]
use crate::instruction::sha1_ni;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

/// SHA-1 in 16 lanes.
#[cfg(target_arch = "x86_64")]
const fn sha1_in_lanes() -> Compiled<u32> {
    masked!(Sha1Family, avx512::U32x16)
}

table!(Sha1Family,
    portable [
        Kernel::new("portable", Cycles::any(306, 266, 492, 395).on(Zen5, 256),
            lanes!(Sha1Family, u32)),
    ],
    x86_64 [
        Kernel::new("sha-ni", Cycles::x86(124, 122).on(Zen5, 126),
            streams!(Sha1Family, 1 of sha1_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sha-ni-x2", Cycles::x86(209, 142).on(Zen5, 142),
            streams!(Sha1Family, 2 of sha1_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sha-ni-x4", Cycles::x86(478, 200).on(Zen5, 196),
            streams!(Sha1Family, 4 of sha1_ni::sha1, "sha,sse4.1,ssse3")),
        Kernel::new("sse41", Cycles::x86(531, 680).on(Zen5, 586),
            lanes!(Sha1Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(542, 470).on(Zen5, 570),
            linked!(Sha1Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(360, 301).on(Zen5, 391),
            linked!(Sha1Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(474, 546).on(Zen5, 396),
            sha1_in_lanes()),
        Kernel::new("avx512-copy", Cycles::only(Zen4, 445).on(Intel, 433).on(Zen5, 341),
            assembly!(Sha1Family, avx512::U32x16).linking_as(sha1_in_lanes())),
    ],
    aarch64 [
        Kernel::new("arm-sha", Cycles::only(Arm, 104),
            streams!(Sha1Family, 1 of arm_sha::sha1, "neon,sha2")),
        Kernel::new("arm-sha-x2", Cycles::only(Arm, 145),
            streams!(Sha1Family, 2 of arm_sha::sha1, "neon,sha2")),
        Kernel::new("neon", Cycles::only(Arm, 755), lanes!(Sha1Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 490), lanes!(Sha1Family, wasm::U32x4, "simd128")),
    ]
);
