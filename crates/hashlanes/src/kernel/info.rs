//! What users can see of kernels: names, lanes and required CPU features.

use core::fmt;

use super::contract::Kernel;
use super::cpu::Features;

/// One kernel of an algorithm.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The number of messages that it hashes side by side.
    pub lanes: usize,
    needs: Features,
    missing: Features,
}

impl KernelInfo {
    pub(crate) fn new<W>(kernel: &Kernel<W>) -> Self {
        Self {
            name: kernel.name,
            lanes: kernel.lanes,
            needs: kernel.needs,
            missing: kernel.missing(),
        }
    }

    /// Whether it can run here.
    pub fn is_available(&self) -> bool {
        self.missing().next().is_none()
    }

    /// The names of the CPU features that it needs, as in [`cpu_features`]. The portable kernel
    /// needs none.
    ///
    /// ```
    /// use hashlanes::Algorithm;
    ///
    /// let kernels: Vec<_> = Algorithm::Md5.kernels().collect();
    /// assert_eq!(kernels[0].name, "portable");
    /// assert_eq!(kernels[0].needs().count(), 0);
    /// ```
    pub fn needs(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.needs.names()
    }

    /// The names of the required features that this CPU or the operating system lacks. Empty if the
    /// kernel can run here.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.missing.names()
    }
}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Missing<'a>(&'a KernelInfo);
        impl fmt::Debug for Missing<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.0.missing()).finish()
            }
        }
        f.debug_struct("KernelInfo")
            .field("name", &self.name)
            .field("lanes", &self.lanes)
            .field("missing", &Missing(self))
            .finish()
    }
}

/// The CPU features that kernels need. Each comes with whether this CPU has it and the operating
/// system enables it.
///
/// ```
/// for (feature, present) in hashlanes::kernels::cpu_features() {
///     println!("{feature}: {present}");
/// }
/// ```
pub fn cpu_features() -> impl ExactSizeIterator<Item = (&'static str, bool)> {
    let seen = Features::detected();
    Features::NAMED.into_iter().map(move |(feature, name)| (name, seen.contain(feature)))
}
