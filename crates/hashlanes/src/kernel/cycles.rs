//! The cycles in the table.

use super::cores::Cores;

/// Cycles for one block of all lanes, on each kind of [`Cores`]. Only ratios matter: they decide
/// how many messages a wide kernel needs to beat a narrow one. `docs/design/kernels.md` says which
/// are measured and which are estimated.
#[derive(Clone, Copy)]
pub(crate) struct Cycles([u16; Cores::COUNT]);

/// The cycles of a kernel that cannot run on these cores, or has not been measured there. Another
/// kernel always takes fewer.
const NEVER: u16 = u16::MAX;

#[allow(dead_code, reason = "some architectures have portable kernels only")]
impl Cycles {
    /// Of a kernel that is only chosen by its name, until somebody measures it.
    pub(crate) const UNMEASURED: Self = Self([NEVER; Cores::COUNT]);

    /// Of a kernel for any CPU. AMD's are those of all its cores. CPUs of other makers count as
    /// Intel's.
    pub(crate) const fn any(intel: u16, amd: u16, arm: u16, wasm: u16) -> Self {
        Self::x86(intel, amd).on(Cores::Arm, arm).on(Cores::Wasm, wasm)
    }

    /// Of a kernel for x86-64.
    pub(crate) const fn x86(intel: u16, amd: u16) -> Self {
        let amds = Self::only(Cores::Amd, amd).on(Cores::Zen3, amd).on(Cores::Zen4, amd);
        amds.on(Cores::Zen5, amd).on(Cores::Intel, intel)
    }

    /// Of a kernel that is chosen on these cores: elsewhere it is slower, or not measured.
    pub(crate) const fn only(cores: Cores, cycles: u16) -> Self {
        Self::UNMEASURED.on(cores, cycles)
    }

    /// Where these cores differ from the others of their maker, or have been measured as well.
    pub(crate) const fn on(mut self, cores: Cores, cycles: u16) -> Self {
        self.0[cores as usize] = cycles;
        self
    }

    /// Those of the running CPU.
    pub(super) fn here(self) -> u64 {
        u64::from(self.0[Cores::detected() as usize])
    }

    /// Those of all cores but WebAssembly's, in the order of [`Cores`].
    #[cfg(feature = "export")]
    pub(super) const fn of_cores(self) -> [u16; Cores::Wasm as usize] {
        let [rest @ .., _wasm] = self.0;
        rest
    }
}
