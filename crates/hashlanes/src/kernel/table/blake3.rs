//! BLAKE3.

use super::*;
use crate::family::blake3::{Blake3Family, Blake3Output};
#[cfg(target_arch = "x86_64")]
use crate::instruction::blake3_rows;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, avx512_256, sse41};

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
