//! Algorithms as numbers, with or without a kernel.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes::{Algorithm, AnyEngine, KernelInfo};

use crate::border::{guard, put, text};
use crate::error::{Error, hashlanes_error};
use crate::memory::set_aside;

/// A hash function: one of the constants `HASHLANES_MD5` and so on, or a number from
/// `hashlanes_with_kernel`, which means a hash function whose messages are all hashed by one
/// kernel.
///
/// Any number may be passed. An unknown one is an error.
pub type hashlanes_algorithm = u32;

/// MD5 (RFC 1321), 16 bytes. Broken: unsafe for data that an attacker can choose.
pub const HASHLANES_MD5: hashlanes_algorithm = 1;
/// SHA-1 (FIPS 180-4), 20 bytes. Broken: unsafe for data that an attacker can choose.
pub const HASHLANES_SHA1: hashlanes_algorithm = 2;
/// SHA-224 (FIPS 180-4), 28 bytes.
pub const HASHLANES_SHA224: hashlanes_algorithm = 3;
/// SHA-256 (FIPS 180-4), 32 bytes.
pub const HASHLANES_SHA256: hashlanes_algorithm = 4;
/// SHA-384 (FIPS 180-4), 48 bytes.
pub const HASHLANES_SHA384: hashlanes_algorithm = 5;
/// SHA-512 (FIPS 180-4), 64 bytes.
pub const HASHLANES_SHA512: hashlanes_algorithm = 6;
/// SHA-512/256 (FIPS 180-4), 32 bytes.
pub const HASHLANES_SHA512_256: hashlanes_algorithm = 7;
/// SM3 (GB/T 32905-2016), 32 bytes.
pub const HASHLANES_SM3: hashlanes_algorithm = 8;

/// The length of the longest digest in bytes.
pub const HASHLANES_MAX_DIGEST_LENGTH: usize = 64;

/// The bits of a number that select the algorithm. The higher bits select the kernel: 0 for none,
/// or its place in the list, counted from 1.
const ALGORITHM_BITS: u32 = 8;

/// The algorithm of a number from C. If the number selects a kernel, the kernel can run here.
#[inline]
pub(crate) fn algorithm(number: hashlanes_algorithm) -> Result<Algorithm, Error> {
    Ok(take_apart(number)?.0)
}

/// The engine of a number from C.
#[inline]
pub(crate) fn engine(number: hashlanes_algorithm) -> Result<AnyEngine, Error> {
    match take_apart(number)? {
        (algorithm, None) => {
            read_environment()?;
            Ok(AnyEngine::new(algorithm))
        }
        (algorithm, Some(name)) => {
            AnyEngine::with_kernel(algorithm, name).map_err(|_| Error::Kernel)
        }
    }
}

#[inline]
fn take_apart(number: hashlanes_algorithm) -> Result<(Algorithm, Option<&'static str>), Error> {
    let algorithm = plain(number & ((1 << ALGORITHM_BITS) - 1))?;
    let kernel = match number >> ALGORITHM_BITS {
        0 => None,
        place => Some(available(algorithm.kernels().nth(place as usize - 1))?.name),
    };
    Ok((algorithm, kernel))
}

/// Has the library read its environment variable, which allocates a copy.
fn read_environment() -> Result<(), Error> {
    static READ: AtomicBool = AtomicBool::new(false);
    if !READ.load(Ordering::Relaxed) {
        set_aside(1, || Ok(AnyEngine::new(Algorithm::Md5)))?;
        READ.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// The algorithm of a constant.
fn plain(number: u32) -> Result<Algorithm, Error> {
    let place = (number as usize).checked_sub(1).ok_or(Error::Algorithm)?;
    Algorithm::ALL.get(place).copied().ok_or(Error::Algorithm)
}

/// The constant of an algorithm: its place in the library's list, which only grows at the end.
fn number(algorithm: Algorithm) -> hashlanes_algorithm {
    let place = Algorithm::ALL.iter().position(|&other| other == algorithm);
    place.map_or(0, |place| place as u32 + 1)
}

/// A kernel, if it exists and can run here.
fn available(kernel: Option<KernelInfo>) -> Result<KernelInfo, Error> {
    let kernel = kernel.ok_or(Error::Kernel)?;
    if kernel.is_available() { Ok(kernel) } else { Err(Error::Unsupported) }
}

/// The number of algorithms, which are numbered from 1. Later versions may have more.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_algorithm_count() -> u32 {
    Algorithm::ALL.len() as u32
}

/// The algorithm of a name: `sha256`, `SHA-256`, `sha512/256`. Case does not matter, and one `-`,
/// `_` or `/` may stand between the parts of a name. Blanks are refused.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM` if no algorithm has the name.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_algorithm_from_name(
    name: *const c_char,
    algorithm: *mut hashlanes_algorithm,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the text `name`.
        let name = unsafe { text(name) }?.ok_or(Error::Algorithm)?;
        let found = Algorithm::from_name(name).map_err(|_| Error::Algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for `algorithm`.
        unsafe { put(algorithm, number(found)) }
    })
}

/// The name of an algorithm in lower case: `md5`, `sha512-256`. NULL if there is no such algorithm.
///
/// The text lives as long as the library is loaded.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_algorithm_name(algorithm: hashlanes_algorithm) -> *const c_char {
    self::algorithm(algorithm).ok().and_then(name).map_or(std::ptr::null(), CStr::as_ptr)
}

/// The library's name of an algorithm as a C string.
fn name(algorithm: Algorithm) -> Option<&'static CStr> {
    Some(match algorithm {
        Algorithm::Md5 => c"md5",
        Algorithm::Sha1 => c"sha1",
        Algorithm::Sha224 => c"sha224",
        Algorithm::Sha256 => c"sha256",
        Algorithm::Sha384 => c"sha384",
        Algorithm::Sha512 => c"sha512",
        Algorithm::Sha512_256 => c"sha512-256",
        Algorithm::Sm3 => c"sm3",
        _ => return None,
    })
}

/// Bytes of a digest or of a MAC: 16 to `HASHLANES_MAX_DIGEST_LENGTH`. 0 if there is no such
/// algorithm.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_digest_length(algorithm: hashlanes_algorithm) -> usize {
    self::algorithm(algorithm).map_or(0, Algorithm::digest_len)
}

/// Bytes of a message block: 64 or 128. 0 if there is no such algorithm.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_block_length(algorithm: hashlanes_algorithm) -> usize {
    self::algorithm(algorithm).map_or(0, Algorithm::block_len)
}

/// Makes a number for an algorithm whose messages are all hashed by the kernel of this name,
/// however many there are: for tests and measurements. `hashlanes_kernel` has the names. The number
/// can be passed wherever an algorithm can. It is valid in this process only, since other CPUs may
/// have other kernels.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`; `HASHLANES_ERROR_KERNEL` if the algorithm has no kernel of
/// the name; `HASHLANES_ERROR_UNSUPPORTED` if it cannot run here.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_with_kernel(
    algorithm: hashlanes_algorithm,
    kernel: *const c_char,
    chosen: *mut hashlanes_algorithm,
) -> hashlanes_error {
    guard(|| {
        let algorithm = self::algorithm(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the text `kernel`.
        let name = unsafe { text(kernel) }?.ok_or(Error::Kernel)?;
        available(algorithm.kernels().find(|kernel| kernel.name == name))?;
        let place = algorithm.kernels().position(|kernel| kernel.name == name);
        let place = place.ok_or(Error::Kernel)? as u32 + 1;
        // SAFETY: *Memory* and *Threads* hold for `chosen`.
        unsafe { put(chosen, number(algorithm) | place << ALGORITHM_BITS) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_algorithms() {
        let constants = [
            (HASHLANES_MD5, Algorithm::Md5),
            (HASHLANES_SHA1, Algorithm::Sha1),
            (HASHLANES_SHA224, Algorithm::Sha224),
            (HASHLANES_SHA256, Algorithm::Sha256),
            (HASHLANES_SHA384, Algorithm::Sha384),
            (HASHLANES_SHA512, Algorithm::Sha512),
            (HASHLANES_SHA512_256, Algorithm::Sha512_256),
            (HASHLANES_SM3, Algorithm::Sm3),
        ];
        assert_eq!(constants.len(), Algorithm::ALL.len(), "name the new one here");
        for (constant, algorithm) in constants {
            assert_eq!(number(algorithm), constant);
            assert_eq!(plain(constant), Ok(algorithm));
        }
        for wrong in [0, constants.len() as u32 + 1, 255] {
            assert_eq!(plain(wrong), Err(Error::Algorithm));
        }
    }

    #[test]
    fn every_algorithm_has_its_name() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(name(algorithm).unwrap().to_str(), Ok(algorithm.name()));
            assert!(algorithm.digest_len() <= HASHLANES_MAX_DIGEST_LENGTH);
        }
    }
}
