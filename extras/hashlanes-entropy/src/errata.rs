//! CPUs with known faults in their instructions.
//!
//! * **AMD families 15h and 16h**: after suspend and resume, RDRAND returns all ones with carry
//!   set. Neither instruction is used. Linux does the same: "x86/CPU/AMD: Clear RDRAND CPUID bit on
//!   AMD family 15h/16h" (2019).
//! * **AMD Zen 2 with its first firmware**: RDRAND and RDSEED return all ones with carry set, from
//!   the start. The startup test detects it.
//! * **AMD Cyan Skillfish** (family 17h, model 47h): RDSEED returns all ones with carry set. The
//!   startup test detects it.
//! * **AMD Zen 5** (family 1Ah) with its first microcode: RDSEED of 16 and of 32 bits returns zero
//!   with carry set when it has no value (AMD-SB-7055, CVE-2025-62626). The 64-bit form is not
//!   affected, and only that one is used. In 32-bit programs, zero is taken to mean no value.
//!
//! Faults that begin later, for example after a resume, are detected by the test of each request.

#![cfg_attr(
    any(not(any(target_arch = "x86_64", target_arch = "x86")), target_env = "sgx"),
    allow(dead_code, reason = "there is no instruction to refuse")
)]

/// The vendor and family of a CPU.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    vendor: [u8; 12],
    family: u32,
}

impl Identity {
    /// Takes EBX, EDX and ECX of CPUID leaf 0, and EAX of leaf 1.
    pub(crate) fn new(vendor: [u32; 3], version: u32) -> Self {
        let mut name = [0; 12];
        for (bytes, register) in name.chunks_exact_mut(4).zip(vendor) {
            bytes.copy_from_slice(&register.to_le_bytes());
        }
        // The extended family is added only if the base family is 0xf.
        let (base, extended) = (version >> 8 & 0xf, version >> 20 & 0xff);
        Self { vendor: name, family: if base == 0xf { base + extended } else { base } }
    }
}

/// Whether RDRAND and RDSEED of this CPU must never be used.
pub(crate) fn is_faulty(cpu: &Identity) -> bool {
    cpu.vendor == *b"AuthenticAMD" && matches!(cpu.family, 0x15 | 0x16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(vendor: &[u8; 12], version: u32) -> Identity {
        let register = |at: usize| u32::from_le_bytes(vendor[at..at + 4].try_into().unwrap());
        Identity::new([register(0), register(4), register(8)], version)
    }

    #[test]
    fn families_15h_and_16h_of_amd_are_refused() {
        // EAX of leaf 1 of an A10-7850K, a Phenom II (10h), an EPYC 9004 (19h) and a Core i7-4770.
        for (vendor, version, family, faulty) in [
            (b"AuthenticAMD", 0x0063_0f01, 0x15, true),
            (b"AuthenticAMD", 0x0070_0f01, 0x16, true),
            (b"AuthenticAMD", 0x0010_0f43, 0x10, false),
            (b"AuthenticAMD", 0x00a1_0f11, 0x19, false),
            (b"GenuineIntel", 0x0003_06c3, 0x6, false),
            // The same number from another vendor means another CPU.
            (b"GenuineIntel", 0x0063_0f01, 0x15, false),
        ] {
            let cpu = cpu(vendor, version);
            assert_eq!(cpu.family, family);
            assert_eq!(is_faulty(&cpu), faulty, "{cpu:?}");
        }
    }
}
