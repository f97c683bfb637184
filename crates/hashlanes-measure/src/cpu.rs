//! Detects the core type, and pins threads to cores.

use serde::Serialize;

#[cfg(target_arch = "x86_64")]
use crate::cores::Identity;
pub use crate::cores::{Core, ToldBy};

/// The CPU that runs this program.
#[derive(Clone, Debug, Serialize)]
pub struct Cpu {
    /// Its name, from CPUID.
    pub name: String,
    /// The type of its cores, if bounds are known for it.
    pub core: Option<Core>,
    /// How the core type was determined, if it was.
    pub told_by: Option<ToldBy>,
    /// Bytes in a core's second-level cache, if CPUID reports it.
    pub l2: Option<usize>,
}

impl Cpu {
    /// Queries CPUID.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Self {
        let cpuid = raw_cpuid::CpuId::new();
        let (core, told_by) = core(&cpuid).unzip();
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
        Self { name: name.unwrap_or_else(|| "unknown x86-64".to_owned()), core, told_by, l2 }
    }

    /// Only the name of the architecture: programs cannot query other CPUs for more.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Self {
        Self { name: std::env::consts::ARCH.to_owned(), core: None, told_by: None, l2: None }
    }

    /// The same CPU, with the core type that the user names.
    pub fn with_core(self, core: Core) -> Self {
        Self { core: Some(core), told_by: Some(ToldBy::Name), ..self }
    }
}

/// The core type, and how it was determined.
#[cfg(target_arch = "x86_64")]
fn core<R: raw_cpuid::CpuIdReader>(cpuid: &raw_cpuid::CpuId<R>) -> Option<(Core, ToldBy)> {
    let (vendor, version) = (cpuid.get_vendor_info()?, cpuid.get_feature_info()?);
    let known = Identity {
        vendor: vendor.as_str(),
        family: version.family_id(),
        model: version.model_id(),
        ..Identity::default()
    };
    Core::of(&match cpuid.get_extended_feature_info() {
        Some(features) => Identity {
            avx512: features.has_avx512vbmi2(),
            vaes: features.has_vaes(),
            avx_vnni: features.has_avx_vnni(),
            fp16_or_amx: features.has_avx512_fp16() || features.has_amx_tile(),
            ..known
        },
        None => known,
    })
}

/// The operating system's numbers of the CPUs that this process may use. Empty if the system does
/// not report them.
pub fn allowed() -> Vec<usize> {
    core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect()
}

/// Pins the calling thread to one CPU, along with the threads and processes that it starts later.
/// Returns `false` if the operating system refuses.
pub fn pin(cpu: usize) -> bool {
    core_affinity::set_for_current(core_affinity::CoreId { id: cpu })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_can_be_pinned_where_it_may_run() {
        let cpus = allowed();
        assert!(
            cpus.last().is_none_or(|&cpu| std::thread::spawn(move || pin(cpu)).join().unwrap())
        );
    }
}
