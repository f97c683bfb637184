//! The version, the CPU, the kernels.

use std::ffi::c_char;

use hashlanes::KernelInfo;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{copy_list, copy_text, guard, put};
use crate::error::{Error, hashlanes_error};

/// The version of the header: its major number.
pub const HASHLANES_VERSION_MAJOR: u32 = 0;
/// The version of the header: its minor number. While the major number is 0, each minor number has
/// an interface of its own.
pub const HASHLANES_VERSION_MINOR: u32 = 1;
/// The version of the header: its patch number.
pub const HASHLANES_VERSION_PATCH: u32 = 0;

/// A feature of CPUs that kernels use.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_cpu_feature {
    /// Its name.
    pub name: [c_char; 32],
    /// Whether this CPU has it and the operating system allows it.
    pub present: bool,
}

/// One kernel of an algorithm.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_kernel {
    /// The name by which `hashlanes_with_kernel` chooses it.
    pub name: [c_char; 32],
    /// The names of the CPU's features that it needs, separated by commas and spaces.
    pub needs: [c_char; 128],
    /// Those of them that this CPU or the operating system lacks.
    pub lacks: [c_char; 128],
    /// The number of messages that it hashes side by side.
    pub lanes: usize,
    /// Whether it can run here: nothing is missing.
    pub available: bool,
}

impl From<KernelInfo> for hashlanes_kernel {
    fn from(kernel: KernelInfo) -> Self {
        Self {
            name: copy_text(kernel.name),
            needs: copy_list(kernel.needs()),
            lacks: copy_list(kernel.missing()),
            lanes: kernel.lanes,
            available: kernel.is_available(),
        }
    }
}

/// The version of the loaded library as a text: `0.1.0`. It lives as long as the library is loaded.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The number of features that `hashlanes_cpu_feature_at` describes.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_cpu_feature_count() -> usize {
    hashlanes::cpu_features().len()
}

/// Describes one of the CPU's features that kernels use.
///
/// Errors: `HASHLANES_ERROR_INDEX`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_cpu_feature_at(
    index: usize,
    feature: *mut hashlanes_cpu_feature,
) -> hashlanes_error {
    guard(|| {
        let (name, present) = hashlanes::cpu_features().nth(index).ok_or(Error::Index)?;
        // SAFETY: *Memory* and *Threads* hold for the text `name`.
        unsafe { put(feature, hashlanes_cpu_feature { name: copy_text(name), present }) }
    })
}

/// The number of the algorithm's kernels on this architecture, including those that the CPU cannot
/// run. 0 if there is no such algorithm.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_kernel_count(algorithm: hashlanes_algorithm) -> usize {
    crate::algorithm::algorithm(algorithm).map_or(0, |algorithm| algorithm.kernels().len())
}

/// Describes one of the algorithm's kernels.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_INDEX`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_kernel_at(
    algorithm: hashlanes_algorithm,
    index: usize,
    kernel: *mut hashlanes_kernel,
) -> hashlanes_error {
    guard(|| {
        let algorithm = crate::algorithm::algorithm(algorithm)?;
        let info = algorithm.kernels().nth(index).ok_or(Error::Index)?;
        // SAFETY: *Memory* and *Threads* hold for `kernel`.
        unsafe { put(kernel, info.into()) }
    })
}

/// Describes the kernel that hashes `messages` messages of equal length. If the lengths differ, the
/// library continues in narrower kernels when few messages are left.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_kernel_for(
    algorithm: hashlanes_algorithm,
    messages: usize,
    kernel: *mut hashlanes_kernel,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let name = engine.kernel_for(messages);
        let info = engine.algorithm().kernels().find(|kernel| kernel.name == name);
        // SAFETY: *Memory* and *Threads* hold for `kernel`.
        unsafe { put(kernel, info.ok_or(Error::Internal)?.into()) }
    })
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;

    #[test]
    fn the_header_has_the_packages_version() {
        let parts = [HASHLANES_VERSION_MAJOR, HASHLANES_VERSION_MINOR, HASHLANES_VERSION_PATCH];
        assert_eq!(parts.map(|part| part.to_string()).join("."), env!("CARGO_PKG_VERSION"));
    }

    /// No name is truncated, on the architecture where this runs.
    #[test]
    fn names_fit() {
        assert!(hashlanes::cpu_features().all(|(name, _)| name.len() < 32));
        for kernel in Algorithm::ALL.iter().flat_map(|algorithm| algorithm.kernels()) {
            assert!(kernel.name.len() < 32, "{kernel:?}");
            assert!(kernel.needs().map(|name| name.len() + 2).sum::<usize>() < 128, "{kernel:?}");
        }
    }
}
