//! The table of kernels.

use super::contract::Kernel;
#[cfg(target_arch = "x86_64")]
use super::{
    contract::LaneMemory,
    registers::{AesNi, Vaes256, Vaes512},
    rounds,
    vector::Vector,
};

/// A row of the table. The CPU is asked for the same features for which the code is compiled.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($name:literal, $registers:literal of $vector:ty, [$($feature:tt),*], $cycles:expr) => {{
        $(#[target_feature(enable = $feature)])*
        unsafe fn encrypt<const ROUNDS: usize, const ONE_KEY: bool>(
            lanes: &mut LaneMemory,
            blocks: usize,
        ) {
            // SAFETY: this function has the contract of `Encrypt` itself, for the lanes of the row.
            unsafe { rounds::encrypt::<$vector, $registers, ROUNDS, ONE_KEY>(lanes, blocks) }
        }
        Kernel {
            name: $name,
            lanes: $registers * <$vector as Vector>::LANES,
            available: || true $(&& std::is_x86_feature_detected!($feature))*,
            cycles: $cycles,
            own_keys: [encrypt::<10, false>, encrypt::<12, false>, encrypt::<14, false>],
            one_key: [encrypt::<10, true>, encrypt::<12, true>, encrypt::<14, true>],
        }
    }};
}

/// The kernels that run lanes, the narrowest first.
///
/// `vaes256vl-x8` is `vaes256-x8` with the 32 registers of AVX-512, in which one key stays with its
/// lanes: it takes 47 cycles for a block under one key, the other one 54.
///
/// The cycles of AMD were measured on Zen 4. Those of Intel are estimates for Ice Lake, which
/// begins one round in a cycle whatever the width.
#[cfg(target_arch = "x86_64")]
pub(super) static TABLE: &[Kernel] = &[
    kernel!("aes-ni", 1 of AesNi, ["aes", "sse2"], (32, 41)),
    kernel!("aes-ni-x4", 4 of AesNi, ["aes", "sse2"], (44, 42)),
    kernel!("aes-ni-x8", 8 of AesNi, ["aes", "sse2"], (88, 54)),
    kernel!("vaes256-x4", 4 of Vaes256, ["vaes", "avx2"], (46, 44)),
    kernel!("vaes256-x8", 8 of Vaes256, ["vaes", "avx2"], (90, 71)),
    kernel!("vaes256vl-x8", 8 of Vaes256, ["vaes", "avx2", "avx512f", "avx512vl"], (89, 70)),
    kernel!("vaes512-x4", 4 of Vaes512, ["vaes", "avx512f"], (50, 73)),
    kernel!("vaes512-x8", 8 of Vaes512, ["vaes", "avx512f"], (98, 155)),
];

/// No kernel runs lanes here: the portable one encrypts.
#[cfg(not(target_arch = "x86_64"))]
pub(super) static TABLE: &[Kernel] = &[];
