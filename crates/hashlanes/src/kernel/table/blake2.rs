//! BLAKE2.

use super::*;
use crate::family::blake2::{Blake2bFamily, Blake2sFamily};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

table!(Blake2bFamily,
    portable [
        Kernel::new("portable", Cycles::any(446, 400, 400, 600).on(Zen5, 357),
            blake!(Blake2bFamily, u64)),
    ],
    x86_64 [
        Kernel::new("sse41", Cycles::x86(713, 690).on(Zen5, 776),
            blake!(Blake2bFamily, sse41::U64x2, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(709, 650).on(Zen5, 796),
            blake!(Blake2bFamily, avx2::U64x4, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(629, 522).on(Zen5, 645),
            blake!(Blake2bFamily, avx512_256::U64x4, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(757, 864).on(Zen5, 658),
            blake!(Blake2bFamily, avx512::U64x8, "avx512bw,avx512dq,avx512vl,bmi2")),
    ],
    aarch64 [],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 900),
            blake!(Blake2bFamily, wasm::U64x2, "simd128")),
    ]
);

table!(Blake2sFamily,
    portable [
        Kernel::new("portable", Cycles::any(353, 340, 340, 500).on(Zen5, 296),
            blake!(Blake2sFamily, u32)),
    ],
    x86_64 [
        Kernel::new("sse41", Cycles::x86(658, 554).on(Zen5, 740),
            blake!(Blake2sFamily, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(667, 620).on(Zen5, 756),
            blake!(Blake2sFamily, avx2::U32x8, "avx2")),
        Kernel::new("avx512-256", Cycles::x86(542, 445).on(Zen5, 537),
            blake!(Blake2sFamily, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(654, 731).on(Zen5, 558),
            blake!(Blake2sFamily, avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2")),
    ],
    aarch64 [
        Kernel::new("neon", Cycles::only(Arm, 900), blake!(Blake2sFamily, neon::U32x4, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 800),
            blake!(Blake2sFamily, wasm::U32x4, "simd128")),
    ]
);
