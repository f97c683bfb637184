//! The features of this CPU.
//!
//! A feature counts only when the CPU reports it *and* the operating system saves the registers
//! that it uses (XGETBV). On a system that does not enable the 512-bit state a kernel with AVX-512
//! would be killed. `std::is_x86_feature_detected!` says the same, but this crate works without
//! `std`. A test compares the two.
//!
//! On Arm, programs may not ask the CPU itself. The operating system tells them (HWCAP on Linux,
//! sysctl on macOS), and `std` knows how to ask. Without `std` only the features count for which
//! the code is compiled: NEON, except on targets without floating point.

use core::sync::atomic::{AtomicU32, Ordering};

use super::cores::Cores;

/// A set of CPU features that kernels ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Features(u32);

#[allow(dead_code, reason = "each architecture uses the features that it has")]
impl Features {
    /// No requirement.
    pub(crate) const NONE: Self = Self(0);
    /// SSSE3 and SSE4.1.
    pub(crate) const SSE41: Self = Self(1);
    /// AVX2, with the 256-bit registers enabled.
    pub(crate) const AVX2: Self = Self(1 << 1);
    /// AVX-512 F, BW, DQ and VL, with the 512-bit registers enabled, and what the compiler takes
    /// for granted with them: AVX2, FMA and F16C. Every CPU with AVX-512 has these, except the Xeon
    /// Phi, but a hypervisor may hide any of them.
    pub(crate) const AVX512: Self = Self(1 << 2);
    /// The SHA extensions (SHA-1 and SHA-256).
    pub(crate) const SHA_NI: Self = Self(1 << 3);
    /// BMI1 and BMI2: and-not and three-operand rotation in the integer registers.
    pub(crate) const BMI2: Self = Self(1 << 4);
    /// NEON (Advanced SIMD of 64-bit Arm).
    pub(crate) const NEON: Self = Self(1 << 5);
    /// Arm's SHA-1 and SHA-256 instructions, and NEON.
    pub(crate) const ARM_SHA2: Self = Self(1 << 6);
    /// Arm's SHA-512 instructions and NEON. The compiler has one name for these and for the SHA-3
    /// instructions, and `std` finds it only where a CPU has both.
    pub(crate) const ARM_SHA3: Self = Self(1 << 7);
    /// The SHA512 instructions of x86, with the 256-bit registers enabled.
    pub(crate) const SHA512_NI: Self = Self(1 << 8);
    /// The SM3 instructions of x86, with the 256-bit registers enabled.
    pub(crate) const SM3_NI: Self = Self(1 << 9);
    /// WebAssembly's vectors of 128 bits.
    pub(crate) const SIMD128: Self = Self(1 << 10);
    /// AVX-512 VBMI2, with the 512-bit registers enabled.
    pub(crate) const VBMI2: Self = Self(1 << 11);
    /// MOVBE: loads that reverse bytes.
    pub(crate) const MOVBE: Self = Self(1 << 12);
    /// Instructions without a VEX encoding, as those of the SHA extensions are, may stand between
    /// those that use the upper halves of vector registers: an AMD core, if it has AVX-512. On
    /// Intel's cores each change from one kind to the other takes 200 cycles.
    pub(crate) const MIXED_ENCODINGS: Self = Self(1 << 13);

    /// Every feature of this architecture with the name under which it is shown.
    #[cfg(not(any(
        all(target_arch = "aarch64", target_feature = "neon"),
        target_arch = "wasm32"
    )))]
    pub(crate) const NAMED: [(Self, &'static str); 10] = [
        (Self::SSE41, "sse4.1"),
        (Self::AVX2, "avx2"),
        (Self::AVX512, "avx512"),
        (Self::VBMI2, "avx512-vbmi2"),
        (Self::SHA_NI, "sha-ni"),
        (Self::BMI2, "bmi2"),
        (Self::MOVBE, "movbe"),
        (Self::SHA512_NI, "sha512-ni"),
        (Self::SM3_NI, "sm3-ni"),
        (Self::MIXED_ENCODINGS, "mixed-encodings"),
    ];

    /// Every feature of this architecture with the name under which it is shown.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    pub(crate) const NAMED: [(Self, &'static str); 3] =
        [(Self::NEON, "neon"), (Self::ARM_SHA2, "sha2"), (Self::ARM_SHA3, "sha3")];

    /// Every feature of this architecture with the name under which it is shown.
    #[cfg(target_arch = "wasm32")]
    pub(crate) const NAMED: [(Self, &'static str); 1] = [(Self::SIMD128, "simd128")];

    /// What a CPU must have to run code compiled with these target features.
    ///
    /// # Panics
    /// If no kernel is compiled with them: name them here.
    pub(crate) const fn of_target(target_features: &str) -> Self {
        match target_features.as_bytes() {
            b"bmi1,bmi2" => Self::BMI2,
            b"sse4.1,ssse3" => Self::SSE41,
            b"avx2" => Self::AVX2,
            b"avx2,bmi1,bmi2" => Self::AVX2.and(Self::BMI2),
            b"avx512bw,avx512dq,avx512vl" => Self::AVX512,
            b"avx512bw,avx512dq,avx512vl,bmi2" => Self::AVX512.and(Self::BMI2),
            b"avx512bw,avx512dq,avx512vl,bmi2,movbe" => {
                Self::AVX512.and(Self::BMI2).and(Self::MOVBE)
            }
            b"sha,sse4.1,ssse3" => Self::SHA_NI.and(Self::SSE41),
            b"sha,avx2" => Self::SHA_NI.and(Self::AVX2),
            b"sha,avx512bw,avx512dq,avx512vl,avx512vbmi2" => {
                Self::SHA_NI.and(Self::AVX512).and(Self::VBMI2).and(Self::MIXED_ENCODINGS)
            }
            b"sha512,avx2" => Self::SHA512_NI.and(Self::AVX2),
            b"sm3,avx" => Self::SM3_NI,
            b"neon" => Self::NEON,
            b"neon,sha2" => Self::ARM_SHA2,
            b"neon,sha3" => Self::ARM_SHA3,
            b"simd128" => Self::SIMD128,
            _ => panic!("features that no kernel is compiled with"),
        }
    }

    /// The features of both sets.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `needed` are in this set.
    pub(crate) const fn contain(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// The features of `self` that are not in `other`.
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The names of the features of this set.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMED
            .into_iter()
            .filter(move |(feature, _)| self.contain(*feature))
            .map(|(_, name)| name)
    }

    /// The features of the running CPU.
    #[inline]
    pub(crate) fn detected() -> Self {
        Self(seen() & FEATURE_BITS)
    }
}

impl Cores {
    /// The core of the running CPU. For CPUs of other makers, the one whose cycles are used.
    pub(crate) fn detected() -> Self {
        match () {
            () if cfg!(all(target_arch = "aarch64", target_feature = "neon")) => Self::Arm,
            () if cfg!(target_arch = "wasm32") => Self::Wasm,
            () => Self::at((seen() >> CORES_SHIFT & 0xff) as usize).unwrap_or(Self::Intel),
        }
    }
}

const FEATURE_BITS: u32 = 0xffff;
/// Above the features is the place of the core.
const CORES_SHIFT: u32 = 16;
/// Set once the CPU has been looked at.
const SEEN: u32 = 1 << 31;

#[inline]
fn seen() -> u32 {
    // In a virtual machine CPUID traps to the hypervisor and takes microseconds, so it is asked
    // once. Threads that race here all store the same value, so no stronger ordering is needed.
    static CACHE: AtomicU32 = AtomicU32::new(0);
    let cached = CACHE.load(Ordering::Relaxed);
    if cached & SEEN != 0 {
        return cached;
    }
    let found = look() | SEEN;
    CACHE.store(found, Ordering::Relaxed);
    found
}

#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, target_env = "sgx"))
))]
fn look() -> u32 {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    #[target_feature(enable = "xsave")]
    fn enabled_registers() -> u64 {
        // SAFETY: the only caller has seen OSXSAVE, which says that XGETBV may be executed.
        // Register 0 always exists.
        unsafe { _xgetbv(0) }
    }

    #[allow(unused_unsafe, reason = "CPUID became a safe function in Rust 1.93")]
    // SAFETY: every x86-64 CPU has CPUID with leaves 0 and 1, and may execute it, since this is no
    // SGX enclave. Leaf 7 is asked for only if leaf 0 says that it exists, and its subleaf 1 only
    // if subleaf 0 says so.
    let (leaf0, leaf1, (leaf7, leaf7_ecx), leaf7_1) = unsafe {
        let leaf0 = __cpuid(0);
        let (subleaves, leaf7) = match leaf0.eax {
            7.. => {
                let leaf7 = __cpuid_count(7, 0);
                (leaf7.eax, (leaf7.ebx, leaf7.ecx))
            }
            _ => (0, (0, 0)),
        };
        let leaf7_1 = if subleaves >= 1 { __cpuid_count(7, 1).eax } else { 0 };
        (leaf0, __cpuid(1), leaf7, leaf7_1)
    };
    let bit = |register: u32, bit: u32| register >> bit & 1 == 1;

    // SAFETY: OSXSAVE (bit 27) says that the CPU has XSAVE and that the operating system enabled
    // it.
    let registers = if bit(leaf1.ecx, 27) { unsafe { enabled_registers() } } else { 0 };
    // XCR0: 1 = XMM, 2 = upper halves of YMM, 5..=7 = mask registers and the rest of ZMM (Intel SDM
    // volume 1, 13.3).
    let ymm = registers & 0x06 == 0x06;
    let zmm = registers & 0xe6 == 0xe6;

    let mut found = Features::NONE;
    let mut add = |present: bool, feature: Features| {
        if present {
            found = found.and(feature);
        }
    };
    add(bit(leaf1.ecx, 9) && bit(leaf1.ecx, 19), Features::SSE41);
    add(ymm && bit(leaf1.ecx, 28) && bit(leaf7, 5), Features::AVX2);
    // FMA, AVX and F16C; AVX2, AVX512F, DQ, BW and VL.
    let implied = [12, 28, 29].iter().all(|&b| bit(leaf1.ecx, b));
    let avx512 = implied && [5, 16, 17, 30, 31].iter().all(|&b| bit(leaf7, b));
    add(zmm && avx512, Features::AVX512);
    add(zmm && bit(leaf7_ecx, 6), Features::VBMI2);
    add(bit(leaf7, 29), Features::SHA_NI);
    add(bit(leaf7, 3) && bit(leaf7, 8), Features::BMI2);
    add(bit(leaf1.ecx, 22), Features::MOVBE);
    add(ymm && bit(leaf1.ecx, 28) && bit(leaf7_1, 0), Features::SHA512_NI);
    add(ymm && bit(leaf1.ecx, 28) && bit(leaf7_1, 1), Features::SM3_NI);

    // "AuthenticAMD" and "HygonGenuine" (whose cores are AMD's Zen), by their first four letters.
    let amd = [*b"Auth", *b"Hygo"].contains(&leaf0.ebx.to_le_bytes());
    if amd && found.contain(Features::AVX512) {
        found = found.and(Features::MIXED_ENCODINGS);
    }
    let cores = if amd { Cores::of_amd(leaf1.eax) } else { Cores::Intel };
    found.0 | (cores as u32) << CORES_SHIFT
}

/// The assembly takes pointers of 64 bits, in registers and in memory. Where they have 32 (x32),
/// only portable kernels run.
#[cfg(all(
    target_arch = "x86_64",
    not(target_pointer_width = "64"),
    not(any(miri, target_env = "sgx"))
))]
fn look() -> u32 {
    Features::NONE.0
}

/// Miri has no CPUID, and SGX enclaves cannot execute it. The features are those that the code is
/// compiled for.
#[cfg(all(target_arch = "x86_64", any(miri, target_env = "sgx")))]
fn look() -> u32 {
    let mut found = Features::NONE;
    if cfg!(target_feature = "avx2") {
        found = found.and(Features::SSE41).and(Features::AVX2);
    }
    found.0
}

/// With `std` the operating system is asked; without, the features are those that the code is
/// compiled for.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
fn look() -> u32 {
    #[cfg(all(feature = "std", not(miri)))]
    macro_rules! has {
        ($feature:tt) => {
            std::arch::is_aarch64_feature_detected!($feature)
        };
    }
    #[cfg(not(all(feature = "std", not(miri))))]
    macro_rules! has {
        ($feature:tt) => {
            cfg!(target_feature = $feature)
        };
    }
    let mut found = Features::NONE;
    if has!("neon") {
        found = found.and(Features::NEON);
        if has!("sha2") {
            found = found.and(Features::ARM_SHA2);
        }
        if has!("sha3") {
            found = found.and(Features::ARM_SHA3);
        }
    }
    found.0
}

/// An engine refuses a module with instructions that it lacks. So the features are those that the
/// code is compiled for.
#[cfg(target_arch = "wasm32")]
fn look() -> u32 {
    if cfg!(target_feature = "simd128") { Features::SIMD128.0 } else { Features::NONE.0 }
}

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    target_arch = "wasm32"
)))]
fn look() -> u32 {
    Features::NONE.0
}

#[cfg(all(test, feature = "all", feature = "std", target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn detection_agrees_with_the_standard_library() {
        use std::is_x86_feature_detected as has;
        let seen = Features::detected();
        assert_eq!(seen.contain(Features::SSE41), has!("ssse3") && has!("sse4.1"));
        assert_eq!(seen.contain(Features::AVX2), has!("avx2"));
        let avx512 = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        let implied = has!("avx2") && has!("fma") && has!("f16c");
        assert_eq!(seen.contain(Features::AVX512), avx512 && implied);
        assert_eq!(seen.contain(Features::VBMI2), has!("avx512vbmi2"));
        assert_eq!(seen.contain(Features::SHA_NI), has!("sha"));
        assert_eq!(seen.contain(Features::BMI2), has!("bmi1") && has!("bmi2"));
        assert_eq!(seen.contain(Features::MOVBE), has!("movbe"));
        assert_eq!(seen.contain(Features::SHA512_NI), has!("sha512"));
        assert_eq!(seen.contain(Features::SM3_NI), has!("sm3"));
    }
}
