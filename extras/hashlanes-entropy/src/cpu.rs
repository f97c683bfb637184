//! The instructions RDRAND and RDSEED, and the CPU's identity from CPUID.
//!
//! This file has all `unsafe` code of the crate: calls of intrinsics that not every CPU supports.

use crate::failure::Failure;
use crate::step::Step;

/// An instruction of the CPU.
pub(crate) enum Cpu {
    /// Output of a generator in the CPU, which the CPU seeds itself.
    Rdrand,
    /// Conditioned output of the CPU's entropy source.
    Rdseed,
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
#[allow(unused_unsafe, reason = "Rust that is newer than 1.89 knows when intrinsics are safe")]
mod x86 {
    #[cfg(target_arch = "x86")]
    use core::arch::x86 as arch;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64 as arch;
    use std::arch::is_x86_feature_detected;

    use super::{Cpu, Failure, Step};
    #[cfg(not(target_env = "sgx"))]
    use crate::errata::{self, Identity};
    use crate::failure::Fault;

    impl Step for Cpu {
        fn refused(&self) -> Option<Failure> {
            let present = match self {
                Self::Rdrand => is_x86_feature_detected!("rdrand"),
                Self::Rdseed => is_x86_feature_detected!("rdseed"),
            };
            if !present {
                return Some(Failure::Unsupported);
            }
            is_faulty().then_some(Failure::Faulty(Fault::Erratum))
        }

        fn step(&self) -> Option<u64> {
            match self {
                // SAFETY: the check shows that the CPU has RDRAND.
                Self::Rdrand if is_x86_feature_detected!("rdrand") => unsafe { rdrand() },
                // SAFETY: the check shows that the CPU has RDSEED.
                Self::Rdseed if is_x86_feature_detected!("rdseed") => unsafe { rdseed() },
                _ => None,
            }
        }
    }

    /// One RDRAND. The intrinsic returns the carry flag.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "rdrand")]
    fn rdrand() -> Option<u64> {
        let mut word = 0;
        // SAFETY: the `target_feature` attribute ensures that the CPU has RDRAND.
        let carry = unsafe { arch::_rdrand64_step(&mut word) };
        (carry == 1).then_some(word)
    }

    /// One RDSEED. The intrinsic returns the carry flag.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "rdseed")]
    fn rdseed() -> Option<u64> {
        let mut word = 0;
        // SAFETY: the `target_feature` attribute ensures that the CPU has RDSEED.
        let carry = unsafe { arch::_rdseed64_step(&mut word) };
        (carry == 1).then_some(word)
    }

    /// Two RDRANDs of 32 bits, as there is no 64-bit form in this mode.
    #[cfg(target_arch = "x86")]
    #[target_feature(enable = "rdrand")]
    fn rdrand() -> Option<u64> {
        let (mut low, mut high) = (0, 0);
        // SAFETY: the `target_feature` attribute ensures that the CPU has RDRAND.
        let both = unsafe { arch::_rdrand32_step(&mut low) & arch::_rdrand32_step(&mut high) };
        (both == 1).then_some(u64::from(high) << 32 | u64::from(low))
    }

    /// Two RDSEEDs of 32 bits, as there is no 64-bit form in this mode. A zero is taken to mean no
    /// value, because Zen 5 returns zero with carry set when it has none (AMD-SB-7055). This also
    /// discards one good value in 2^32.
    #[cfg(target_arch = "x86")]
    #[target_feature(enable = "rdseed")]
    fn rdseed() -> Option<u64> {
        let (mut low, mut high) = (0, 0);
        // SAFETY: the `target_feature` attribute ensures that the CPU has RDSEED.
        let both = unsafe { arch::_rdseed32_step(&mut low) & arch::_rdseed32_step(&mut high) };
        (both == 1 && low != 0 && high != 0).then_some(u64::from(high) << 32 | u64::from(low))
    }

    /// SGX enclaves cannot execute CPUID, and run on Intel's CPUs only, which have no erratum.
    #[cfg(target_env = "sgx")]
    fn is_faulty() -> bool {
        false
    }

    #[cfg(not(target_env = "sgx"))]
    fn is_faulty() -> bool {
        errata::is_faulty(&identity())
    }

    /// The vendor and family of this CPU.
    #[cfg(not(target_env = "sgx"))]
    fn identity() -> Identity {
        // SAFETY: every x86 CPU that Rust's standard library supports has CPUID with leaves 0 and
        // 1, and may execute it, since this is no SGX enclave.
        let (vendor, version) = unsafe { (arch::__cpuid(0), arch::__cpuid(1).eax) };
        Identity::new([vendor.ebx, vendor.edx, vendor.ecx], version)
    }

    #[cfg(test)]
    mod tests {
        use std::thread;

        use super::*;

        /// When several cores use RDSEED constantly, about half of its runs have no value. They set
        /// the word to zero.
        #[test]
        fn a_run_without_a_value_gives_no_word() {
            let no_zeros = || (0..20_000).filter_map(|_| Cpu::Rdseed.step()).all(|word| word != 0);
            thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(no_zeros)).collect();
                assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
            });
        }

        #[test]
        fn consecutive_words_differ() {
            for step in [Cpu::Rdrand, Cpu::Rdseed] {
                if step.refused().is_none() {
                    let words: Vec<_> = (0..1000).filter_map(|_| step.step()).take(8).collect();
                    assert_eq!(words.len(), 8);
                    assert!(words.windows(2).all(|pair| pair[0] != pair[1]));
                } else {
                    eprintln!("NOT TESTED: {:?}", step.refused());
                }
            }
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
mod others {
    use super::{Cpu, Failure, Step};

    impl Step for Cpu {
        fn refused(&self) -> Option<Failure> {
            Some(Failure::Unsupported)
        }

        fn step(&self) -> Option<u64> {
            None
        }
    }
}
