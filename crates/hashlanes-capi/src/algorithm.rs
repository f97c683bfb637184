//! Algorithms as numbers, with or without a kernel.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes::kernels::KernelInfo;
use hashlanes::{Algorithm, Engine};

use crate::border::{guard, put, text};
use crate::error::{Error, hashlanes_error};
use crate::memory::set_aside;

/// A hash function: one of the constants such as `HASHLANES_MD5`, or a number from
/// `hashlanes_with_kernel`, which selects a hash function and the kernel that hashes all its
/// messages.
///
/// Any number may be passed. An unknown one is an error.
pub type hashlanes_algorithm = u32;

/// MD5 (RFC 1321), 16 bytes. Broken: do not use it where an attacker may choose the message.
pub const HASHLANES_MD5: hashlanes_algorithm = 1;
/// SHA-1 (FIPS 180-4), 20 bytes. Broken: do not use it where an attacker may choose the message.
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
/// SHA3-224 (FIPS 202), 28 bytes.
pub const HASHLANES_SHA3_224: hashlanes_algorithm = 9;
/// SHA3-256 (FIPS 202), 32 bytes.
pub const HASHLANES_SHA3_256: hashlanes_algorithm = 10;
/// SHA3-384 (FIPS 202), 48 bytes.
pub const HASHLANES_SHA3_384: hashlanes_algorithm = 11;
/// SHA3-512 (FIPS 202), 64 bytes.
pub const HASHLANES_SHA3_512: hashlanes_algorithm = 12;
/// Keccak-256, with the padding from before FIPS 202, 32 bytes.
pub const HASHLANES_KECCAK256: hashlanes_algorithm = 13;
/// Keccak-512, with the padding from before FIPS 202, 64 bytes.
pub const HASHLANES_KECCAK512: hashlanes_algorithm = 14;
/// SHAKE128 (FIPS 202) with 32 bytes (RFC 8702).
pub const HASHLANES_SHAKE128: hashlanes_algorithm = 15;
/// SHAKE256 (FIPS 202) with 64 bytes (RFC 8702).
pub const HASHLANES_SHAKE256: hashlanes_algorithm = 16;
/// BLAKE2b (RFC 7693), 64 bytes.
pub const HASHLANES_BLAKE2B: hashlanes_algorithm = 17;
/// BLAKE2s (RFC 7693), 32 bytes.
pub const HASHLANES_BLAKE2S: hashlanes_algorithm = 18;
/// BLAKE3, 32 bytes.
pub const HASHLANES_BLAKE3: hashlanes_algorithm = 19;
/// SHA-256 of SHA-256's digest, as Bitcoin uses it, 32 bytes.
pub const HASHLANES_SHA256D: hashlanes_algorithm = 20;

/// Length of the longest digest, in bytes.
pub const HASHLANES_MAX_DIGEST_LENGTH: usize = 64;

/// Low bits of the number, which identify the algorithm. The bits above identify the kernel: 0 for
/// none, or its position in the list, counted from 1.
const ALGORITHM_BITS: u32 = 8;

/// The algorithm of a number from C. If the number names a kernel, it must be able to run here.
#[inline]
pub(crate) fn algorithm(number: hashlanes_algorithm) -> Result<Algorithm, Error> {
    Ok(take_apart(number)?.0)
}

/// The engine of a number from C.
#[inline]
pub(crate) fn engine(number: hashlanes_algorithm) -> Result<Engine, Error> {
    match take_apart(number)? {
        (algorithm, None) => {
            read_environment()?;
            Ok(Engine::of(algorithm))
        }
        (algorithm, Some(name)) => Engine::of(algorithm).kernel(name).map_err(|_| Error::Kernel),
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

/// Makes the library read its environment variable now, because this allocates a copy of the value.
pub(crate) fn read_environment() -> Result<(), Error> {
    static READ: AtomicBool = AtomicBool::new(false);
    if !READ.load(Ordering::Relaxed) {
        set_aside(1, || Ok(hashlanes::kernels::kernel_from_environment()))?;
        READ.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// The algorithm of a constant.
fn plain(number: u32) -> Result<Algorithm, Error> {
    let place = (number as usize).checked_sub(1).ok_or(Error::Algorithm)?;
    Algorithm::ALL.get(place).copied().ok_or(Error::Algorithm)
}

/// The constant of an algorithm: its position in the library's list, to which new ones are
/// appended.
fn number(algorithm: Algorithm) -> hashlanes_algorithm {
    let place = Algorithm::ALL.iter().position(|&other| other == algorithm);
    place.map_or(0, |place| place as u32 + 1)
}

/// The kernel, if it exists and can run here.
fn available(kernel: Option<KernelInfo>) -> Result<KernelInfo, Error> {
    let kernel = kernel.ok_or(Error::Kernel)?;
    if kernel.is_available() { Ok(kernel) } else { Err(Error::Unsupported) }
}

/// The number of algorithms. Their numbers are 1 to this count. Later versions may add more.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_algorithm_count() -> u32 {
    Algorithm::ALL.len() as u32
}

/// Looks up an algorithm by name: `sha256`, `SHA-256`, `sha512/256`. Case is ignored, and one `-`,
/// `_` or `/` may separate the parts of a name. Spaces are not accepted.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM` if no algorithm has this name.
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
/// The string is valid as long as the library is loaded.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_algorithm_name(algorithm: hashlanes_algorithm) -> *const c_char {
    self::algorithm(algorithm).ok().and_then(name).map_or(std::ptr::null(), CStr::as_ptr)
}

/// The library's name of an algorithm, as a C string.
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
        Algorithm::Sha3_224 => c"sha3-224",
        Algorithm::Sha3_256 => c"sha3-256",
        Algorithm::Sha3_384 => c"sha3-384",
        Algorithm::Sha3_512 => c"sha3-512",
        Algorithm::Keccak256 => c"keccak256",
        Algorithm::Keccak512 => c"keccak512",
        Algorithm::Shake128 => c"shake128",
        Algorithm::Shake256 => c"shake256",
        Algorithm::Blake2b512 => c"blake2b",
        Algorithm::Blake2s256 => c"blake2s",
        Algorithm::Blake3 => c"blake3",
        Algorithm::Sha256d => c"sha256d",
        _ => return None,
    })
}

/// The length of a digest or MAC in bytes: 16 to `HASHLANES_MAX_DIGEST_LENGTH`. 0 if there is no
/// such algorithm.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_digest_length(algorithm: hashlanes_algorithm) -> usize {
    self::algorithm(algorithm).map_or(0, Algorithm::digest_len)
}

/// The length of a message block in bytes: 64 or 128, and 72 to 168 for SHA-3 and its relatives,
/// where it is called the rate. 0 if there is no such algorithm.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_block_length(algorithm: hashlanes_algorithm) -> usize {
    self::algorithm(algorithm).map_or(0, Algorithm::block_len)
}

/// Writes to `*chosen` a number for the algorithm with the named kernel, which then hashes all
/// messages, however many there are. It is meant for tests and measurements. `hashlanes_kernel` has
/// the names. The number may be passed wherever an algorithm is. It is valid in this process only,
/// because another CPU may have other kernels.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`; `HASHLANES_ERROR_KERNEL` if the algorithm has no kernel of
/// this name; `HASHLANES_ERROR_UNSUPPORTED` if the kernel cannot run here.
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
        let number = with_kernel(algorithm, name)?;
        // SAFETY: *Memory* and *Threads* hold for `chosen`.
        unsafe { put(chosen, number) }
    })
}

/// The number of an algorithm with one of its kernels.
pub(crate) fn with_kernel(algorithm: Algorithm, name: &str) -> Result<hashlanes_algorithm, Error> {
    available(algorithm.kernels().find(|kernel| kernel.name == name))?;
    let place = algorithm.kernels().position(|kernel| kernel.name == name);
    let place = place.ok_or(Error::Kernel)? as u32 + 1;
    Ok(number(algorithm) | place << ALGORITHM_BITS)
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
            (HASHLANES_SHA3_224, Algorithm::Sha3_224),
            (HASHLANES_SHA3_256, Algorithm::Sha3_256),
            (HASHLANES_SHA3_384, Algorithm::Sha3_384),
            (HASHLANES_SHA3_512, Algorithm::Sha3_512),
            (HASHLANES_KECCAK256, Algorithm::Keccak256),
            (HASHLANES_KECCAK512, Algorithm::Keccak512),
            (HASHLANES_SHAKE128, Algorithm::Shake128),
            (HASHLANES_SHAKE256, Algorithm::Shake256),
            (HASHLANES_BLAKE2B, Algorithm::Blake2b512),
            (HASHLANES_BLAKE2S, Algorithm::Blake2s256),
            (HASHLANES_BLAKE3, Algorithm::Blake3),
            (HASHLANES_SHA256D, Algorithm::Sha256d),
        ];
        assert_eq!(constants.len(), Algorithm::ALL.len(), "add the new constant here");
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
