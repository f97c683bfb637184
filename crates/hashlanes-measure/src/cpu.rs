//! Tells which core this is, and keeps a thread on it.

use std::fmt;

use serde::Serialize;

/// A kind of core for which [bounds](crate::bound) have been counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Core {
    /// Intel's Golden Cove in Xeons: Sapphire Rapids and Emerald Rapids.
    GoldenCove,
    /// AMD's Zen 3.
    Zen3,
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::GoldenCove => "Golden Cove",
            Self::Zen3 => "Zen 3",
        })
    }
}

impl Core {
    /// The kind of a core, by CPUID's family and model.
    fn of(vendor: &str, family: u8, model: u8) -> Option<Self> {
        match (vendor, family, model) {
            ("GenuineIntel", 0x06, 0x8f | 0xcf) => Some(Self::GoldenCove),
            ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x2f | 0x40..=0x5f) => Some(Self::Zen3),
            _ => None,
        }
    }
}

/// The CPU that runs this program.
#[derive(Clone, Debug, Serialize)]
pub struct Cpu {
    /// Its name, by CPUID.
    pub name: String,
    /// The kind of its cores, if bounds are known for it.
    pub core: Option<Core>,
    /// Bytes of the second-level cache of a core, if CPUID tells.
    pub l2: Option<usize>,
}

impl Cpu {
    /// Asks CPUID.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Self {
        let cpuid = raw_cpuid::CpuId::new();
        let vendor = cpuid.get_vendor_info();
        let features = cpuid.get_feature_info();
        let core = vendor.as_ref().zip(features.as_ref()).and_then(|(vendor, features)| {
            Core::of(vendor.as_str(), features.family_id(), features.model_id())
        });
        let name = cpuid.get_processor_brand_string().map(|name| name.as_str().trim().to_owned());
        let told = cpuid
            .get_cache_parameters()
            .and_then(|mut caches| caches.find(|cache| cache.level() == 2))
            .map(|cache| {
                cache.associativity()
                    * cache.physical_line_partitions()
                    * cache.coherency_line_size()
                    * cache.sets()
            });
        let amd = || {
            cpuid
                .get_l2_l3_cache_and_tlb_info()
                .map(|caches| usize::from(caches.l2cache_size()) * 1024)
        };
        let l2 = told.or_else(amd).filter(|&bytes| bytes > 0);
        Self { name: name.unwrap_or_else(|| "unknown x86-64".to_owned()), core, l2 }
    }

    /// Only the architecture's name: programs cannot ask this CPU for more.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Self {
        Self { name: std::env::consts::ARCH.to_owned(), core: None, l2: None }
    }
}

/// The operating system's numbers of the CPUs that this process may run on. Empty where the system
/// does not tell.
pub fn allowed() -> Vec<usize> {
    core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect()
}

/// Pins the calling thread to one CPU, with the threads and processes that it starts from now on.
/// False if the operating system refuses.
pub fn pin(cpu: usize) -> bool {
    core_affinity::set_for_current(core_affinity::CoreId { id: cpu })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_told_by_family_and_model() {
        assert_eq!(Core::of("GenuineIntel", 6, 0xcf), Some(Core::GoldenCove));
        assert_eq!(Core::of("AuthenticAMD", 0x19, 0x01), Some(Core::Zen3));
        assert_eq!(Core::of("AuthenticAMD", 0x19, 0x11), None, "Zen 4");
        assert_eq!(Core::of("GenuineIntel", 6, 0x6a), None, "Ice Lake");
    }

    #[test]
    fn a_thread_can_be_pinned_where_it_may_run() {
        let cpus = allowed();
        assert!(
            cpus.last().is_none_or(|&cpu| std::thread::spawn(move || pin(cpu)).join().unwrap())
        );
    }
}
