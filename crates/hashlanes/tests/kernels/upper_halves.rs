//! No call leaves the upper halves of vector registers in use. On some cores an instruction without
//! a VEX encoding, as all of the caller may be, takes hundreds of cycles beside others meanwhile.

use std::arch::x86_64::{__cpuid, __cpuid_count, _mm256_zeroupper, _xgetbv};
use std::hint::black_box;

use hashlanes::{Algorithm, Engine};

/// Whether the upper halves of registers 0 to 15 are in use (Intel SDM volume 1, 13.6).
#[target_feature(enable = "avx,xsave")]
fn in_use() -> bool {
    // SAFETY: the only caller has asked the CPU for register 1.
    unsafe { _xgetbv(1) & 1 << 2 != 0 }
}

#[target_feature(enable = "avx")]
fn clear() {
    _mm256_zeroupper();
}

#[test]
fn no_call_leaves_upper_halves_in_use() {
    if !std::is_x86_feature_detected!("avx") || !std::is_x86_feature_detected!("xsavec") {
        return;
    }
    #[allow(unused_unsafe, reason = "CPUID became a safe function in Rust 1.93")]
    // SAFETY: every x86-64 CPU has leaf 0, and one with XSAVEC has leaf 13.
    let (maker, leaf13) = unsafe { (__cpuid(0).ebx, __cpuid_count(0xd, 1).eax) };
    // AMD does not promise that the register says 0 after VZEROUPPER.
    let is_intel = maker.to_le_bytes() == *b"Genu";
    let has_register_1 = leaf13 & 1 << 2 != 0;
    if !is_intel || !has_register_1 {
        return;
    }
    let bytes = vec![7; 1000];
    for &algorithm in Algorithm::ALL {
        for kernel in algorithm.kernels() {
            let Ok(engine) = Engine::of(algorithm).kernel(kernel.name) else { continue };
            for (length, count) in
                [1, 64, 129, 900].into_iter().flat_map(|l| [1, 2, 5, 33].map(|c| (l, c)))
            {
                for step in [0, 3] {
                    let messages: Vec<_> =
                        (0..count).map(|i| &bytes[..length + step * i]).collect();
                    // SAFETY: the CPU has AVX, and XGETBV of register 1, as seen above.
                    let left = unsafe {
                        clear();
                        black_box(engine.digest_many(&messages));
                        in_use()
                    };
                    assert!(!left, "{algorithm} in {}: {count} of {length}", kernel.name);
                }
            }
        }
    }
}
