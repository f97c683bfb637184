//! SM3.

use super::*;
use crate::family::sm3::Sm3Family;
#[cfg(target_arch = "x86_64")]
use crate::instruction::sm3_ni;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

table!(Sm3Family,
    portable [
        Kernel::new("portable", Cycles::any(661, 674, 650, 740).on(Zen5, 500),
            lanes!(Sm3Family, u32)),
    ],
    x86_64 [
        Kernel::new("bmi2", Cycles::x86(623, 674).on(Zen5, 512),
            lanes!(Sm3Family, u32, "bmi1,bmi2")),
        Kernel::new("sm3-ni", Cycles::x86(125, 125),
            streams!(Sm3Family, 1 of sm3_ni::sm3, "sm3,avx")),
        Kernel::new("sm3-ni-x2", Cycles::x86(250, 250),
            streams!(Sm3Family, 2 of sm3_ni::sm3, "sm3,avx")),
        Kernel::new("sse41", Cycles::x86(1251, 1174).on(Zen3, 1300).on(Zen5, 1286),
            lanes!(Sm3Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(1251, 1216).on(Zen5, 1290),
            lanes!(Sm3Family, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(671, 733).on(Zen5, 866),
            lanes!(Sm3Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(887, 1174).on(Zen5, 869),
            masked!(Sm3Family, avx512::U32x16)),
    ],
    aarch64 [
        Kernel::new("neon", Cycles::only(Arm, 1700), lanes!(Sm3Family, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 1260), lanes!(Sm3Family, wasm::U32x4, "simd128")),
    ]
);
