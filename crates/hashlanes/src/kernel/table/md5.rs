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
    masked!(Md5Family, Interleave<avx512::U32x16, true>,
        "avx512bw,avx512dq,avx512vl,bmi2"; ByCompiler)
    .linking_as(md5_in_chunks())
}

/// MD5 in two groups, in assembly.
#[cfg(target_arch = "x86_64")]
const fn md5_in_assembly() -> Compiled<u32> {
    assembly!(Md5Family, Interleave<avx512::U32x16>)
}

table!(Md5Family,
    portable [
        Kernel::new("portable", Cycles::any(308, 300, 292, 340).on(Zen5, 303),
            lanes!(Md5Family, u32)),
        Kernel::new("portable-x2", Cycles::any(348, 360, 400, 660).on(Zen5, 350),
            lanes!(Md5Family, Interleave<u32>)),
    ],
    x86_64 [
        Kernel::new("bmi2-x2", Cycles::x86(342, 340).on(Zen5, 345),
            lanes!(Md5Family, Interleave<u32>, "bmi1,bmi2")),
        Kernel::new("sse41", Cycles::x86(395, 375).on(Zen5, 773),
            lanes!(Md5Family, sse41::U32x4, "sse4.1,ssse3")),
        Kernel::new("sse41-x2", Cycles::x86(522, 445).on(Zen5, 784),
            lanes!(Md5Family, Interleave<sse41::U32x4>, "sse4.1,ssse3")),
        Kernel::new("avx2", Cycles::x86(393, 380).on(Zen4, 375).on(Zen5, 761),
            lanes!(Md5Family, avx2::U32x8, "avx2")),
        Kernel::new("avx2-x2", Cycles::x86(544, 490).on(Zen3, 560).on(Zen5, 783), md5_in_avx2()),
        // Cores with AVX2 have BMI2. Miri, which has AVX2 but executes no assembly, has not.
        Kernel::new("avx2-copy-x2", Cycles::only(Zen3, 440).on(Intel, 498).on(Zen5, 764),
            md5_in_avx2()).if_long(
            lanes!(Md5Family, Interleave<avx2::U32x8>, "avx2,bmi1,bmi2"; InAssembly),
        ),
        Kernel::new("avx512-256", Cycles::x86(283, 365).on(Zen4, 418).on(Zen5, 655),
            lanes!(Md5Family, avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512-256-x2", Cycles::x86(357, 396).on(Zen4, 420).on(Zen5, 575),
            lanes!(Md5Family, Interleave<avx512_256::U32x8>, "avx512bw,avx512dq,avx512vl")),
        Kernel::new("avx512", Cycles::x86(304, 480).on(Zen5, 570),
            masked!(Md5Family, avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2"; ByCompiler)),
        Kernel::new("avx512-x2", Cycles::x86(517, 665).on(Zen5, 616), md5_in_chunks())
            .if_lines_compete(md5_in_lines()),
        Kernel::new("avx512-copy-x2", Cycles::only(Zen4, 550).on(Zen5, 597), md5_in_chunks())
            .if_long(md5_in_assembly()),
        Kernel::new("avx512-copy-lines-x2", Cycles::only(Intel, 439).on(Zen5, 580), md5_in_lines())
            .if_long(md5_in_assembly()),
    ],
    aarch64 [
        Kernel::new("neon-x2", Cycles::only(Arm, 644),
            lanes!(Md5Family, Interleave<neon::U32x4>, "neon")),
        Kernel::new("neon-x4", Cycles::only(Arm, 880),
            lanes!(Md5Family, Interleave<Interleave<neon::U32x4>>, "neon")),
    ],
    wasm32 [
        Kernel::new("simd128", Cycles::only(Wasm, 390), lanes!(Md5Family, wasm::U32x4, "simd128")),
        Kernel::new("simd128-x2", Cycles::only(Wasm, 560),
            lanes!(Md5Family, Interleave<wasm::U32x4<true>>, "simd128")),
    ]
);
