//! The version, the CPU, the kernels.

use std::ffi::c_char;

use hashlanes::kernels::KernelInfo;

use crate::algorithm::{engine, hashlanes_algorithm, with_kernel};
use crate::border::{copy_list, copy_text, guard, put};
use crate::error::{Error, hashlanes_error};

/// The major number of the header's version.
pub const HASHLANES_VERSION_MAJOR: u32 = 0;
/// The minor number of the header's version. While the major number is 0, each minor number is an
/// incompatible interface.
pub const HASHLANES_VERSION_MINOR: u32 = 2;
/// The patch number of the header's version.
pub const HASHLANES_VERSION_PATCH: u32 = 0;

/// A CPU feature that kernels use.
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
    /// The names of the CPU features that it needs, separated by commas and spaces.
    pub needs: [c_char; 128],
    /// The names of the needed features that this CPU or the operating system lacks.
    pub lacks: [c_char; 128],
    /// The number of messages that it hashes side by side.
    pub lanes: usize,
    /// Whether it can run here.
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

/// The version of the loaded library, such as `1.2.3`. The string is valid as long as the
/// library is loaded.
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
    hashlanes::kernels::cpu_features().len()
}

/// Describes one of the CPU features that kernels use.
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
        let (name, present) = hashlanes::kernels::cpu_features().nth(index).ok_or(Error::Index)?;
        // SAFETY: *Memory* and *Threads* hold for `feature`.
        unsafe { put(feature, hashlanes_cpu_feature { name: copy_text(name), present }) }
    })
}

/// The number of kernels that the algorithm has on this architecture, including those that the CPU
/// cannot run. 0 if there is no such algorithm.
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

/// Describes the kernel that hashes this number of messages of equal length. If the lengths differ,
/// the library switches to narrower kernels when few messages are left.
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

/// Hashes known messages with every algorithm, in every kernel that can run here, and compares the
/// digests with known ones. It takes about 10 ms. Output of any length is not tested.
///
/// If a digest is wrong, `*failed` is the number of the algorithm with its kernel, as from
/// `hashlanes_with_kernel`: `hashlanes_kernel_for` has the kernel's name. Otherwise it is 0.
///
/// Errors: `HASHLANES_ERROR_SELF_TEST`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_self_test(failed: *mut hashlanes_algorithm) -> hashlanes_error {
    guard(|| {
        let result = hashlanes::kernels::self_test();
        let number = result
            .as_ref()
            .err()
            .map_or(Ok(0), |error| with_kernel(error.algorithm(), error.kernel()))?;
        // SAFETY: *Memory* and *Threads* hold for `failed`.
        unsafe { put(failed, number) }?;
        result.map_err(|_| Error::SelfTest)
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

    /// No name is truncated, on the architecture where this test runs.
    #[test]
    fn names_fit() {
        assert!(hashlanes::kernels::cpu_features().all(|(name, _)| name.len() < 32));
        for kernel in Algorithm::ALL.iter().flat_map(|algorithm| algorithm.kernels()) {
            assert!(kernel.name.len() < 32, "{kernel:?}");
            assert!(kernel.needs().map(|name| name.len() + 2).sum::<usize>() < 128, "{kernel:?}");
        }
    }
}
