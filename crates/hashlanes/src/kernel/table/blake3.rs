//! BLAKE3.

use super::*;
use crate::family::blake3::{Blake3Family, Blake3Output};
#[cfg(target_arch = "x86_64")]
use crate::instruction::blake3_rows;
use crate::kernel::blake::StatesOrOutput;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use crate::vector::neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::vector::wasm;
#[cfg(target_arch = "x86_64")]
use crate::vector::{Interleave, avx2, avx512, avx512_256, sse41};

/// Functions for the nodes of trees and for output, by number. They only pass on which it is, so
/// the code is compiled once.
macro_rules! nodes_or_output {
    ($lanes:expr $(, $features:literal)?; |$spans:ident, $is_output:ident| $body:expr) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn either($spans: &[Span<u32>], $is_output: bool) {
            // SAFETY: this function has the contract of `Compress` itself, and the table gives it
            // as many lanes.
            unsafe { $body }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn compress<const IS_OUTPUT: bool>(spans: &[Span<u32>]) {
            // SAFETY: as above.
            unsafe { either(spans, IS_OUTPUT) }
        }
        Compiled::new($lanes, compress::<IS_OUTPUT>)$(.requiring($features))?
    }};
}

/// BLAKE3 over a vector.
macro_rules! blake3 {
    ($vector:ty $(, $features:literal)?) => {
        blake3!($vector $(, $features)?; ByCompiler)
    };
    ($vector:ty $(, $features:literal)?; $compression:ty) => {
        nodes_or_output!(<$vector as Vector>::LANES $(, $features)?; |spans, is_output| {
            compress_blake::<Blake3Family, $vector, $compression>(spans, StatesOrOutput(is_output))
        })
    };
}

/// BLAKE3 of few messages, with the words of a state in rows.
#[cfg(target_arch = "x86_64")]
macro_rules! rows {
    ($vectors:literal of $row:ty, $features:literal) => {
        nodes_or_output!($vectors * <$row as Vector>::LANES / 4, $features; |spans, is_output| {
            for span in spans {
                blake3_rows::compress::<$row, $vectors>(span, is_output);
            }
        })
    };
}

/// The rows, for the nodes of trees or for output.
struct Rows<const IS_OUTPUT: bool>;

impl<const IS_OUTPUT: bool> Rows<IS_OUTPUT> {
    /// In 16 lanes, in assembly.
    #[cfg(target_arch = "x86_64")]
    const fn in_assembly() -> Compiled<u32> {
        blake3!(avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2"; InAssembly)
    }

    table!(@rows u32,
        portable [
            Kernel::new("portable", Cycles::any(258, 230, 240, 350).on(Zen3, 250).on(Zen5, 211),
                blake3!(u32)),
        ],
        x86_64 [
            // As fast as `portable` for long messages, faster for one block.
            Kernel::new("avx2-one", Cycles::only(Intel, 257).on(Zen5, 451),
                rows!(1 of sse41::U32x4, "avx2")),
            Kernel::new("avx512-one", Cycles::only(Intel, 195).on(Zen4, 226).on(Zen5, 354),
                rows!(1 of sse41::U32x4, "avx512bw,avx512dq,avx512vl")),
            Kernel::new("avx2-two", Cycles::only(Zen3, 260).on(Intel, 263).on(Zen5, 462),
                rows!(1 of avx2::U32x8, "avx2")),
            Kernel::new("avx512-two", Cycles::only(Intel, 205).on(Zen4, 228).on(Zen5, 365),
                rows!(1 of avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
            Kernel::new("avx2-two-x2", Cycles::only(Zen3, 305).on(Intel, 368).on(Zen5, 494),
                rows!(2 of avx2::U32x8, "avx2")),
            Kernel::new("avx512-four", Cycles::only(Intel, 220).on(Zen4, 285).on(Zen5, 372),
                rows!(1 of avx512::U32x16, "avx512bw,avx512dq,avx512vl")),
            Kernel::new("sse41", Cycles::x86(505, 389).on(Zen3, 540).on(Zen5, 637),
                blake3!(sse41::U32x4, "sse4.1,ssse3")),
            Kernel::new("avx2", Cycles::x86(531, 428).on(Zen3, 480).on(Zen5, 602),
                blake3!(avx2::U32x8, "avx2")),
            // As for MD5, these cores have BMI2, and Miri executes no assembly.
            Kernel::new("avx2-copy", Cycles::only(Zen3, 400).on(Intel, 472).on(Zen5, 540),
                blake3!(avx2::U32x8, "avx2,bmi1,bmi2"; InAssembly)),
            Kernel::new("avx512-256", Cycles::x86(457, 314).on(Zen5, 426),
                blake3!(avx512_256::U32x8, "avx512bw,avx512dq,avx512vl")),
            Kernel::new("avx512-256-copy", Cycles::only(Intel, 373).on(Zen5, 420),
                blake3!(avx512_256::U32x8, "avx512bw,avx512dq,avx512vl"; InAssembly)),
            Kernel::new("avx512", Cycles::x86(584, 533).on(Zen4, 506).on(Zen5, 473),
                blake3!(avx512::U32x16, "avx512bw,avx512dq,avx512vl,bmi2"))
                .if_long(Self::in_assembly()),
            Kernel::new("avx512-copy", Cycles::only(Intel, 545).on(Zen5, 458),
                Self::in_assembly()),
            Kernel::new("avx512-copy-x2", Cycles::only(Zen5, 720),
                blake!(Blake3Family, Interleave<avx512::U32x16>,
                    "avx512bw,avx512dq,avx512vl,bmi2"; InAssembly)),
        ],
        aarch64 [
            Kernel::new("neon", Cycles::only(Arm, 630), blake3!(neon::U32x4, "neon")), ],
        wasm32 [
            Kernel::new("simd128", Cycles::only(Wasm, 560), blake3!(wasm::U32x4, "simd128")), ]
    );
}

impl Kernels for Blake3Family {
    const TABLE: &'static [Kernel<u32>] = Rows::<false>::TABLE;
}

/// All rows but the last ones, which compute no output.
impl Kernels for Blake3Output {
    const TABLE: &'static [Kernel<u32>] = {
        let rows = Rows::<true>::TABLE;
        rows.split_at(rows.len() - cfg!(target_arch = "x86_64") as usize).0
    };
}
