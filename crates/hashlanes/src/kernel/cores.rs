//! The cores for which rows have cycles, and the models of the CPUs that have them.

/// Cores that run the kernels at different relative speeds. See the cycles in `kernel/table/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cores {
    Intel,
    /// AMD's, except for those with a variant of their own.
    Amd,
    Zen3,
    Zen4,
    /// Those with units of 512 bits. In laptops Zen 5 has units of 256 bits, as Zen 4 has.
    Zen5,
    Arm,
    /// WebAssembly does not say on whose core it runs.
    Wasm,
}

impl Cores {
    const ALL: [Self; 7] =
        [Self::Intel, Self::Amd, Self::Zen3, Self::Zen4, Self::Zen5, Self::Arm, Self::Wasm];
    pub(super) const COUNT: usize = Self::ALL.len();

    /// The core with this place in a row's cycles.
    pub(super) fn at(place: usize) -> Option<Self> {
        Self::ALL.get(place).copied()
    }

    /// The core of a CPU of AMD's with this signature.
    #[allow(dead_code, reason = "only CPUs for x86-64 are asked for their models")]
    pub(super) fn of_amd(signature: u32) -> Self {
        match family_and_model(signature) {
            (0x19, 0x00..=0x0f | 0x20..=0x5f) => Self::Zen3,
            (0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Self::Zen4,
            // Models 0x20 to 0x3f and 0x60 to 0x7f are Zen 5 too (Linux, `bsp_init_amd`), but for
            // laptops.
            (0x1a, 0x00..=0x1f | 0x40..=0x4f) => Self::Zen5,
            _ => Self::Amd,
        }
    }
}

/// The family and the model of a CPU, from leaf 1 of CPUID (AMD APM volume 3, appendix E).
#[allow(dead_code, reason = "only CPUs for x86-64 are asked for their models")]
fn family_and_model(signature: u32) -> (u32, u32) {
    let bits = |from: u32, count: u32| signature >> from & ((1 << count) - 1);
    match bits(8, 4) {
        // Family 15 has an extension, and so has its model.
        0xf => (0xf + bits(20, 8), bits(16, 4) << 4 | bits(4, 4)),
        family => (family, bits(4, 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signatures that AMD publishes.
    #[test]
    fn families_and_models() {
        for (name, signature, expected) in [
            ("Zen 3, EPYC 7763", 0x00a0_0f11, (0x19, 0x01)),
            ("Zen 3, Ryzen 9 5950X", 0x00a2_0f10, (0x19, 0x21)),
            ("Zen 3, Ryzen 7 5800H", 0x00a5_0f00, (0x19, 0x50)),
            ("Zen 4, EPYC 9654", 0x00a1_0f11, (0x19, 0x11)),
            ("Zen 4, Ryzen 9 7950X", 0x00a6_0f12, (0x19, 0x61)),
            ("Zen 5, EPYC 9755", 0x00b0_0f21, (0x1a, 0x02)),
            ("Zen 5, Ryzen 9 9950X", 0x00b4_0f40, (0x1a, 0x44)),
            ("Opteron", 0x0000_0f5a, (0x0f, 0x05)),
            ("Pentium III", 0x0000_0673, (0x06, 0x07)),
        ] {
            assert_eq!(family_and_model(signature), expected, "{name}");
        }
    }
}
