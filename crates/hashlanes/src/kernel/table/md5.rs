//! MD5.

use super::*;
use crate::family::md5::Md5Family;
use crate::vector::Interleave;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

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

table!(Md5Family,
    portable [
        Kernel::new("portable", Cycles::any(308, 300, 292, 340), lanes!(Md5Family, u32)),
        Kernel::new("portable-x2", Cycles::any(348, 360, 400, 660),
            lanes!(Md5Family, Interleave<u32>)),
    ],
    x86_64 [
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
